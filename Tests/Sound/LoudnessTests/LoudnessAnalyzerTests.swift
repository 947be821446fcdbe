import Analysis
import AnalysisTesting
import CEBUR128
import DSP
import Foundation
import SystemPackage
import Testing

@testable import BuiltInAnalyzers

@Suite(.bounded) struct LoudnessAnalyzerTests {
  /// Runs a session over planar spans of the given lengths, repeated in turn.
  static func loudness(of signal: Signal, mask: UInt64 = 0, cut lengths: [Int] = [16_384]) throws -> LoudnessFinding {
    let format = AudioFormat(
      container: "wav", codec: "pcm_float", sampleRate: signal.sampleRate, channelCount: signal.channelCount,
      isLossless: true)
    var session = try LoudnessAnalyzer(NoConfiguration())
      .makeSession(for: AudioFile(path: "/signal.wav", format: format, channelMask: mask))
    var start = 0
    var turn = 0
    while start < signal.frameCount {
      let end = min(start + lengths[turn % lengths.count], signal.frameCount)
      let planar = signal.channels.flatMap { $0[start..<end] }
      try session.consume(planar.span, at: Int64(start))
      start = end
      turn += 1
    }
    return try session.finish()
  }

  private static func sine(
    _ decibels: Double, _ frequency: Double = 997, rate: Int = 16_000, seconds: Double = 0.6
  ) -> Signal {
    let amplitude = pow(10, decibels / 20)
    return Signal(sampleRate: rate, seconds: seconds) { time in
      // Abrupt ends would have higher peaks.
      let fade = min(1, 200 * time, 200 * (seconds - time))
      return amplitude * fade * sin(2 * .pi * frequency * time)
    }
  }

  private static func silence(like signal: Signal) -> Signal { signal.scaled(by: 0) }

  // MARK: Loudness

  /// ITU-R BS.1770-5: 997 Hz at full scale in one of the front channels is -3.01 LUFS.
  @Test(arguments: [8_000, 11_025, 22_050, 44_100, 48_000, 96_000, 192_000])
  func aSineIsAsLoudAsTheStandardSays(rate: Int) throws {
    let found = try Self.loudness(of: Self.sine(-20, rate: rate))
    #expect(abs(try #require(found.integrated) + 23.01) < 0.1)
    #expect(abs(try #require(found.maxMomentary) + 23.01) < 0.05)
    #expect(abs(try #require(found.truePeak) + 20) < 0.05)
    #expect(abs(try #require(found.trackGain) - 5.01) < 0.05)
    #expect(abs(try #require(found.trackPeak) - 0.1) < 0.001)
    #expect(found.reason == nil)
  }

  @Test func channelsAreAddedByPower() throws {
    let sine = Self.sine(-20)
    let opposite = sine.scaled(by: -1)
    #expect(abs(try #require(try Self.loudness(of: .channels([sine, opposite])).integrated) + 20) < 0.1)
    let left = Signal.channels([sine, Self.silence(like: sine)])
    #expect(abs(try #require(try Self.loudness(of: left).integrated) + 23.01) < 0.1)
  }

  /// 5.1 in WAVE order, with and without a mask; 5.1 with side speakers; 7.1.
  @Test(arguments: [
    (mask: 0x3f as UInt64, roles: "fffess"), (mask: 0, roles: "fffess"), (mask: 0x60f, roles: "fffess"),
    (mask: 0x37, roles: "fffss"), (mask: 0x63f, roles: "fffeffss"), (mask: 0x107, roles: "ffff"),
    (mask: 0x3, roles: "fff"),
  ])
  func channelsCountByTheirPlace(mask: UInt64, roles: String) {
    let found = ChannelRole.roles(channelCount: roles.count, mask: mask).map { role in
      switch role {
      case .front: "f"
      case .surround: "s"
      case .lowFrequency: "e"
      }
    }
    #expect(found.joined() == roles)
  }

  @Test func surroundsCountMoreAndLowFrequenciesNothing() throws {
    let sine = Self.sine(-20)
    for (channel, expected) in [(0, -23.01), (3, nil), (4, -21.52)] {
      let channels = (0..<6).map { $0 == channel ? sine : Self.silence(like: sine) }
      let found = try Self.loudness(of: .channels(channels), mask: 0x3f)
      if let expected {
        #expect(abs(try #require(found.integrated) - expected) < 0.1)
      } else {
        #expect(found.integrated == nil && found.reason == "below_gate")
      }
      #expect(abs(try #require(found.truePeak) + 20) < 0.05)
    }
  }

