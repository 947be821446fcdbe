import Analysis
import AnalysisTesting
import Foundation
import SystemPackage
import Testing

@testable import BuiltInAnalyzers

/// Runs a session over planar spans.
private func health(of signal: Signal, cut: Int = 16_384) throws -> HealthFinding {
  let format = AudioFormat(
    container: "wav", codec: "pcm_s16", sampleRate: signal.sampleRate, channelCount: signal.channelCount, bitDepth: 16,
    isLossless: true)
  var session = try HealthAnalyzer(NoConfiguration()).makeSession(for: AudioFile(path: "/signal.wav", format: format))
  for start in stride(from: 0, to: signal.frameCount, by: cut) {
    let end = min(start + cut, signal.frameCount)
    let planar = signal.channels.flatMap { $0[start..<end] }
    try session.consume(planar.span, at: Int64(start))
  }
  return try session.finish()
}

/// Chords that begin and end softly, in two different channels, quantized to 16 bits.
private func music(seconds: Double = 12, seed: UInt64 = 3) -> Signal {
  let sides = [seed, seed + 1].map { seed -> Signal in
    var signal = Signal.chords(seed: seed, seconds: seconds)
    for frame in 0..<signal.frameCount {
      let fade = Float(min(frame, signal.frameCount - 1 - frame)) / 22_050
      signal.channels[0][frame] *= min(1, fade)
    }
    return signal
  }
  let both = Signal.channels(sides)
  return Signal(sampleRate: both.sampleRate, channels: both.channels.map { rounded($0) })
}

private func rounded(_ samples: [Float]) -> [Float] {
  samples.map { max(-1, min(32767 / 32768, ($0 * 32768).rounded() / 32768)) }
}

private func places(_ finding: HealthFinding, _ kind: String) -> [Double] {
  finding.faults.filter { $0.kind == kind }.map(\.startSeconds)
}

@Suite(.bounded) struct `Health of a recording` {
  @Test func `music without a fault has none`() throws {
    let found = try health(of: music())
    #expect(found.faults == [])
    #expect(found.worst == nil)
    #expect(found.severity == 0)
    #expect(found.text == "no fault found")
  }

  @Test(arguments: [1, 0.5]) func `clipped peaks are found, even if they were turned down`(gain: Float) throws {
    var signal = music()
    let peak = signal.channels[0].map(abs).max() ?? 1
    signal = signal.scaled(by: 1.25 / peak)
    signal.channels = signal.channels.map { rounded($0.map { max(-1, min(1, $0)) * gain }) }
    let found = try health(of: signal)
    #expect((found.clipped ?? 0) > 0)
    let first = try #require(signal.channels[0].firstIndex { abs($0) >= 0.999 * gain })
    let place = try #require(found.faults.first { $0.kind == "clipping" && $0.channel == 1 })
    #expect(abs(place.startSeconds - Double(first) / 44_100) < 0.05)
  }

  @Test(arguments: [60, 500, 4000]) func `a dropout is found at its place`(length: Int) throws {
    var signal = music()
    let start = 200_123
    for channel in 0..<2 { for frame in start..<start + length { signal.channels[channel][frame] = 0 } }
    let found = try health(of: signal)
    #expect(found.dropouts == 1)
    #expect(abs(try #require(places(found, "dropout").first) - Double(start) / 44_100) < 0.001)
  }

  @Test func `a long gap is silence inside`() throws {
    var signal = music()
    for channel in 0..<2 { for frame in 200_123..<230_123 { signal.channels[channel][frame] = 0 } }
    let found = try health(of: signal)
    #expect(found.silences == 1)
    #expect(found.dropouts == 0)
  }

  /// The gap has no jumps, but the audio does not fade either.
  @Test func `a gap between zero crossings is found`() throws {
    var signal = music()
    let samples = signal.channels[0]
    signal.channels[1] = samples.map { $0 * 0.5 }
    func crossing(after place: Int) throws -> Int {
      try #require((place..<samples.count - 1).first { samples[$0] * samples[$0 + 1] <= 0 })
    }
    let (start, end) = (try crossing(after: 200_123) + 1, try crossing(after: 230_123) + 1)
    for channel in 0..<2 { for frame in start..<end { signal.channels[channel][frame] = 0 } }
    let found = try health(of: signal)
    #expect(found.silences == 1)
    #expect(abs(try #require(places(found, "silence").first) - Double(start) / 44_100) < 0.001)
  }

