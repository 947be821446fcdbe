import AnalysisTesting
import CKernels
import Foundation
import Testing

@testable import BuiltInAnalyzers

/// Findings in made signals, from faults too weak to be found to strong ones. A change of a recorded finding needs a
/// higher version of the analyzer.
@Suite(.bounded) struct RecordedFaultsTests {
  private static let rate = 22_050
  private static let music = Signal.channels([
    .chords(seed: 3, sampleRate: rate, seconds: 4), .chords(seed: 4, sampleRate: rate, seconds: 4),
  ])

  /// Scans a signal that arrives in blocks.
  private func faults(_ signal: Signal) -> [Fault] {
    var scan = HealthScan(sampleRate: signal.sampleRate, channelCount: signal.channelCount)
    for start in stride(from: 0, to: signal.frameCount, by: 30_000) {
      let end = min(start + 30_000, signal.frameCount)
      let planar = signal.channels.flatMap { $0[start..<end] }
      scan.push(planar.span)
    }
    return scan.finish()
  }

  private func add(_ name: String, _ faults: [Fault], to results: inout RecordedResults) {
    let shown = faults.prefix(12).map { fault in
      let channel = fault.channel.map { "\($0)" } ?? "all"
      return "\(fault.kind.rawValue) \(fault.start)-\(fault.end) of \(channel), \(fault.strength), \(fault.confidence)"
    }
    let counts = Fault.Kind.allCases.map { kind in faults.count { $0.kind == kind } }
    let severity = Severity.of(faults, seconds: 4, rate: Self.rate)
    results.add(name, "\(counts) \(severity.worst ?? "none") \(severity.severity); \(shown.joined(separator: "; "))")
  }

  @Test func faultsOfMusic() throws {
    var results = RecordedResults("Sound/health.txt")
    var random = SplitMix64(seed: 8)
    let places = (0..<40).map { _ in Int.random(in: 3_000..<Self.music.frameCount - 9_000, using: &random) }
    func changed(_ name: String, _ change: (inout Signal) -> Void) {
      var signal = Self.music
      change(&signal)
      add(name, faults(signal), to: &results)
    }
    changed("nothing") { _ in }
    let peak = Self.music.channels.joined().reduce(0) { max($0, abs($1)) }
    for share in [0.99, 0.9, 0.7, 0.3] as [Float] {
      changed("clipped at \(share)") { signal in
        for channel in 0..<2 {
          signal.channels[channel] = signal.channels[channel].map { max(-peak * share, min(peak, $0)) }
        }
      }
    }
    for size in [0.003, 0.01, 0.03, 0.1, 0.4] as [Float] {
      changed("clicks of \(size)") { signal in
        for (number, place) in places.prefix(6).enumerated() {
          for width in 0...number % 3 { signal.channels[number % 2][place + width] += size }
        }
        for channel in 0..<2 { signal.channels[channel][60_000] -= size }
      }
    }
    for count in [4, 5, 20, 40] {
      changed("\(count) clicks anywhere") { signal in
        for place in places.prefix(count) { signal.channels[0][place] += 0.3 }
      }
      changed("\(count) clicks in a rhythm") { signal in
        for number in 0..<count { signal.channels[0][5_000 + 1_800 * number + number % 3] += 0.3 }
      }
      changed("\(count) gaps anywhere") { signal in
        for place in places.prefix(count) { for frame in place..<place + 300 { signal.channels[1][frame] = 0 } }
      }
      changed("\(count) gaps in a rhythm") { signal in
        for number in 0..<count {
          for frame in 5_000 + 1_800 * number..<5_300 + 1_800 * number { signal.channels[1][frame] = 0 }
        }
      }
      changed("\(count) repeats anywhere") { signal in
        for place in places.prefix(count).sorted(by: >) {
          for channel in 0..<2 {
            let block = signal.channels[channel][place..<place + 588]
            signal.channels[channel].insert(contentsOf: Array(block), at: place)
          }
        }
      }
      changed("\(count) repeats in a rhythm") { signal in
        for number in (0..<count).reversed() {
          for channel in 0..<2 {
            let block = signal.channels[channel][5_000 + 1_800 * number..<5_588 + 1_800 * number]
            signal.channels[channel].insert(contentsOf: Array(block), at: 5_000 + 1_800 * number)
          }
        }
      }
    }
    for length in [10, 100, 5_500, 5_525, 9_000] {
      changed("a gap of \(length)") { signal in
        for channel in 0..<2 { for frame in 50_000..<50_000 + length { signal.channels[channel][frame] = 0 } }
      }
    }
    for bits in [6, 8, 10] {
      let full = exp2(Float(bits - 1))
      changed("\(bits) bits") { signal in
        signal.channels = signal.channels.map { $0.map { ($0 * full / 4).rounded() / full } }
      }
    }
    changed("hiss") { signal in
      for channel in 0..<2 {
        for frame in signal.channels[channel].indices {
          signal.channels[channel][frame] =
            signal.channels[channel][frame] * (frame < 40_000 ? 1 : 0.01)
            + 0.01 * random.nextSample()
        }
      }
    }
    changed("an inverted channel") { $0.channels[1] = $0.channels[0].map { -$0 } }
    changed("one channel") { $0.channels.removeLast() }
    let problem = try results.complaint()
    #expect(problem == nil)
  }