  /// EBU Tech 3341, case 5, in mono: the quiet parts are below the relative gate.
  @Test func quietPartsAreGated() throws {
    var signal = Self.sine(-36, rate: 8_000, seconds: 10)
    signal.channels[0] += Self.sine(-20, rate: 8_000, seconds: 20).channels[0]
    signal.channels[0] += Self.sine(-36, rate: 8_000, seconds: 10).channels[0]
    #expect(abs(try #require(try Self.loudness(of: signal).integrated) + 23.01) < 0.15)
  }

  /// EBU Tech 3342, case 1: 20 s each at two levels.
  @Test func theRangeIsThatBetweenLevels() throws {
    var signal = Self.sine(-20, rate: 8_000, seconds: 20)
    signal.channels[0] += Self.sine(-30, rate: 8_000, seconds: 20).channels[0]
    let found = try Self.loudness(of: signal)
    #expect(abs(try #require(found.range) - 10) < 0.2)
    #expect(abs(try #require(found.maxShortTerm) + 23.01) < 0.05)
  }

  @Test func aBurstOfOneBlockIsFoundWhereverItLies() throws {
    for offset in stride(from: 0.0, to: 0.1, by: 0.013) {
      let burst = Signal(sampleRate: 8_000, seconds: 1.5) { time in
        (0.5 + offset..<0.9 + offset).contains(time) ? 0.1 * sin(2 * .pi * 997 * time) : 0
      }
      #expect(abs(try #require(try Self.loudness(of: burst).maxMomentary) + 23.01) < 0.12)
    }
  }

  // MARK: No loudness

  @Test func whatHasNoLoudnessHasAReason() throws {
    let short = try Self.loudness(of: Self.sine(-20, seconds: 0.39))
    #expect(short.integrated == nil && short.trackGain == nil && short.reason == "too_short")
    #expect(abs(try #require(short.truePeak) + 20) < 0.05)
    let none = try Self.loudness(of: Self.sine(-20, seconds: 0))
    #expect(none == LoudnessFinding(reason: "too_short"))
    let silent = try Self.loudness(of: .silence(seconds: 4))
    #expect(silent == LoudnessFinding(reason: "silence"))
    let faint = try Self.loudness(of: Self.sine(-80))
    #expect(faint.integrated == nil && faint.maxMomentary == nil && faint.range == nil)
    #expect(faint.reason == "below_gate" && faint.samplePeak != nil)
    let slow = try Self.loudness(of: .sine(100, sampleRate: 2_000, seconds: 4))
    #expect(slow.integrated == nil && slow.reason == "low_sample_rate" && slow.truePeak != nil)
  }

  @Test func lessThanThreeSecondsHaveNoRange() throws {
    let found = try Self.loudness(of: Self.sine(-20, rate: 8_000, seconds: 2.9))
    #expect(found.integrated != nil && found.range == nil && found.maxShortTerm == nil)
  }

  @Test func samplesThatAreNotNumbersLeaveAFindingOfNumbers() throws {
    for bad in [Float.nan, .infinity, .greatestFiniteMagnitude] {
      var signal = Signal.channels([Self.sine(-20), Self.sine(-20)])
      signal.channels[1][1_000] = bad
      let found = try Self.loudness(of: signal)
      let numbers = [found.integrated, found.range, found.maxMomentary, found.samplePeak, found.truePeak]
      #expect(numbers.allSatisfy { $0?.isFinite ?? true })
    }
  }

  // MARK: Properties

  @Test func aGainMovesAllThatIsInDecibels() throws {
    let quiet = try Self.loudness(of: .chords(sampleRate: 11_025, seconds: 6).scaled(by: 0.25))
    let loud = try Self.loudness(of: .chords(sampleRate: 11_025, seconds: 6).scaled(by: 4))
    let gain = 20 * log10(16.0)
    #expect(abs(loud.integrated! - quiet.integrated! - gain) < 0.03)
    #expect(abs(loud.maxMomentary! - quiet.maxMomentary! - gain) < 0.02)
    #expect(abs(loud.truePeak! - quiet.truePeak! - gain) < 0.02)
    #expect(abs(loud.range! - quiet.range!) < 0.05)
    #expect(loud.truePeak! > 0 && loud.trackPeak! > 1, "nothing is clipped")
  }

