import Analysis
import AnalysisTesting
import DSP
import Foundation
import Testing

@testable import Tempo

private func option(
  _ bpm: Double, _ probability: Double = 1, isConstant: Bool = true, beats: [Double] = []
) -> StretchReading.Option {
  StretchReading.Option(bpm: bpm, probability: probability, isConstant: isConstant, beats: beats, bar: nil)
}

private func reading(
  from start: Double = 0, lasting duration: Double = 60, clarity: Double = 1, _ options: StretchReading.Option...
) -> StretchReading {
  StretchReading(start: start, duration: duration, outcome: .pulse(options), clarity: clarity)
}

private func beats(_ bpm: Double, from start: Double = 0, to end: Double) -> [Double] {
  Array(stride(from: start, to: end, by: 60 / bpm))
}

@Suite(.bounded) struct TempoCourseTests {
  private func tempi(_ readings: StretchReading...) -> [Double] {
    TempoCourse(readings).steps.map(\.option.bpm)
  }

  /// The tempo after a stretch at 120 BPM, if another is likelier by e to the power of `odds`.
  private func next(_ bpm: Double, odds: Double) -> Double {
    let other = 1 / (1 + exp(odds))
    return tempi(reading(option(120)), reading(option(120, other), option(bpm, 1 - other))).last ?? 0
  }

  @Test func changesOfTempoNeedEvidence() {
    #expect(next(140, odds: 4.1) == 140 && next(140, odds: 3.9) == 120)
    #expect(next(100, odds: 4.1) == 100 && next(100, odds: 3.9) == 120)
  }

  @Test(arguments: [60.0, 240, 40, 360, 249.2, 230.8, 57.97, 62.18, 348, 372])
  func changesOfTheOctaveNeedMore(bpm: Double) {
    #expect(next(bpm, odds: 9.1) == bpm && next(bpm, odds: 8.9) == 120)
  }

  @Test(arguments: [229.2, 250.8, 344.4, 375.6, 480.0])
  func otherRatiosAreChanges(bpm: Double) {
    #expect(next(bpm, odds: 4.1) == bpm && next(bpm, odds: 3.9) == 120)
  }

  @Test func smallDifferencesAreNoChange() {
    #expect(next(124.7, odds: 0.4) == 124.7 && next(124.9, odds: 0.4) == 120)
    #expect(next(115.5, odds: 0.4) == 115.5 && next(115.2, odds: 0.4) == 120)
  }

  /// The tempo is decided before the beats.
  @Test func optionsOfOneTempoAddUp() {
    #expect(tempi(reading(option(90, 0.4), option(120, 0.31), option(120.5, 0.29))) == [120])
    #expect(tempi(reading(option(90, 0.4), option(120, 0.31), option(125.5, 0.29))) == [90])
    #expect(tempi(reading(option(90, 0), option(120, 1e-3))) == [120])
  }

  @Test func theWholePathCounts() {
    // A stretch that seems different is outvoted by both of its neighbors.
    let found = tempi(
      reading(option(120, 0.6), option(150, 0.4)), reading(option(150, 0.85), option(120, 0.15)),
      reading(option(120, 0.9), option(150, 0.1)))
    #expect(found == [120, 120, 120])
    let others = tempi(
      reading(option(120, 0.6), option(150, 0.4)), reading(option(150, 0.85), option(120, 0.15)),
      reading(option(120, 0.1), option(150, 0.9)))
    #expect(others == [150, 150, 150])
  }

  @Test func stretchesWithoutAPulseAreSkipped() {
    let silent = StretchReading(start: 60, duration: 60, outcome: .silence, clarity: 0)
    let pulseless = StretchReading(start: 120, duration: 60, outcome: .noPulse, clarity: 0)
    let course = TempoCourse([silent, reading(option(120)), pulseless, reading(from: 180, option(125))])
    #expect(course.steps.map(\.option.bpm) == [120, 125] && course.steps.map(\.reading.start) == [0, 180])
    #expect(TempoCourse([silent, pulseless]).steps.isEmpty && TempoCourse([]).steps.isEmpty)
  }