  /// The clipping level is the same for both signs, even if few peaks of one reach it.
  @Test func `single peaks at the level of clipping are clipped`() throws {
    var signal = music()
    let peak = signal.channels[0].map(abs).max() ?? 1
    signal = signal.scaled(by: 0.5 / peak)
    let most = signal.channels[0].max() ?? 0
    let (limit, first) = ((most * 0.8 * 32768).rounded() / 32768, 100_000)
    signal.channels[0] = rounded(signal.channels[0].map { max(-limit / 2, min(limit, $0)) })
    signal.channels[0][first] = -limit
    let found = try health(of: signal)
    #expect(found.faults.contains { $0.kind == "clipping" && abs($0.startSeconds - Double(first) / 44_100) < 0.001 })
  }

  @Test(arguments: [588, 1176, 4704]) func `a block that stands twice is found`(length: Int) throws {
    var signal = music()
    let start = 150_000
    signal.channels = signal.channels.map { samples in
      Array(samples[..<(start + length)] + samples[start..<start + length] + samples[(start + length)...])
    }
    let found = try health(of: signal)
    #expect(found.repeats == 1)
    #expect(abs(try #require(places(found, "repeat").first) - Double(start + length) / 44_100) < 0.001)
  }

  @Test func `a click is found in its channel`() throws {
    var signal = music()
    signal.channels[1][123_456] += 0.8
    let found = try health(of: signal)
    #expect(found.clicks == 1)
    #expect(found.faults.first?.channel == 2)
    #expect(abs(try #require(places(found, "click").first) - 123_456.0 / 44_100) < 0.001)
  }

  /// Next to cymbals, the click is not the loudest deviation from its neighbors.
  @Test func `a click is found under cymbals`() throws {
    let steady = Signal.noise(seed: 9, amplitude: 0.04, seconds: 12)
    var signal = music() + .channels([steady, steady])
    for frame in 200_000..<200_003 { signal.channels[0][frame] += 0.5 }
    let found = try health(of: signal)
    #expect(found.clicks == 1)
    #expect(abs(try #require(places(found, "click").first) - 200_000.0 / 44_100) < 0.001)
  }

  @Test func `channels that are dead, the same or inverted are told apart`() throws {
    let signal = music()
    let silence = [Float](repeating: 0, count: signal.frameCount)
    let (left, rate) = (signal.channels[0], signal.sampleRate)
    let dead = try health(of: Signal(sampleRate: rate, channels: [left, silence]))
    #expect(dead.deadChannel == 2)
    #expect(dead.worst == "dead_channel")
    let same = try health(of: Signal(sampleRate: rate, channels: [left, left]))
    #expect(same.isIdentical == true)
    #expect(same.deadChannel == nil)
    let inverted = try health(of: Signal(sampleRate: rate, channels: [left, left.map { -$0 }]))
    #expect(inverted.isInverted == true)
    #expect(inverted.isIdentical == false)
  }

  @Test func `an offset is found`() throws {
    var signal = music()
    signal.channels[0] = signal.channels[0].map { $0 * 0.5 + 0.02 }
    let found = try health(of: signal)
    #expect(found.hasOffset == true)
    #expect(found.faults.first { $0.kind == "dc_offset" }?.channel == 1)
  }

  @Test func `an offset that sways but never ceases is one`() throws {
    var signal = music(seconds: 24).scaled(by: 0.5)
    for frame in 0..<signal.frameCount {
      signal.channels[1][frame] += 0.018 + 0.01 * sin(2 * .pi * Float(frame) / 44_100 / 12)
    }
    let found = try health(of: signal)
    #expect(found.faults.first { $0.kind == "dc_offset" }?.channel == 2)
    for frame in 0..<signal.frameCount { signal.channels[1][frame] -= 0.012 }
    #expect(try health(of: signal).hasOffset == false)
  }

  @Test(arguments: [50.0, 60]) func `hum is found`(frequency: Double) throws {
    let signal = music(seconds: 20).scaled(by: 0.25)
    let hum = Signal(sampleRate: 44_100, seconds: 20) { time in
      0.01
        * (sin(2 * .pi * frequency * time) + 0.6 * sin(4 * .pi * frequency * time) + 0.4
          * sin(6 * .pi * frequency * time))
    }
    let found = try health(of: signal + .channels([hum, hum]))
    #expect(abs(try #require(found.hum) + 40) < 3)
  }