  @Test(arguments: [1, 2, 3, 6]) func resultsDoNotDependOnCuts(channelCount: Int) throws {
    let signal = Signal.channels((0..<channelCount).map { .chords(seed: UInt64($0), sampleRate: 11_025, seconds: 4) })
    let whole = try Self.loudness(of: signal, cut: [.max])
    for cut in [[16_384], [1, 7, 220, 221, 5_000], [31, 32, 33]] {
      #expect(try Self.loudness(of: signal, cut: cut) == whole)
    }
  }

  // MARK: Peaks

  /// A sine at a quarter of the rate, sampled at 45° throughout: the samples miss 3 dB.
  @Test(arguments: [44_100, 48_000, 96_000]) func peaksBetweenSamplesAreFound(rate: Int) throws {
    let signal = Signal(sampleRate: rate, seconds: 0.2) { time in
      let fade = sin(.pi * min(1, 5 * time))
      return 0.5 * fade * sin(.pi / 2 * Double(rate) * time + .pi / 4)
    }
    let found = try Self.loudness(of: signal)
    #expect(abs(found.samplePeak! + 9.03) < 0.01)
    #expect(abs(found.truePeak! + 6.02) < 0.05)
  }

  /// Values that are not computed could not have been peaks.
  @Test(arguments: 1...8) func boundsLeaveNothingOut(seed: UInt64) throws {
    let kinds: [Signal] = [
      .noise(seed: seed, seconds: 0.1), .chords(seed: seed, seconds: 0.1), .chirp(from: 100, to: 20_000, seconds: 0.1),
    ]
    var signal = kinds[Int(seed) % kinds.count]
    // Loud masters are clipped.
    if seed % 2 == 0 { signal.channels[0] = signal.channels[0].map { max(-0.2, min(0.2, $0)) } }
    let channel = signal.channels[0]
    var peak = TruePeak(channelCount: 1)
    peak.push(channel.span, channel: 0)
    peak.finish()

    let interpolator = TruePeak.Interpolator.standard
    let margin = [Float](repeating: 0, count: interpolator.taps - 1)
    let samples = margin + channel + margin
    var expected: Float = 0
    samples.withUnsafeBufferPointer { samples in
      for start in 0...samples.count - interpolator.taps {
        let points = interpolator.points(of: samples.baseAddress! + start)
        expected = max(expected, max(points.max(), -points.min()))
      }
    }
    #expect(peak.peak == expected)
  }

  /// Blocks shorter than the interpolator's taps, of equal length, and longer.
  @Test(arguments: [1, 7, 22, 23, 24, 31, 33, 1_000]) func blocksDoNotChangePeaks(blockLength: Int) {
    let channels = (1...2).map { Signal.noise(seed: $0, seconds: 0.05).channels[0] }
    func peaks(_ length: Int) -> TruePeak {
      var peak = TruePeak(channelCount: 2)
      for start in stride(from: 0, to: channels[0].count, by: length) {
        for (index, channel) in channels.enumerated() {
          peak.push(channel.span.extracting(start..<min(start + length, channel.count)), channel: index)
        }
      }
      peak.finish()
      return peak
    }
    let (whole, parts) = (peaks(channels[0].count), peaks(blockLength))
    #expect(parts.peak == whole.peak)
    #expect(parts.samplePeak == whole.samplePeak)
  }

  // MARK: Filter