  /// Beats of the earlier stretch up to the middle of an overlap.
  @Test func beatsOfOverlappingStretches() {
    func joined(_ offset: Double) -> [Double] {
      TempoCourse([
        reading(from: 0, lasting: 20, option(60, beats: beats(60, to: 20))),
        reading(from: 10, lasting: 20, option(60, beats: beats(60, from: 10 + offset, to: 30))),
      ]).beats
    }
    func expect(_ found: [Double], _ expected: [Double]) {
      #expect(found.count == expected.count && zip(found, expected).allSatisfy { abs($0 - $1) < 1e-9 }, "\(found)")
    }
    // Less than half a beat later, a beat is too near to the former one.
    expect(joined(0), beats(60, to: 30))
    expect(joined(0.49), beats(60, to: 16) + beats(60, from: 16.49, to: 30))
    expect(joined(0.51), beats(60, to: 16) + beats(60, from: 15.51, to: 30))
  }

  @Test func beatsOfSeparateStretches() {
    let apart = TempoCourse([
      reading(from: 0, lasting: 10, option(60, beats: beats(60, to: 14))),
      reading(from: 20, lasting: 10, option(60, beats: beats(60, from: 16, to: 30))),
    ])
    #expect(apart.beats == beats(60, to: 10.5) + beats(60, from: 20, to: 30))
    #expect(TempoCourse([reading(from: 5, lasting: 10, option(60, beats: [1, 2, 40]))]).beats == [1, 2, 40])
    #expect(apart.downbeats(among: apart.beats) == nil)
  }
}

@Suite(.bounded) struct TempoDecisionTests {
  private static let onsets = TempoFinding.OnsetSummary(stepSeconds: 0.25, values: [0.5])

  private func decide(
    _ readings: [StretchReading], _ change: (inout TempoAnalyzer.Configuration) -> Void = { _ in }
  ) -> TempoFinding {
    var configuration = TempoAnalyzer.Configuration()
    change(&configuration)
    return TempoDecision(configuration).finding(from: readings, onsets: Self.onsets)
  }

  private func steady(_ bpm: Double, count: Int, rounds: Bool = true) -> Double? {
    let beats = (0..<count).map { 0.3 + Double($0) * 60 / bpm }
    return decide([reading(option(bpm, beats: beats))]) { $0.roundsToInteger = rounds }.bpm
  }

  /// The error of measurement is smaller, the more beats there are.
  @Test func wholeTempiAreWithinTheErrorOfMeasurement() {
    // 0.01 + 3 · 120 · 0.012 · √(12 / 100³) · 120 / 60
    #expect(steady(120.0395, count: 100) == 120 && steady(120.0405, count: 100) == 120.04)
    #expect(steady(119.9605, count: 100) == 120 && steady(119.9595, count: 100) == 119.96)
    #expect(steady(120.01, count: 10_000) == 120 && steady(120.0101, count: 10_000) == 120.01)
    #expect(steady(120.099, count: 10) == 120 && steady(120.101, count: 10) == 120.1)
    #expect(steady(60.0165, count: 100) == 60 && steady(60.0185, count: 100) == 60.02)
    #expect(steady(120.02, count: 100, rounds: false) == 120.02)
    #expect(steady(120.504, count: 100) == 120.5)
  }

  @Test func aTrackWithoutAPulse() {
    for readings in [
      [], [reading(option(120, beats: [1]))], [StretchReading(start: 0, duration: 9, outcome: .noPulse, clarity: 1)],
    ] {
      let found = decide(readings)
      #expect(found.bpm == nil && found.reason == "no_pulse" && found.onsets.values == [0.5])
    }
  }

  @Test func oneTempoInSeveralStretches() {
    let all = beats(120.25, to: 60)
    let found = decide([
      reading(from: 0, lasting: 30, option(121, beats: all.filter { $0 < 30 })),
      reading(from: 30, lasting: 30, option(120, beats: all.filter { $0 >= 30 })),
    ])
    // A line through all beats is more precise.
    #expect(found.bpm == 120.25 && found.isStable && found.map == [TempoFinding.Section(startSeconds: 0, bpm: 120.25)])
    #expect(found.reason == nil && found.metre == nil && found.downbeats == nil)
  }