  // MARK: - Parts

  /// Scans a channel in parts.
  private func scanned(_ samples: [Float]) -> ChannelScan {
    let (margin, part, rim) = (64 * 64, 32_768, ChannelScan.rim)
    let silence = [Float](repeating: 0, count: margin)
    let padded = silence + samples + silence + silence
    var scan = ChannelScan(sampleRate: Self.rate, margin: margin)
    for start in stride(from: 0, to: samples.count, by: part) {
      let count = min(part, samples.count - start)
      let window = Array(padded[start..<start + count + 2 * margin + 64])
      let cellCount = (count + SampleCells.length - 1) / SampleCells.length + 2 * rim
      var cells = [SampleCells.Cell](repeating: SampleCells.Cell(), count: cellCount)
      SampleCells.measure(
        window.span, from: margin - rim * SampleCells.length, count: cellCount, into: &cells, at: 0)
      scan.scan(window.span, cells.span, count: count, start: Int64(start))
    }
    return scan
  }

  @Test func gapsAndClicksOfAChannel() throws {
    var results = RecordedResults("Sound/channel-scan.txt")
    func add(_ name: String, _ samples: [Float]) {
      let scan = scanned(samples)
      results.add(
        "\(name), counts",
        [
          scan.gapCount, scan.doubtfulCount, scan.coarseCount, scan.restCount, scan.clickCount, scan.mendedCount,
          scan.positive.count, scan.positive.runs.count, scan.negative.count, scan.negative.runs.count,
        ])
      results.add("\(name), levels", numbers: [scan.positive.level, scan.negative.level])
      for gap in scan.gaps.prefix(10) { results.add("\(name), gap at \(gap.range.lowerBound)", gap) }
      for click in scan.clicks.prefix(10) { results.add("\(name), click at \(click.place)", click) }
    }
    var random = SplitMix64(seed: 12)
    let plain = Array(Self.music.channels[0].prefix(80_000))
    let places = (0..<20).map { 4_000 + 3_500 * $0 + Int.random(in: 0..<1_000, using: &random) }
    add("music", plain)
    for noise in [0, 0.001, 0.01] as [Float] {
      let base = plain.map { $0 + noise * random.nextSample() }
      var (clicks, gaps, steps) = (base, base, base)
      for (number, place) in places.enumerated() {
        let size = 0.002 * exp2(Float(number) / 3)
        for width in 0...number % 4 { clicks[place + width] += number % 2 == 0 ? size : -size }
        for frame in place..<place + 8 + number * number { gaps[frame] = 0 }
        for frame in place..<place + 2_000 { steps[frame] += size }
      }
      add("clicks in noise of \(noise)", clicks)
      add("gaps in noise of \(noise)", gaps)
      add("steps in noise of \(noise)", steps)
    }
    // Bursts that end softly or abruptly.
    let bursts = plain.indices.map { frame -> Float in
      let age = Float(frame % 5_000) / 5_000
      let decay = frame / 5_000 % 2 == 0 ? max(0, 1 - 1.5 * age) : age < 0.8 ? 1 : 0
      return (plain[frame] * decay * 2_048).rounded() / 2_048
    }
    add("bursts", bursts)
    let problem = try results.complaint()
    #expect(problem == nil)
  }

