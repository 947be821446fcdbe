import Analysis
import AnalysisTesting
import DSP
import Glibc
import SystemPackage
import Testing

@testable import Tempo

/// Signals with exactly known tempo and beats.
@Suite(.bounded) struct ClickTests {
  /// If there are only clicks, their rate is the tempo, octave included.
  @Test(arguments: [40.0, 50, 60, 77, 93.5, 110, 120, 128, 140.3, 174, 200, 240])
  func plain(bpm: Double) throws {
    let truth = pulse(bpm, seconds: 15)
    let finding = try analyze(signal(seconds: 15, [(.click, truth)]))
    let found = try #require(finding.bpm)
    #expect(abs(found - bpm) <= 0.1, "\(found)")
    #expect(finding.isStable)
    #expect(finding.map == [TempoFinding.Section(startSeconds: 0, bpm: found)])
    #expect(agreement(finding.beats, truth, within: 0.02) > 0.9)
  }

  @Test(arguments: [72.0, 120, 168], [3, 4])
  func accented(bpm: Double, beats: Int) throws {
    let all = pulse(bpm, seconds: 15)
    let accents = stride(from: 0, to: all.count, by: beats).map { all[$0] }
    let finding = try analyze(signal(seconds: 15, [(.click, all), (.click, accents)]))
    #expect(abs((finding.bpm ?? 0) - bpm) <= 0.1)
  }

  @Test(arguments: [60.0, 120, 200])
  func withJitter(bpm: Double) throws {
    var random = Randomness(5)
    let truth = pulse(bpm, seconds: 20)
    let moved = truth.map { $0 + 0.01 * Double(random.next()) }
    let finding = try analyze(signal(seconds: 20, [(.click, moved)]))
    #expect(abs((finding.bpm ?? 0) - bpm) <= 0.3)
    #expect(agreement(finding.beats, truth, within: 0.04) > 0.9)
  }

  @Test(arguments: [60.0, 120, 200])
  func inNoise(bpm: Double) throws {
    let clicks = signal(seconds: 15, [(.click, pulse(bpm, seconds: 15))])
    let finding = try analyze(zip(clicks, noise(seconds: 15, level: 0.003)).map { $0 + $1 })
    #expect(abs((finding.bpm ?? 0) - bpm) <= 0.1)
  }

  @Test(arguments: [60.0, 120, 200])
  func withDropOut(bpm: Double) throws {
    let truth = pulse(bpm, seconds: 20)
    let finding = try analyze(signal(seconds: 20, [(.click, truth.filter { $0 < 8 || $0 > 10.5 })]))
    #expect(abs((finding.bpm ?? 0) - bpm) <= 0.1)
    #expect(agreement(finding.beats, truth, within: 0.02) > 0.9)
  }

  /// A kick on the beat with hits that divide two beats by three, or three by four: the tempo is that of one of the two
  /// voices, and exact.
  @Test(arguments: [(90.0, 1.5), (100.0, 4 / 3.0), (120.0, 1.5)])
  func polyrhythm(bpm: Double, over: Double) throws {
    let finding = try analyze(
      signal(
        seconds: 20,
        [(.kick, pulse(bpm, seconds: 20)), (.hat, pulse(bpm * over, seconds: 20))]))
    let found = try #require(finding.bpm)
    let voices = [bpm, bpm * over, bpm / 2, bpm * over / 2, bpm * 2, bpm / 3, bpm / 4]
    #expect(voices.contains { abs(found - $0) <= 0.1 }, "\(found)")
    #expect(finding.candidates.contains { abs($0.bpm / bpm - 1) < 0.01 })
  }
}

@Suite(.bounded) struct FeelTests {
  @Test(arguments: [96.0, 120, 138])
  func swing(bpm: Double) throws {
    let place = 2 / 3.0
    let seconds = 16.0
    let finding = try analyze(
      signal(
        seconds: seconds,
        [
          (.kick, pulse(bpm, seconds: seconds, every: 2)), (.snare, pulse(bpm, seconds: seconds, every: 2, offset: 1)),
          (.hat, pulse(bpm, seconds: seconds)), (.hat, pulse(bpm, seconds: seconds, offset: place)),
        ]))
    #expect(abs((finding.bpm ?? 0) - bpm) <= 0.1)
    #expect(agreement(finding.beats, pulse(bpm, seconds: seconds), within: 0.03) > 0.9)
  }