  @Test func aChangeOfTempo() throws {
    let late = beats(140, from: 60.2, to: 95)
    let found = decide([
      reading(from: 0, lasting: 60, option(120.24, beats: beats(120.24, from: 0.4, to: 60))),
      reading(from: 60, lasting: 35, option(140, beats: late)),
    ])
    #expect(!found.isStable && found.bpm == 120.2)
    #expect(found.map == [.init(startSeconds: 0, bpm: 120.24), .init(startSeconds: 60.2, bpm: 140)])
    #expect(found.candidates.map(\.bpm) == [120.24, 140])
    #expect(found.candidates.map(\.weight) == [0.6316, 0.3684])
    // The tempo of most of the time counts.
    let most = decide([
      reading(from: 0, lasting: 30, option(120, beats: beats(120, to: 30))),
      reading(from: 30, lasting: 40, option(140, beats: beats(140, from: 30, to: 70))),
      reading(from: 70, lasting: 30, option(123, beats: beats(123, from: 70, to: 100))),
    ])
    #expect(most.bpm == 120)
  }

  /// A varying tempo is divided where it changes.
  @Test func aVaryingTempo() {
    let varying = beats(100, to: 40) + beats(110, from: 40.2, to: 80)
    let found = decide([reading(from: 0, lasting: 80, option(104, isConstant: false, beats: varying))])
    #expect(!found.isStable && found.bpm == 104 && found.map.count == 2)
    #expect(found.map.map(\.bpm) == [100, 110])
    let fixed = decide([reading(from: 0, lasting: 80, option(104, beats: varying))])
    #expect(fixed.isStable && fixed.bpm == 104 && fixed.map.count == 1)
  }

  // MARK: - Candidates

  @Test func candidatesShareTheEvidence() {
    let own = beats(120, to: 60)
    let found = decide([
      reading(
        from: 0, lasting: 60, clarity: 0.8, option(120, 0.5, beats: own), option(60, 0.2), option(80, 0.1),
        option(124.6, 0.1),
        option(180, 0.04), option(90, 0.03), option(200, 0.02), option(240, 0.01))
    ])
    #expect(found.candidates.map(\.bpm) == [120, 60, 80, 180, 90])
    #expect(found.candidates.map(\.weight) == [0.6, 0.2, 0.1, 0.04, 0.03])
    let confidence = TempoConfidence.fitted
    let expected = confidence.probability(share: 0.6, clarity: 0.8, moves: false)
    #expect(abs(found.confidence - expected) < 0.0006)
    // 60 and 240 are the same up to a factor of two, and 180 and 90 are not.
    #expect(abs(found.octaveConfidence - confidence.octaveProbability(share: 0.6 / 0.81)) < 0.0006)
    let thirds = decide([reading(option(120, 0.5, beats: own), option(40, 0.3), option(125.5, 0.2))])
    #expect(abs(thirds.octaveConfidence - confidence.octaveProbability(share: 0.5 / 0.8)) < 0.0006)
    #expect(thirds.candidates.map(\.weight) == [0.5, 0.3, 0.2])
  }

  @Test func clarityIsTheMeanOverTime() {
    let found = decide([
      reading(from: 0, lasting: 30, clarity: 0.5, option(120, 0.7, beats: beats(120, to: 30)), option(70, 0.3)),
      reading(
        from: 30, lasting: 90, clarity: 1.5, option(120, 0.7, isConstant: false, beats: beats(120, from: 30, to: 120)),
        option(70, 0.3)
      ),
    ])
    let expected = TempoConfidence.fitted.probability(share: 0.7, clarity: 1.25, moves: true)
    #expect(abs(found.confidence - expected) < 0.0006)
  }

  @Test func timesAreRounded() {
    let own = [-0.00004, 0.49996, 1.00004] + beats(120, from: 1.5, to: 20)
    #expect(decide([reading(option(120, beats: own))]).beats.prefix(3) == [0, 0.5, 1])
  }

  // MARK: - Range

  @Test func optionsOutOfRangeAreLeftOut() throws {
    let limited = reading(option(99.9, 0.4), option(100, 0.2), option(200, 0.1), option(200.1, 0.3)).limited(
      to: 100...200)
    guard case .pulse(let options) = limited.outcome else { throw Missing() }
    #expect(options.map(\.bpm) == [100, 200])
    #expect(abs(options[0].probability - 2 / 3.0) < 1e-9 && abs(options[1].probability - 1 / 3.0) < 1e-9)
    let silent = StretchReading(start: 3, duration: 4, outcome: .silence, clarity: 5).limited(to: 100...200)
    guard case .silence = silent.outcome else { throw Missing() }
  }