  /// Clicks, pairs of clicks, and steps of many sizes, in tones and noise.
  @Test func clicksStandOut() throws {
    var results = RecordedResults("Sound/click-test.txt")
    var random = SplitMix64(seed: 21)
    let reach = ClickTest.reach
    let noise = (0..<2 * reach + 64).map { _ in random.nextSample() }
    for (tone, share) in [(0.3, 0.0001), (0.3, 0.01), (0.02, 0.05)] as [(Float, Float)] {
      let base = noise.indices.map {
        tone * sin(0.07 * Float($0)) + 0.5 * tone * sin(0.31 * Float($0)) + share * noise[$0]
      }
      for size in [0.0005, 0.002, 0.008, 0.03, 0.1, 0.3] as [Float] {
        var found: [String] = []
        for shape in [[1], [1, 1], [1, 0.8, 0.5, 0.2], [1, -1], [1, 1, 1, 1, 1, 1, 1, 1]] as [[Float]] {
          var window = base
          for (offset, height) in shape.enumerated() { window[reach + 20 + offset] += size * height }
          var test = ClickTest()
          let click = test.click(window.span, in: reach..<reach + 64)
          found.append(click.map { "\($0.index) \($0.strength) \($0.score) \($0.isMended)" } ?? "none")
        }
        var window = base
        for index in reach + 20..<window.count { window[index] += size }
        var test = ClickTest()
        let step = test.click(window.span, in: reach..<reach + 64)
        found.append(step.map { "\($0.index) \($0.strength) \($0.score) \($0.isMended)" } ?? "none")
        results.add("tone \(tone), noise \(share), size \(size)", found.joined(separator: "; "))
      }
    }
    var test = ClickTest()
    let silence = [Float](repeating: 0, count: noise.count)
    let click = test.click(silence.span, in: reach..<reach + 64)
    results.add("silence", click == nil)
    let early = test.click(noise.span, in: reach - 64..<reach)
    results.add("too near to the start", early == nil)
    let problem = try results.complaint()
    #expect(problem == nil)
  }

  // MARK: - Hum

  /// Scans sums over quarters of cells of hum and noise.
  /// - Parameters:
  ///   - lines: Frequencies and levels in dB.
  ///   - span: The time with hum, in seconds.
  private func hum(
    _ lines: [(hertz: Double, decibels: Double)], noise: Float = 0.003, rate: Int = 8_000, seconds: Double = 20,
    during span: ClosedRange<Double> = 0...1e9
  ) -> Fault? {
    var random = SplitMix64(seed: 5)
    let quarterRate = Double(rate) / 16
    var hum = MainsHum(sampleRate: rate)
    let tones = lines.map { (turn: 2 * .pi * $0.hertz, amplitude: pow(10, $0.decibels / 20)) }
    let sums = (0..<Int(seconds * quarterRate)).map { index -> Float in
      let time = Double(index) / quarterRate
      var value = 0.0
      if span.contains(time) {
        for tone in tones { value += tone.amplitude * sin(tone.turn * time) }
      }
      return 16 * (Float(value) + noise * random.nextSample())
    }
    for start in stride(from: 0, to: sums.count, by: 1_000) {
      let block = Array(sums[start..<min(start + 1_000, sums.count)])
      hum.push(block.span)
    }
    return hum.fault(frameCount: 1_234)
  }

  @Test func hum() throws {
    var results = RecordedResults("Sound/hum.txt")
    func add(_ name: String, _ fault: Fault?) {
      results.add(name, fault.map { "\($0.strength) \($0.confidence) \($0.start) \($0.end)" } ?? "none")
    }
    for base in [50.0, 60] {
      let harmonics = { (level: Double) in [(base, level), (2 * base, level - 6), (3 * base, level - 12)] }
      for level in stride(from: -100.0, through: -20, by: 8) {
        add("\(base) Hz at \(level) dB", hum(harmonics(level)))
        add("\(base) Hz at \(level) dB in silence", hum(harmonics(level), noise: 0))
        add("\(base) Hz at \(level) dB with another line", hum(harmonics(level) + [(85, -50)]))
        add("\(base) Hz at \(level) dB without harmonics", hum([(base, level)]))
      }
      for other in [45.0, 65, 70, 75, 80, 85, 90, 95, 105, 115, 130, 140, 160, 170, 55, 110] {
        add("\(base) Hz and \(other) Hz", hum(harmonics(-40) + [(other, -45)]))
      }
      for level in stride(from: -80.0, through: -30, by: 5) {
        let others = [(110 - base, level), (220 - 2 * base, level)]
        add("\(base) Hz with the other mains at \(level) dB", hum(harmonics(-40) + others))
      }
      for deviation in stride(from: -0.1, through: 0.1, by: 0.025) {
        let lines = (1...3).map { (Double($0) * (base + deviation), -40 - 5 * Double($0)) }
        add("\(base) Hz off by \((deviation * 1_000).rounded()) mHz", hum(lines))
      }
      for rate in [6_000, 6_400, 16_000, 22_050, 44_100, 96_000] {
        add("\(base) Hz at a rate of \(rate)", hum(harmonics(-40), rate: rate, seconds: 20))
      }
    }
    let harmonics = [(50.0, -40.0), (100, -46), (150, -52)]
    for seconds in [8.0, 11, 11.5, 12, 33, 34, 65, 90] { add("\(seconds) s", hum(harmonics, seconds: seconds)) }
    for end in [20.0, 40, 44, 48, 52, 60, 80] {
      add("in the first \(end) of 90 s", hum(harmonics, seconds: 90, during: 0...end))
    }
    let problem = try results.complaint()
    #expect(problem == nil)
  }
}
