import AnalysisTesting
import DSP
import Glibc
import Testing

private func columns(of signal: [Float], windowLength: Int, hop: Int, block: Int) -> [[Float]] {
  var stft = STFT(windowLength: windowLength, hop: hop)
  var result: [[Float]] = []
  let take = { (column: Span<Float>, index: Int64) in
    #expect(index == Int64(result.count))
    result.append((0..<column.count).map { column[$0] })
  }
  var start = 0
  while start < signal.count {
    let end = min(start + block, signal.count)
    stft.push(signal.span.extracting(start..<end), each: take)
    start = end
  }
  stft.finish(each: take)
  return result
}

@Suite(.bounded) struct STFTTests {
  @Test(arguments: [(64, 16), (64, 64), (64, 150), (64, 7)])
  func columnsAreCenteredAndPaddedWithZeros(windowLength: Int, hop: Int) {
    let signal = noise(1000)
    let result = columns(of: signal, windowLength: windowLength, hop: hop, block: 100)
    #expect(result.count == (1000 + hop - 1) / hop)
    let fft = RealFFT(length: windowLength)
    let window = hannWindow(length: windowLength)
    for (index, column) in result.enumerated() {
      let frames = (0..<windowLength).map { offset in
        let frame = index * hop - windowLength / 2 + offset
        return signal.indices.contains(frame) ? signal[frame] * window[offset] : 0
      }
      fft.transform(frames.span) { bins in
        for bin in column.indices {
          let power = bins[2 * bin] * bins[2 * bin] + bins[2 * bin + 1] * bins[2 * bin + 1]
          #expect(abs(column[bin] - power) <= 1e-4 * (1 + power))
        }
      }
    }
  }

  @Test func doesNotDependOnBlocks() {
    let signal = noise(30_000)
    let whole = columns(of: signal, windowLength: 256, hop: 55, block: 30_000)
    for block in [1, 55, 256, 8192, 16_384] {
      #expect(columns(of: signal, windowLength: 256, hop: 55, block: block) == whole)
    }
  }

  @Test func anEmptySignalHasNoColumns() {
    #expect(columns(of: [], windowLength: 64, hop: 16, block: 8).isEmpty)
    #expect(columns(of: [1], windowLength: 64, hop: 16, block: 8).count == 1)
  }

  @Test func startsAgainAfterTheEnd() {
    var stft = STFT(windowLength: 64, hop: 16)
    var runs: [[Float]] = []
    for _ in 0..<2 {
      var run: [Float] = []
      let take = { (column: Span<Float>, _: Int64) in run.append(column[5]) }
      stft.push(noise(500).span, each: take)
      stft.finish(each: take)
      runs.append(run)
    }
    #expect(runs[0] == runs[1])
  }

  @Test func aSineFillsItsBin() {
    let signal = (0..<2048).map { Float(sin(2 * Double.pi * 20 / 256 * Double($0))) }
    let column = columns(of: signal, windowLength: 256, hop: 128, block: 999)[8]
    // Amplitude 1 times the mean of the window (1/2) times half the length.
    #expect(abs(column[20] - 64 * 64) < 1)
    #expect(column[40] < 1e-3)
  }

  @Test func shiftedWindowsAddUpToOne() {
    let window = hannWindow(length: 128)
    for index in 0..<64 { #expect(abs(window[index] + window[index + 64] - 1) < 1e-6) }
  }
}