  @Test func `a file that begins and ends in the middle of the sound is cut`() throws {
    let signal = Signal.channels([Signal.chords(seed: 3, seconds: 12), Signal.chords(seed: 5, seconds: 12)])
    let inside = Signal(sampleRate: 44_100, channels: signal.channels.map { Array($0[22_500..<400_000]) })
    let found = try health(of: inside)
    #expect(found.isCutAtStart == true)
    let whole = try health(of: music())
    #expect(whole.isCutAtStart == false)
    #expect(whole.isCutAtEnd == false)
  }

  // MARK: Music that looks like damage

  /// Square waves are flat, and end and begin abruptly.
  @Test func `square waves with rests are music`() throws {
    let square = Signal(sampleRate: 44_100, seconds: 12) { time in
      let note = Int(time / 0.125)
      let age = time - Double(note) * 0.125
      if age > 0.1 || note % 7 == 0 { return 0 }
      return fmod(time * 110 * exp2(Double(note % 5) / 12), 1) < 0.5 ? 0.5 : -0.5
    }
    let found = try health(of: Signal.channels([square, square.scaled(by: 0.5)]))
    #expect(found.clipped == 0)
    #expect(found.dropouts == 0)
    #expect(found.clicks == 0)
    #expect(found.repeats == 0)
  }

  @Test func `hits of drums are no clicks`() throws {
    var signal = music()
    let hit = Signal.noise(seed: 4, amplitude: 0.5, seconds: 0.3)
    for start in stride(from: 30_000, to: 480_000, by: 22_050) {
      for frame in 0..<hit.frameCount {
        let value = hit.channels[0][frame] * exp(-Float(frame) / 2000)
        for channel in 0..<2 { signal.channels[channel][start + frame] += value }
      }
    }
    #expect(try health(of: signal).clicks == 0)
  }

  /// A note of 50 Hz that is played repeatedly begins with another phase each time, and ends.
  @Test func `bass notes of 50 Hz are no hum`() throws {
    let bass = Signal(sampleRate: 44_100, seconds: 24) { time in
      let note = Int(time / 0.75)
      let age = time - Double(note) * 0.75
      return 0.3 * exp(-2 * age) * (sin(2 * .pi * 50 * age + Double(note * note)) + 0.5 * sin(2 * .pi * 100 * age))
    }
    let whole = music(seconds: 24) + .channels([bass, bass])
    #expect(try health(of: whole).hum == nil)
  }

  /// The period of the loop is a fifth of a second, so it has a line every 5 Hz.
  @Test func `a loop is no hum`() throws {
    let loop = Signal(sampleRate: 44_100, seconds: 24) { time in
      let age = time.truncatingRemainder(dividingBy: 0.2)
      return 0.5 * exp(-30 * age) * sin(2 * .pi * 52 * age)
    }
    let whole = music(seconds: 24).scaled(by: 0.3) + .channels([loop, loop])
    #expect(try health(of: whole).hum == nil)
  }

  @Test func `noise in bursts is music`() throws {
    var signal = Signal.noise(seconds: 12)
    for frame in 0..<signal.frameCount where (frame / 11_025) % 2 == 1 { signal.channels[0][frame] = 0 }
    let found = try health(of: Signal.channels([signal, signal.scaled(by: 0.3)]))
    #expect(found.clicks == 0)
    #expect(found.dropouts == 0)
    #expect(found.clipped == 0)
  }

  /// Steady clicks in a rhythm are an instrument, and so are gaps that a gate cuts.
  @Test(arguments: [0.125, 0.25, 1]) func `clicks and gaps in a rhythm are music`(beat: Double) throws {
    let plain = music(seconds: 30)
    var (clicks, gates) = (plain, plain)
    for place in stride(from: beat, to: 29, by: beat) {
      let frame = Int(place * 44_100)
      for channel in 0..<2 {
        clicks.channels[channel][frame] += 0.4
        for gap in frame..<frame + 900 { gates.channels[channel][gap] = 0 }
      }
    }
    #expect(try health(of: clicks).clicks == 0)
    #expect(try health(of: gates).dropouts == 0)
  }

  /// Quiet music of few bits is zero for a while at each crossing.
  @Test func `coarse samples are no gaps`() throws {
    var random = SplitMix64.fresh()
    for level in [0.02, 0.05, 0.1, 0.5] as [Float] {
      var signal = music(seconds: 20, seed: random.next() % 1_000)
      let peak = signal.channels.joined().map(abs).max() ?? 1
      signal.channels = signal.channels.map { $0.map { ($0 * level / peak * 128).rounded() / 128 } }
      let found = try health(of: signal)
      #expect(found.dropouts == 0 && found.silences == 0, "\(level)")
    }
  }

