import AnalysisTesting
import Foundation
import Testing

@testable import DSP

/// The resamplers against the definition, and against each other.
@Suite(.bounded) struct ResamplerTests {
  private func resample(
    _ input: [Float], _ kind: ResamplerKind, from inputRate: Int, to outputRate: Int, blocks: [Int] = [4_096]
  ) -> [Float] {
    let resampler = kind.makeResampler(from: inputRate, to: outputRate)
    var output: [Float] = []
    var buffer: [Float] = []
    var position = 0
    var turn = 0
    while position < input.count {
      let count = min(blocks[turn % blocks.count], input.count - position)
      let written = resampler.push(input.span.extracting(position..<position + count), into: &buffer)
      output += buffer[..<written]
      position += count
      turn += 1
    }
    let written = resampler.finish(into: &buffer)
    return output + buffer[..<written]
  }

  private func sine(_ frequency: Double, rate: Int, frames: Int) -> [Float] {
    (0..<frames).map { Float(0.5 * sin(2 * .pi * frequency * Double($0) / Double(rate))) }
  }

  /// Levels of the residual after removing the sine of that frequency, and of that sine, both relative to 0.5.
  private func analyze(_ signal: ArraySlice<Float>, frequency: Double, rate: Int) -> (sine: Double, rest: Double) {
    var real = 0.0
    var imaginary = 0.0
    for frame in signal.indices {
      let phase = 2 * .pi * frequency * Double(frame) / Double(rate)
      real += Double(signal[frame]) * sin(phase)
      imaginary += Double(signal[frame]) * cos(phase)
    }
    real *= 2 / Double(signal.count)
    imaginary *= 2 / Double(signal.count)
    var rest = 0.0
    for frame in signal.indices {
      let phase = 2 * .pi * frequency * Double(frame) / Double(rate)
      let difference = Double(signal[frame]) - real * sin(phase) - imaginary * cos(phase)
      rest += difference * difference
    }
    return (
      (real * real + imaginary * imaginary).squareRoot() / 0.5, (2 * rest / Double(signal.count)).squareRoot() / 0.5
    )
  }

  static let rates = [
    (44_100, 22_050), (44_100, 11_025), (48_000, 22_050), (44_100, 8_000), (22_050, 44_100), (96_000, 8_000),
  ]

  @Test(arguments: ResamplerKind.allCases, rates)
  func passBand(kind: ResamplerKind, rates: (Int, Int)) {
    let (inputRate, outputRate) = rates
    let frequency = 0.31 * Double(min(inputRate, outputRate))
    let output = resample(sine(frequency, rate: inputRate, frames: inputRate), kind, from: inputRate, to: outputRate)
    let middle = output[(outputRate / 4)..<(3 * outputRate / 4)]
    let (level, rest) = analyze(middle, frequency: frequency, rate: outputRate)
    #expect(abs(level - 1) < 0.01)
    #expect(rest < 1e-3)
  }

  @Test(arguments: ResamplerKind.allCases)
  func aliasesAreRejected(kind: ResamplerKind) {
    for frequency in [11_800.0, 13_000, 16_000, 20_000] {
      let output = resample(sine(frequency, rate: 44_100, frames: 44_100), kind, from: 44_100, to: 22_050)
      let peak = output[2_000..<20_000].reduce(0) { max($0, abs($1)) }
      // -90 dB.
      #expect(peak < 0.5 * 3.2e-5)
    }
  }

  /// Time 0 stays time 0: a pulse comes out where it went in, and a sine has its phase.
  @Test(arguments: ResamplerKind.allCases, rates)
  func timeIsKept(kind: ResamplerKind, rates: (Int, Int)) {
    let (inputRate, outputRate) = rates
    for seconds in [0.05, 0.25] {
      var input = [Float](repeating: 0, count: inputRate)
      let center = Int(seconds * Double(inputRate))
      // A smooth pulse of 4 ms, well inside the pass band.
      for frame in input.indices {
        let time = Double(frame - center) / Double(inputRate) / 0.001
        input[frame] = Float(exp(-time * time / 2))
      }
      let output = resample(input, kind, from: inputRate, to: outputRate)
      var worst = 0.0
      for frame in 0..<Int(0.4 * Double(outputRate)) {
        let time = (Double(frame) / Double(outputRate) - Double(center) / Double(inputRate)) / 0.001
        worst = max(worst, abs(Double(output[frame]) - exp(-time * time / 2)))
      }
      #expect(worst < 2e-3)
    }
  }

  /// Frames that the filter holds back until the end are not lost.
  @Test(arguments: ResamplerKind.allCases, rates)
  func theEndIsKept(kind: ResamplerKind, rates: (Int, Int)) {
    let (inputRate, outputRate) = rates
    for secondsLeft in [0.008, 0.02, 0.05] {
      let center = 0.4 - secondsLeft
      func pulse(_ time: Double) -> Double { exp(-pow((time - center) / 0.001, 2) / 2) }
      let input = (0..<2 * inputRate / 5).map { Float(pulse(Double($0) / Double(inputRate))) }
      let output = resample(input, kind, from: inputRate, to: outputRate)
      let worst = output.indices.map { abs(Double(output[$0]) - pulse(Double($0) / Double(outputRate))) }.max()
      #expect((worst ?? 1) < 2e-3, "\(secondsLeft) s before the end")
    }
  }