  @Test func temposAreFoldedIfNoneIsInRange() throws {
    let folded = reading(option(45, 0.5, beats: [0, 1, 3]), option(450, 0.5, beats: [0, 1, 2, 3, 4, 5])).limited(
      to: 100...200)
    guard case .pulse(let options) = folded.outcome else { throw Missing() }
    #expect(options.map(\.bpm) == [180, 112.5])
    #expect(options[0].beats == [0, 0.25, 0.5, 0.75, 1, 1.5, 2, 2.5, 3] && options[1].beats == [0, 4])
    #expect(option(100).folded(into: 100...200).bpm == 100 && option(200).folded(into: 100...200).bpm == 200)
  }

  private struct Missing: Error {}
}

@Suite(.bounded) struct TempoConfidenceTests {
  @Test func sharesAndClaritiesAreLimited() {
    let confidence = TempoConfidence.fitted
    func chance(_ share: Double, _ clarity: Double = 1, moves: Bool = false) -> Double {
      confidence.probability(share: share, clarity: clarity, moves: moves)
    }
    #expect(chance(0) == chance(1e-4) && chance(1) == chance(1 - 1e-4))
    #expect(chance(1e-4) < chance(1.4e-4) && chance(1 - 1e-4) > chance(1 - 1.4e-4))
    #expect(chance(0.5, 0) == chance(0.5, 0.3) && chance(0.5, 9) == chance(0.5, 3))
    #expect(chance(0.5, 0.3) < chance(0.5, 0.35) && chance(0.5, 3) > chance(0.5, 2.9))
    #expect(chance(0.9, moves: true) != chance(0.9))
    #expect(confidence.octaveProbability(share: 0) == confidence.octaveProbability(share: 1e-4))
    #expect(confidence.octaveProbability(share: 0.9) > confidence.octaveProbability(share: 0.6))
  }

  /// A table of round numbers.
  @Test func probabilitiesAreLogistic() {
    let text = """
      tempo.constant\t1
      tempo.logit_share\t2
      tempo.ln_clarity\t3
      tempo.moving\t-4
      tempo.moving_logit_share\t0.5
      octave.constant\t-1
      octave.logit_share\t0.25

      """
    let confidence = TempoConfidence(Array(text.utf8).withUnsafeBytes { NumberTable($0) })
    func logit(_ chance: Double) -> Double { log(chance / (1 - chance)) }
    let share = 0.7
    let found = confidence.probability(share: share, clarity: 1.5, moves: false)
    #expect(abs(logit(found) - (1 + 2 * logit(share) + 3 * log(1.5))) < 1e-9)
    let moving = confidence.probability(share: share, clarity: 1.5, moves: true)
    #expect(abs(logit(moving) - (1 + 2.5 * logit(share) + 3 * log(1.5) - 4)) < 1e-9)
    #expect(abs(logit(confidence.octaveProbability(share: share)) - (-1 + 0.25 * logit(share))) < 1e-9)
  }
}

@Suite(.bounded) struct OnsetCourseTests {
  private func summary(_ columns: Int, cut: Int = 1_000) -> TempoFinding.OnsetSummary {
    var course = OnsetCourse()
    var values: [OnsetEnvelopes.Lanes] = []
    for column in 0..<columns {
      var lanes = OnsetEnvelopes.Lanes(repeating: 9)
      lanes[5] = Float(column / 25 % 4) / 4
      values.append(lanes)
    }
    for start in stride(from: 0, to: columns, by: cut) { course.append(values[start..<min(start + cut, columns)]) }
    return course.summary
  }

  @Test(arguments: [1, 7, 1_000]) func aQuarterOfASecondEach(cut: Int) {
    let found = summary(110, cut: cut)
    #expect(found.values == [0, 0.25, 0.5, 0.75, 0])
    #expect(abs(found.stepSeconds - 25 / OnsetEnvelopes.columnsPerSecond) < 1e-6)
  }

  @Test func longTracksHaveLongerSteps() {
    let full = summary(25 * 512)
    #expect(full.values.count == 512 && full.values.prefix(4) == [0, 0.25, 0.5, 0.75])
    let longer = summary(25 * 512 + 1)
    #expect(longer.values.count == 257 && longer.values.prefix(4) == [0.125, 0.625, 0.125, 0.625])
    #expect(longer.values.last == 0)
    #expect(abs(longer.stepSeconds - 50 / OnsetEnvelopes.columnsPerSecond) < 1e-6)
    #expect(OnsetCourse().summary.values.isEmpty)
  }
}