  /// Kick on one, snare on two and three.
  @Test(arguments: [96.0, 120, 144])
  func waltz(bpm: Double) throws {
    let seconds = 24.0
    let finding = try analyze(
      signal(
        seconds: seconds,
        [
          (.kick, pulse(bpm, seconds: seconds, every: 3)), (.snare, pulse(bpm, seconds: seconds, every: 3, offset: 1)),
          (.snare, pulse(bpm, seconds: seconds, every: 3, offset: 2)),
        ]))
    #expect(abs((finding.bpm ?? 0) - bpm) <= 0.1)
    #expect(finding.metre != "4/4")
    if let downbeats = finding.downbeats {
      #expect(agreement(downbeats, pulse(bpm, seconds: seconds, every: 3), within: 0.03) > 0.85)
    }
  }
}

@Suite(.bounded) struct BarReadingTests {
  private func accents(
    _ pattern: [OnsetEnvelopes.Lanes], bars: Int, startingWith first: Int = 0, newChords: Bool = true
  ) -> BeatAccents {
    var random = Randomness(11)
    let beats = (0..<(bars * pattern.count)).map { beat in
      let wobble = OnsetEnvelopes.Lanes(repeating: 0.05 * random.next())
      return pattern[(beat + first) % pattern.count] + wobble
    }
    // A new chord on one.
    let novelty = beats.indices.map { ($0 + first) % pattern.count == 0 ? SIMD4<Float>(1, 1, 0.3, 0) : .zero }
    return BeatAccents(values: beats, novelty: newChords ? novelty : [])
  }

  /// Kick, cymbal and a new chord on one, a snare on two and four, a kick on three.
  private let four: [OnsetEnvelopes.Lanes] = [
    .init(0.9, 0.5, 0.2, 0.6, 0.2, 0.6, 0.95, 0.6), .init(0.1, 0.4, 0.6, 0.7, 0.6, 0.6, 0.1, 0.6),
    .init(0.6, 0.5, 0.2, 0.1, 0.2, 0.4, 0.2, 0.6), .init(0.1, 0.4, 0.6, 0.7, 0.6, 0.6, 0.1, 0.6),
  ]

  /// Output of a network that favors downbeats slightly over the other beats.
  private func heard(_ beatsOfBar: Int, bars: Int, startingWith first: Int = 0) -> [Float] {
    (0..<(bars * beatsOfBar)).map { ($0 + first) % beatsOfBar == 0 ? -1 : -2 }
  }

  @Test(arguments: 0..<4)
  func barsOfFour(first: Int) {
    let reading = BarReading(
      accents(four, bars: 16, startingWith: first), downbeats: heard(4, bars: 16, startingWith: first), bpm: 120)
    #expect(reading?.beatCount == 4)
    #expect(reading?.firstDownbeat == (4 - first) % 4)
  }

  @Test(arguments: 0..<3)
  func barsOfThree(first: Int) {
    let reading = BarReading(
      accents([four[0], four[1], four[1]], bars: 20, startingWith: first),
      downbeats: heard(3, bars: 20, startingWith: first), bpm: 120)
    #expect(reading?.beatCount == 3)
    #expect(reading?.firstDownbeat == (3 - first) % 3)
  }

  /// The network alone decides if the accents are uniform, but not if both contradict each other.
  @Test func networkAndSoundAreBothWeighed() {
    let like = accents([four[0]], bars: 64, newChords: false)
    let sure = heard(4, bars: 16).map { 3 * $0 }
    #expect(BarReading(like, downbeats: sure, bpm: 120)?.beatCount == 4)
    let three = accents([four[0], four[1], four[1]], bars: 20, newChords: false)
    #expect(BarReading(three, downbeats: heard(4, bars: 15), bpm: 120)?.firstDownbeat == nil)
  }