  /// BS.1770-5, annex 1, tables 1 and 2.
  @Test func theFilterIsThatOfTheStandard() {
    let filter = KFilter(sampleRate: 48_000)
    let found = [filter.shelf, filter.highPass].flatMap { [$0.b0, $0.b1, $0.b2, $0.a1, $0.a2] }
    let table = [
      1.53512485958697, -2.69169618940638, 1.19839281085285, -1.69065929318241, 0.73248077421585,
      1, -2, 1, -1.99004745483398, 0.99007225036621,
    ]
    for (found, expected) in zip(found, table) { #expect(abs(found - expected) < 1e-13) }
  }

  @Test func silenceAndBrokenSamplesLeaveNoTrace() {
    var power = KWeightedPower(sampleRate: 48_000, roles: [.front, .front, .front])
    func mean(of sample: Float, inChannel channel: Int) -> Double {
      var values = [Float](repeating: 0, count: 3 * 480)
      values[channel * 480] = sample
      power.push(values.span, 0..<480, stride: 480)
      return power.takeMean()
    }
    #expect(mean(of: 1, inChannel: 0) > 0)
    #expect(mean(of: 0, inChannel: 0) > 0, "the filter rings")
    for _ in 0..<500 { _ = mean(of: 0, inChannel: 0) }
    #expect(mean(of: 0, inChannel: 0) == 0, "and ends")
    #expect(mean(of: .nan, inChannel: 2) == 0)
    #expect(mean(of: 0, inChannel: 2) == 0)
    #expect(mean(of: 1, inChannel: 2) > 0)
  }

  // MARK: libebur128

  @Test(arguments: [
    (rate: 8_000, roles: [ChannelRole.front]), (rate: 44_100, roles: [.front, .front]),
    (rate: 48_000, roles: [.front, .front, .front, .lowFrequency, .surround, .surround]),
    (rate: 192_000, roles: [.front, .surround]),
  ])
  func eachStepHasThePowerThatTheLibrarySays(rate: Int, roles: [ChannelRole]) throws {
    let signal = Signal.channels(
      roles.indices.map {
        .chords(seed: UInt64($0), sampleRate: rate, seconds: 1) + .noise(amplitude: 0.1, sampleRate: rate, seconds: 1)
      })
    var state = ebur128_init(CUnsignedInt(roles.count), CUnsignedLong(rate), CInt(EBUR128_MODE_M.rawValue))
    defer { ebur128_destroy(&state) }
    for (index, role) in roles.enumerated() {
      let channel =
        switch role {
        case .front: EBUR128_CENTER
        case .surround: EBUR128_LEFT_SURROUND
        case .lowFrequency: EBUR128_UNUSED
        }
      _ = ebur128_set_channel(state, CUnsignedInt(index), CInt(channel.rawValue))
    }
    var power = KWeightedPower(sampleRate: rate, roles: roles)
    let step = rate / 100
    for start in stride(from: 0, to: signal.frameCount, by: step) {
      let planar = signal.channels.flatMap { $0[start..<start + step] }
      power.push(planar.span, 0..<step, stride: step)
      let interleaved = (0..<step).flatMap { frame in roles.indices.map { planar[$0 * step + frame] } }
      #expect(ebur128_add_frames_float(state, interleaved, step) == EBUR128_SUCCESS.rawValue)
      var expected = 0.0
      #expect(ebur128_loudness_window(state, 10, &expected) == EBUR128_SUCCESS.rawValue)
      #expect(abs(LoudnessHistogram.loudness(ofPower: power.takeMean()) - expected) < 1e-6)
    }
  }

  /// All measures of libebur128 for the same samples.
  @Test(arguments: [22_050, 48_000]) func gatesAndPeaksAgreeWithTheLibrary(rate: Int) throws {
    let signal = Signal.channels([
      .chords(seed: 5, sampleRate: rate, seconds: 8),
      .chords(seed: 6, sampleRate: rate, seconds: 8) + .noise(amplitude: 0.02, sampleRate: rate, seconds: 8),
    ])
    let mode = EBUR128_MODE_I.rawValue | EBUR128_MODE_LRA.rawValue | EBUR128_MODE_TRUE_PEAK.rawValue
    var state = ebur128_init(2, CUnsignedLong(rate), CInt(mode))
    defer { ebur128_destroy(&state) }
    let interleaved = (0..<signal.frameCount).flatMap { [signal.channels[0][$0], signal.channels[1][$0]] }
    #expect(ebur128_add_frames_float(state, interleaved, signal.frameCount) == EBUR128_SUCCESS.rawValue)
    var integrated = 0.0
    var range = 0.0
    var first = 0.0
    var second = 0.0
    _ = ebur128_loudness_global(state, &integrated)
    _ = ebur128_loudness_range(state, &range)
    _ = ebur128_true_peak(state, 0, &first)
    _ = ebur128_true_peak(state, 1, &second)

    let found = try Self.loudness(of: signal)
    #expect(abs(found.integrated! - integrated) < 0.03)
    #expect(abs(found.range! - range) < 0.5)
    #expect(abs(found.truePeak! - 20 * log10(max(first, second))) < 0.15)
  }

  // MARK: Golden

  /// Values of version 2. If they change, the version must be raised.
  @Test func theGoldenSignalIsAsLoudAsEver() throws {
    let golden = Signal.golden(sampleRate: 22_050, seconds: 8)
    let found = try Self.loudness(of: .channels([golden, golden.scaled(by: 0.5)]))
    #expect(LoudnessAnalyzer.version == 2)
    #expect([found.integrated, found.range] == [-18.14, 0.2])
    #expect([found.maxMomentary, found.maxShortTerm] == [-17.52, -18])
    #expect([found.samplePeak, found.truePeak] == [-3.37, -3.17])
  }
}