  /// Buffers that were used before have no effect on the result.
  @Test(arguments: ResamplerKind.allCases)
  func buffersAreReused(kind: ResamplerKind) {
    let input = [Float](repeating: 0.25, count: 3_000)
    let expected = resample(input, kind, from: 44_100, to: 22_050)
    let resampler = kind.makeResampler(from: 44_100, to: 22_050)
    var buffer = [Float](repeating: 9, count: 10_000)
    let nothing: [Float] = []
    let none = resampler.push(nothing.span, into: &buffer)
    #expect(none == 0)
    let count = resampler.push(input.span, into: &buffer)
    let output = Array(buffer[..<count])
    let rest = resampler.finish(into: &buffer)
    #expect(output + buffer[..<rest] == expected && buffer.count == 10_000)
    #expect(resampler.inputRate == 44_100 && resampler.outputRate == 22_050)
  }

  @Test(arguments: [(2, 1), (1, 2), (3, 2), (2, 3), (44_100, 22_050), (44_100, 8_000), (8_000, 48_000)])
  func lengthsAreCounted(inputRate: Int, outputRate: Int) {
    var length = ResampledLength(inputRate: inputRate, outputRate: outputRate)
    #expect(length.due == 0 && length.consumed == 0 && length.produced == 0)
    var (consumed, produced) = (0, 0)
    for count in [1, 0, 1, 1, 2, 7, 100, 4_096, 12_345] {
      length.consume(count)
      consumed += count
      // Halves are rounded up.
      let total = Int((Double(consumed) * Double(outputRate) / Double(inputRate)).rounded())
      #expect(length.due == total - produced && length.consumed == Int64(consumed))
      #expect(length.room(for: 1_000) >= length.due + 1_000 * outputRate / inputRate + 64)
      let more = length.due / 2
      length.produce(more)
      produced += more
      #expect(length.due == total - produced && length.produced == Int64(produced))
    }
    // More than is due may come out in between.
    length.produce(length.due + 3)
    #expect(length.due == 0)
  }

  @Test func buffersGrowAsNeeded() {
    var buffer: [Float] = [1, 2, 3]
    for (count, expected) in [(2, 3), (3, 3), (5, 5), (4, 5)] {
      buffer.ensureCount(count)
      #expect(buffer.count == expected && buffer.starts(with: [1, 2, 3]))
    }
  }

  @Test(arguments: ResamplerKind.allCases)
  func lengthIsExact(kind: ResamplerKind) {
    for (inputRate, outputRate) in Self.rates {
      for frames in [0, 1, 2, 3, 100, 1_000, 4_095, 4_096, 44_101] {
        let output = resample([Float](repeating: 0.1, count: frames), kind, from: inputRate, to: outputRate)
        let expected = Int((Double(frames) * Double(outputRate) / Double(inputRate)).rounded())
        #expect(output.count == expected)
        #expect(output.allSatisfy { $0.isFinite })
      }
    }
  }

  /// The output is identical however the stream is divided.
  @Test(arguments: ResamplerKind.allCases)
  func blocksDoNotMatter(kind: ResamplerKind) {
    let input = Signal.golden(sampleRate: 44_100, seconds: 1.2).mono
    let whole = resample(input, kind, from: 44_100, to: 22_050, blocks: [input.count])
    for blocks in [[1, 7, 64, 4_096], [16_384], [333], [12_345, 1]] {
      let isSame = resample(input, kind, from: 44_100, to: 22_050, blocks: blocks) == whole
      #expect(isSame, "\(blocks)")
    }
  }

  @Test func theyAgree() {
    let input = (Signal.sine(220, seconds: 1.4) + .sine(550, amplitude: 0.2, seconds: 1.4)).mono
    for (inputRate, outputRate) in Self.rates {
      let one = resample(input, .soxr, from: inputRate, to: outputRate)
      let other = resample(input, .samplerate, from: inputRate, to: outputRate)
      let inner = 500..<one.count - 500
      #expect(relativeError(one[inner], other[inner]) < 1e-3)
    }
  }

  @Test func manyAtOnce() async {
    let input = Signal.golden(sampleRate: 44_100, seconds: 1.4).mono
    let expected = resample(input, .soxr, from: 44_100, to: 8_000)
    await withTaskGroup(of: Bool.self) { group in
      for _ in 0..<16 { group.addTask { self.resample(input, .soxr, from: 44_100, to: 8_000) == expected } }
      for await isSame in group { #expect(isSame) }
    }
  }

  @Test(arguments: ResamplerKind.allCases)
  func sameRatePassesThrough(kind: ResamplerKind) {
    let input = Signal.golden(sampleRate: 22_050, seconds: 0.5).mono
    let isSame = resample(input, kind, from: 22_050, to: 22_050) == input
    #expect(isSame)
  }
}

/// Root mean square of the difference of two signals, relative to that of the first.
private func relativeError(_ reference: ArraySlice<Float>, _ other: ArraySlice<Float>) -> Double {
  var signal = 0.0
  var difference = 0.0
  for (a, b) in zip(reference, other) {
    signal += Double(a * a)
    difference += Double((a - b) * (a - b))
  }
  return (difference / max(signal, 1e-30)).squareRoot()
}