  /// Slow beats in thirds are dotted. Bars of two are given where only every other beat begins one.
  @Test func metresInEighths() {
    let clear = (accents: accents(four, bars: 16), downbeats: heard(4, bars: 16))
    let three = (accents: accents([four[0], four[1], four[1]], bars: 20), downbeats: heard(3, bars: 20))
    let two = (accents: accents([four[0], four[1]], bars: 32), downbeats: heard(2, bars: 32))
    for (bars, metre, first) in [(clear, "12/8", 0), (three, "9/8", 0), (two, "6/8", 0)] {
      let reading = BarReading(bars.accents, downbeats: bars.downbeats, bpm: 66, hasThirds: true)
      #expect(reading?.metre == metre && reading?.firstDownbeat == first, "\(String(describing: reading)) for \(metre)")
    }
    #expect(BarReading(clear.accents, downbeats: clear.downbeats, bpm: 120, hasThirds: true)?.metre == "4/4")
    #expect(BarReading(three.accents, downbeats: three.downbeats, bpm: 66)?.metre == "3/4")
  }

  /// Onset strengths by position within a beat.
  @Test(
    arguments: [
      ([0: 1, 1.0 / 3: 0.4, 2.0 / 3: 0.5], true), ([0: 1, 0.5: 0.6], false), ([0: 1, 2.0 / 3: 0.5], false),
      ([0: 1, 0.25: 0.4, 0.5: 0.5, 0.75: 0.4], false), ([0: 1, 1.0 / 3: 0.3, 0.5: 0.5, 2.0 / 3: 0.3], false),
      ([0: 1], false),
    ] as [([Double: Float], Bool)])
  func thirdsOfBeats(strokes: [Double: Float], hasThirds: Bool) {
    for period in [72.0, 100.3, 130] {
      let beats = (0..<24).map { 10 + period * Double($0) }
      var envelope = [OnsetEnvelopes.Lanes](repeating: .init(repeating: 0.02), count: Int(beats[23] + period))
      for beat in beats {
        for (share, strength) in strokes {
          envelope[Int((beat + share * period).rounded())] = .init(repeating: strength)
        }
      }
      #expect(BarProfile(envelope, over: BeatGrid(beats: beats)).hasThirds == hasThirds, "\(strokes), \(period)")
    }
  }

  @Test func equalBeatsHaveNoBars() {
    #expect(
      BarReading(accents([four[0]], bars: 64, newChords: false), downbeats: .init(repeating: -2, count: 64), bpm: 120)
        == nil)
  }

  @Test func fewBeatsHaveNoBars() {
    #expect(BarReading(accents(four, bars: 3), downbeats: heard(4, bars: 3), bpm: 120) == nil)
  }
}

@Suite(.bounded) struct MixTests {
  /// Tracks in sequence with crossfades, as in a DJ mix.
  private func mix(_ tempi: [Double], each seconds: Double, fade: Double = 4) -> (signal: [Float], changes: [Double]) {
    var sum: [Float] = []
    var changes: [Double] = []
    let overlap = Int(fade * sampleRate)
    for (index, bpm) in tempi.enumerated() {
      let track = rockBeat(bpm, seconds: seconds, start: 0.05 + 0.1 * Double(index))
      guard !sum.isEmpty else {
        sum = track
        continue
      }
      let start = sum.count - overlap
      for offset in 0..<overlap {
        let share = Float(offset) / Float(overlap)
        sum[start + offset] = (1 - share) * sum[start + offset] + share * track[offset]
      }
      sum.append(contentsOf: track[overlap...])
      changes.append(Double(start + overlap / 2) / sampleRate)
    }
    return (sum, changes)
  }