  /// Two square waves that change in opposite directions at nearly the same time leave a pulse.
  @Test func `pulses of square waves are no clicks`() throws {
    var random = SplitMix64.fresh()
    let notes = (0..<3).map { _ in
      (0..<300).map { _ in 220 * pow(2, Double.random(in: -12...12, using: &random).rounded() / 12) }
    }
    var phases = [0.0, 0, 0]
    let signal = Signal(sampleRate: 44_100, seconds: 36) { time in
      var sum = 0.0
      for voice in 0..<3 {
        phases[voice] += notes[voice][Int(time / 0.125)] / 44_100
        sum += phases[voice].truncatingRemainder(dividingBy: 1) < 0.25 ? 0.2 : -0.2
      }
      return sum
    }
    let found = try health(of: .channels([signal, signal]))
    #expect((found.clicks ?? 0) <= 6)
  }

  // MARK: Many faults

  /// A file with more faults is never judged better.
  @Test(arguments: ["click", "dropout", "repeat"]) func `severity never falls as faults are added`(kind: String) throws
  {
    var random = SplitMix64.fresh()
    let plain = music(seconds: 60, seed: random.next() % 1_000)
    let places = (0..<1_000).map { _ in Int.random(in: 44_100..<plain.frameCount - 44_100, using: &random) }
    var (former, formerCount) = (0.0, 0)
    for count in [0, 1, 2, 4, 7, 10, 11, 13, 16, 20, 30, 60, 120, 300, 1_000] {
      var signal = plain
      for start in places.prefix(count).sorted(by: >) {
        for channel in 0..<2 {
          switch kind {
          case "click": signal.channels[channel][start] += start % 2 == 0 ? 0.5 : -0.5
          case "dropout":
            for frame in start..<start + 660 { signal.channels[channel][frame] = 0 }
          default:
            let block = Array(signal.channels[channel][start..<start + 588])
            signal.channels[channel].insert(contentsOf: block, at: start + 588)
          }
        }
      }
      let found = try health(of: signal)
      let severity = try #require(found.severity)
      #expect(severity >= former, "\(count) faults")
      let foundCount = [found.clicks, found.dropouts, found.repeats].compactMap(\.self).reduce(0, +)
      if count == 30 { #expect(foundCount >= 15 && severity > 0.5) }
      (former, formerCount) = (severity, foundCount)
    }
    #expect(formerCount > 100)
  }

  /// Up to 21 dB: beyond that, only a square wave is left.
  @Test func `severity never falls as clipping grows`() throws {
    var random = SplitMix64.fresh()
    for _ in 0..<3 {
      let plain = music(seconds: 30, seed: random.next() % 1_000)
      let peak = plain.channels.joined().map(abs).max() ?? 1
      var former = 0.0
      for decibels in stride(from: 0, through: 21, by: 3) {
        let louder = plain.scaled(by: Float(pow(10, Double(decibels) / 20)) / peak)
        let found = try health(of: Signal(sampleRate: 44_100, channels: louder.channels.map { rounded($0) }))
        let severity = try #require(found.severity)
        #expect(severity >= former, "\(decibels) dB")
        former = severity
      }
      #expect(former > 0.5)
    }
  }

  private static let kinds = [
    "none", "click", "dropout", "silence", "repeat", "dc_offset", "dead_channel", "inverted", "identical", "silent",
  ]

  private func insert(_ kind: String, into signal: inout Signal, at places: [Int]) {
    let all = signal.channels[0].indices
    for channel in 0..<2 {
      switch kind {
      case "dc_offset": for frame in all { signal.channels[channel][frame] += 0.05 }
      case "dead_channel" where channel == 0, "silent": for frame in all { signal.channels[channel][frame] = 0 }
      case "inverted" where channel == 1: signal.channels[1] = signal.channels[0].map { -$0 }
      case "identical": signal.channels[channel] = signal.channels[0]
      default: break
      }
      for place in places {
        switch kind {
        case "click": signal.channels[channel][place] += place % 2 == 0 ? 0.5 : -0.5
        case "dropout": for frame in place..<place + 660 { signal.channels[channel][frame] = 0 }
        case "silence": for frame in place..<place + 15_000 { signal.channels[channel][frame] = 0 }
        case "repeat":
          let block = Array(signal.channels[channel][place..<place + 588])
          signal.channels[channel].insert(contentsOf: block, at: place + 588)
        default: break
        }
      }
    }
  }

  /// The same faults 3 dB lower, and 100 ms earlier.
  @Test(arguments: kinds) func `level and place do not change the verdict`(kind: String) throws {
    struct Verdict: Equatable {
      var counts: [Int?]
      var clickCount: Int
      var flags: [Bool?]
      var deadChannel: Int?
      var worst: String?
      /// `true` if the worst fault depends on the place, so that any other one may be the next.
      var isMasked: Bool

      /// Cuts at the ends depend on the place. A chord may begin so abruptly that it is nearly a click.
      init(_ found: HealthFinding, clicks: [Double]) {
        counts = [found.clipped, found.dropouts, found.silences, found.repeats]
        clickCount = clicks.count { click in places(found, "click").contains { abs($0 - click) < 0.001 } }
        flags = [found.hasOffset, found.isInverted, found.isIdentical]
        deadChannel = found.deadChannel
        // The weight of equal channels is below that of a cut.
        let isOfPlace = ["cut_start", "cut_end", "identical"] + (clicks.isEmpty ? ["click"] : [])
        isMasked = found.worst.map(isOfPlace.contains) ?? false
        worst = isMasked ? nil : found.worst
      }

      static func == (one: Verdict, other: Verdict) -> Bool {
        one.counts == other.counts && one.clickCount == other.clickCount && one.flags == other.flags
          && one.deadChannel == other.deadChannel
          && (one.isMasked || other.isMasked || one.worst == other.worst)
      }
    }
    var random = SplitMix64.fresh()
    for _ in 0..<4 {
      var signal = music(seconds: 20, seed: random.next() % 1_000)
      let count = Int.random(in: 1...3, using: &random)
      let places = (0..<count).map { 88_200 + 220_500 * $0 + Int.random(in: 0..<100_000, using: &random) }
      insert(kind, into: &signal, at: places.reversed())
      signal.channels = signal.channels.map { rounded($0) }
      let clicks = kind == "click" ? places.map { Double($0) / 44_100 } : []
      let verdict = Verdict(try health(of: signal), clicks: clicks)
      #expect(["none", "identical"].contains(kind) || verdict.isMasked || verdict.worst == kind)
      let quieter = signal.scaled(by: 0.708)
      let earlier = Signal(sampleRate: 44_100, channels: signal.channels.map { Array($0.dropFirst(4_410)) })
      for (name, changed, shift) in [("-3 dB", quieter, 0), ("100 ms", earlier, 0.1)] {
        let same = Signal(sampleRate: 44_100, channels: changed.channels.map { rounded($0) })
        let other = Verdict(try health(of: same), clicks: clicks.map { $0 - shift })
        #expect(other == verdict, "\(name): \(other), not \(verdict)")
      }
    }
  }

  @Test func `a file without any sound is told`() throws {
    var random = SplitMix64.fresh()
    for channels in 1...2 {
      var signal = Signal(
        sampleRate: 44_100, channels: Array(repeating: [Float](repeating: 0, count: 100_000), count: channels))
      #expect(try health(of: signal).worst == "silent")
      // Dither.
      for frame in 0..<100_000 {
        signal.channels[0][frame] = Float.random(in: -1...1, using: &random).rounded() / 32768
      }
      let found = try health(of: signal)
      #expect(found.worst == "silent" && found.faults.count == 1 && found.text == "nothing but silence")
    }
  }

  // MARK: Robustness

  @Test(arguments: [1, 17, 441, 5000, 100_000]) func `blocks of any length give the same`(cut: Int) throws {
    var signal = music(seconds: 3)
    signal.channels[0][50_000] += 0.5
    for channel in 0..<2 { for frame in 90_000..<90_600 { signal.channels[channel][frame] = 0 } }
    #expect(try health(of: signal, cut: cut) == health(of: signal))
  }

  @Test func `what is too short is not judged`() throws {
    let found = try health(of: Signal.noise(seconds: 0.2))
    #expect(found.reason == "too_short")
    #expect(found.worst == nil)
  }

  @Test func `samples that are no numbers do no harm`() throws {
    var signal = music(seconds: 2)
    signal.channels[0][10_000] = .nan
    signal.channels[1][20_000] = .infinity
    signal.channels[1][20_001] = -.greatestFiniteMagnitude
    let found = try health(of: signal)
    #expect(found.faults.allSatisfy { $0.strength.isFinite && $0.startSeconds.isFinite })
  }
}