  @Test func everyTrackOfAMixIsInTheMap() throws {
    let tempi = [124.0, 140, 104, 127]
    let (music, changes) = mix(tempi, each: 45)
    let finding = try analyze(music)
    #expect(!finding.isStable)
    #expect(finding.map.map { $0.bpm.rounded() } == tempi)
    for (section, change) in zip(finding.map.dropFirst(), changes) { #expect(abs(section.startSeconds - change) < 10) }
  }

  @Test func oneTempoIsNotSplit() throws {
    let envelope = PulseSurvey.combined(OnsetEnvelopes(bands(of: rockBeat(126, seconds: 90))))
    #expect(TempoChanges(envelope).columns.isEmpty)
  }

  /// A session's memory does not grow with the length of a mix, and it finds changes even where stretches meet.
  @Test func aLongMixIsFollowedInBoundedMemory() throws {
    let tempi = [126.0, 140, 126, 140]
    let tracks = tempi[..<2].map { columns(of: rockBeat($0, seconds: 60, start: 0)) }
    let analyzer = try TempoAnalyzer(TempoAnalyzer.Configuration())
    var session = try analyzer.makeSession(for: AudioFile(path: "mix"))
    var most = 0
    for minute in 0..<16 {
      // The track changes every four minutes.
      for column in tracks[minute / 4 % 2].prefix(6014) { try session.consume(column.span, at: 0) }
      most = max(most, session.keptColumns)
    }
    let finding = try session.finish()
    #expect(Double(most) <= 1.5 * TempoAnalyzer.Session.stretchSeconds * OnsetEnvelopes.columnsPerSecond)
    #expect(finding.map.map { $0.bpm.rounded() } == tempi)
    for (index, section) in finding.map.enumerated() { #expect(abs(section.startSeconds - 240 * Double(index)) < 10) }
  }
}

@Suite(.bounded) struct GridWeightsTests {
  @Test func everyFeatureHasItsWeightAndEveryWeightItsFeature() throws {
    let names = GridFeatures.names
    #expect(Set(names).count == names.count)
    #expect(Set(TempoResources.gridWeights.names) == Set(names + ["bias", "output"]))
    let survey = PulseSurvey(OnsetEnvelopes(bands(of: rockBeat(120, seconds: 12))))
    let best = try #require(survey.hypotheses(isWholeFile: false).first)
    #expect(best.features.count == names.count)
  }

  private static func table(_ text: String) -> NumberTable {
    Array(text.utf8).withUnsafeBytes { NumberTable($0) }
  }

  /// A feature was added after the last fit.
  @Test func weightsFindTheirFeaturesByName() {
    let weights = GridWeights(
      Self.table(
        "# feature\thidden_1\thidden_2\tlinear\nold\t9\t9\t9\nb\t3\t4\t-0.5\na\t1\t2\t7\nbias\t5\t6\noutput\t8\t-9\n"),
      for: ["a", "new", "b"])
    #expect(weights.linear == [7, 0, -0.5])
    #expect(weights.hidden == [1, 0, 3, 2, 0, 4])
    #expect(weights.bias == [5, 6])
    #expect(weights.output == [8, -9])
  }

  @Test func namesMatchTheirValues() throws {
    let onsets = OnsetEnvelopes(bands(of: rockBeat(120, seconds: 12)))
    let constant = PulseSurvey(onsets).constant(120)
    let smoothed = GridFeatures.smoothed(constant.profile, bpm: 120)
    let phase = try #require(GridFeatures.phases(of: smoothed, limit: 1).first)
    let activation = BeatActivation(onsets.networkInput)
    let features = GridFeatures.values(
      of: constant, smoothed: smoothed, phase: phase, activity: onsets.activity, presence: OnsetPresence(onsets.values),
      activation: activation, chords: onsets.chords)
    #expect(features.names == GridFeatures.names)
    #expect(features["octaves_from_120"] == 0)
    #expect(features["comb"] == Float(log(Double(constant.comb) + 0.1)))
    #expect(try #require(features["on_beats.all_bands"]) > #require(features["on_thirds.all_bands"]))
    let beats = constant.grid.beats(after: phase)
    #expect(features["heard_logit_on_beats"] == activation.features(of: beats)["heard_logit_on_beats"])
  }
}
