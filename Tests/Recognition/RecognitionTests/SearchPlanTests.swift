import AnalysisTesting
import Glibc
import Landmarks
import Testing

@testable import Recognition

/// The plan of the search: what is tried, in which order, and with how much effort.
@Suite(.bounded) struct SearchPlanTests {
  private static let stages = Matcher.stages + Matcher.farStages

  private static func transforms(_ names: Matcher.Stage.Name...) -> [Matcher.Transform] {
    stages.filter { names.contains($0.name) }.flatMap(\.transforms)
  }

  @Test func stagesAreTriedInTheOrderOfTheirNames() {
    #expect(Self.stages.map(\.name) == Matcher.Stage.Name.allCases)
    // Remote catalogs name stages by these numbers.
    #expect(Matcher.Stage.Name.allCases.map(\.rawValue) == Array(0..<8))
  }

  /// A clip between two speeds is found by the nearer one, which has to be near enough.
  @Test func speedsLeaveNoGap() {
    let speeds = Self.transforms(.likely, .speeds, .farSpeeds).map(\.slope).sorted()
    #expect(speeds.first == 0.874 && speeds.last == 1.126 && speeds.contains(1))
    for (slower, faster) in zip(speeds, speeds.dropFirst()) {
      #expect(faster - slower > 0.0135 && faster - slower < 0.0175, "\(slower) to \(faster)")
    }
    #expect(Self.transforms(.speeds).allSatisfy { abs($0.slope - 1) < 0.045 })
    #expect(Self.transforms(.farSpeeds).allSatisfy { abs($0.slope - 1) > 0.055 })
    // A record that plays faster also sounds higher.
    for transform in Self.transforms(.speeds, .farSpeeds) {
      let bands = Double(LandmarkSpectrum.bandsPerOctave) * log2(Double(transform.slope))
      #expect(abs(Double(transform.shift) - bands) < 0.001)
    }
  }

  @Test func temposAndPitchesLeaveNoGap() {
    let tempos = Self.transforms(.likely, .tempos, .farTempos)
    for (index, slope) in tempos.map(\.slope).sorted().enumerated() {
      #expect(abs(slope - (0.875 + 0.025 * Float(index))) < 0.001)
    }
    #expect(tempos.count == 11 && tempos.allSatisfy { $0.shift == 0 })
    #expect(Self.transforms(.tempos).map { abs($0.slope - 1) }.max() ?? 1 < 0.06)
    let pitches = Self.transforms(.likely, .pitches, .farPitches)
    #expect(pitches.map(\.shift).sorted() == Array(stride(from: -9, through: 9, by: 1.5)))
    #expect(pitches.allSatisfy { $0.slope == 1 })
    #expect(Self.transforms(.pitches).map { abs($0.shift) }.max() == 3)
  }

  /// These numbers decide what is found in a large catalog and how long a query takes; the benchmarks were run with
  /// them.
  @Test(arguments: [
    (Matcher.Stage.Name.likely, Float(1.7), 1, 40, 2_097_152), (.speeds, 1.9, 3, 8, 1_048_576),
    (.tempos, 1.9, 3, 8, 1_048_576), (.pitches, 1.9, 3, 8, 1_048_576), (.thorough, 4, 1, 600, 4_194_304),
    (.farSpeeds, 1.9, 3, 8, 1_048_576), (.farTempos, 1.9, 3, 8, 1_048_576), (.farPitches, 1.9, 3, 8, 1_048_576),
  ])
  func effortIsThatOfTheBenchmarks(
    name: Matcher.Stage.Name, limit: Float, binWidthLog2: Int, candidateCount: Int, byteBudget: Int
  ) throws {
    let stage = try #require(Self.stages.first { $0.name == name })
    #expect(stage.limit == limit)
    #expect(stage.binWidthLog2 == binWidthLog2)
    #expect(stage.candidateCount == candidateCount)
    #expect(stage.byteBudget == byteBudget)
    #expect(stage.isThorough == (name == .thorough))
  }
}

/// The weights of a finding, each alone.
@Suite(.bounded) struct FindingTests {
  private static func finding(
    z: Float = 14, twins: [Float] = [], shifted: Float = 5, runnerUp: Float = 7, explained: Float = 0.5,
    present: Float = 0.5, clarity: Float = 0.3, duration: Double = 10, slope: Float = 1.05
  ) -> Finding {
    func hit(_ z: Float, _ track: Int) -> Matcher.Hit {
      Matcher.Hit(
        segment: 0, track: track, placement: MatchedFilter.Placement(center: 500, slope: slope, shift: 0), z: z)
    }
    var overlap = Overlap.none
    (overlap.explained, overlap.present) = (explained, present)
    return Finding(
      hit: hit(z, 0), twins: twins.enumerated().map { hit($1, $0 + 1) }, shifted: shifted, runnerUp: runnerUp,
      overlap: overlap, clarity: clarity, duration: duration)
  }

  /// The difference that a change makes, from the weights.
  @Test func evidenceCountsByItsWeight() {
    let weights = ConfidenceWeights.fitted
    let base = Self.finding().logOdds
    func difference(_ finding: Finding, _ expected: Float) -> Bool { abs(finding.logOdds - base - expected) < 0.001 }
    #expect(difference(Self.finding(shifted: 8), weights.shifted * log(8 / Float(5))))
    #expect(difference(Self.finding(present: 0.75), weights.present * 0.25))
    #expect(difference(Self.finding(explained: 0.75), weights.unexplained * log(0.3 / Float(0.55))))
    #expect(difference(Self.finding(clarity: 0.2), weights.clarity * -0.1))
    #expect(difference(Self.finding(duration: 20), weights.duration * log(Float(2))))
    #expect(difference(Self.finding(slope: 1), weights.neutral))
    // A runner-up is no rival while it is less than 1/e of the best.
    let rival = max(0, log(7 / Float(28)) + 1) - (log(7 / Float(14)) + 1)
    #expect(difference(Self.finding(z: 28), weights.z * log(Float(2)) + weights.rival * rival))
    #expect(log(7 / Float(28)) + 1 < 0)
  }

  /// Beyond these limits, evidence counts no further.
  @Test func evidenceHasLimits() {
    let weights = ConfidenceWeights.fitted
    func logOdds(_ change: (inout Finding) -> Void) -> Float {
      var finding = Self.finding()
      change(&finding)
      return finding.logOdds
    }
    #expect(logOdds { $0.shifted = 1 } == logOdds { $0.shifted = 4 })
    #expect(logOdds { $0.shifted = 4.1 } != logOdds { $0.shifted = 4 })
    #expect(logOdds { $0.runnerUp = 0 } == logOdds { $0.runnerUp = 6 })
    #expect(logOdds { $0.runnerUp = 6.1 } != logOdds { $0.runnerUp = 6 })
    #expect(logOdds { $0.hit.z = 0.2 } == logOdds { $0.hit.z = 1 })
    #expect(logOdds { $0.hit.z = 1.1 } != logOdds { $0.hit.z = 1 })
    #expect(logOdds { $0.clarity = 0.5 } == logOdds { $0.clarity = 0.38 })
    #expect(logOdds { $0.clarity = 0.37 } != logOdds { $0.clarity = 0.38 })
    // Below 0.12, low clarity costs 80 for each unit, besides its weight.
    let penalty = logOdds { $0.clarity = 0.12 } - logOdds { $0.clarity = 0.11 }
    #expect(abs(penalty - (0.8 + 0.01 * weights.clarity)) < 0.01)
    let atLimit = logOdds { $0.clarity = 0.1 } - logOdds { $0.clarity = 0.05 }
    #expect(abs(atLimit - 4) < 0.01)
  }

  @Test func logOddsAreConfidence() {
    var finding = Self.finding()
    // The duration moves the log-odds to any value.
    func confidence(_ logOdds: Float) -> Double {
      finding.duration = 10
      let missing = logOdds - finding.logOdds
      finding.duration = 10 * exp(Double(missing / ConfidenceWeights.fitted.duration))
      return finding.confidence
    }
    #expect(abs(confidence(0) - 0.5) < 0.001)
    #expect(abs(confidence(2) - 0.8808) < 0.001)
    #expect(finding.isAccepted)
    #expect(abs(confidence(1.7) - 0.8455) < 0.001)
    #expect(!finding.isAccepted)
    // A certain finding ends the search: it needs both a good fit and high odds.
    for (z, logOdds, isCertain) in [(Float(15), Float(4.6), true), (15, 4.4, false), (14.9, 9, false)] {
      finding = Self.finding(z: z)
      _ = confidence(logOdds)
      #expect(finding.isCertain == isCertain, "\(z) \(logOdds)")
    }
  }

  @Test func aFindingOfAPartMovesWithItsTwins() {
    var finding = Self.finding(twins: [9, 8])
    let before = finding.hit.placement
    finding.move(from: 30..<90, toColumnCount: 200)
    let expected = before.moved(from: 30..<90, toColumnCount: 200)
    #expect(expected.center != before.center)
    for hit in [finding.hit] + finding.twins { #expect(hit.placement.center == expected.center) }
  }
}

extension Overlap {
  /// The overlap of nothing with nothing, to be filled in.
  fileprivate static let none: Overlap = {
    let query = RecognitionQuery(Signature(landmarks: [], columnCount: 10))
    let overlap = MatchedFilter.with(query.filter) {
      Overlap(query, $0, [], MatchedFilter.Placement(center: 5, slope: 1, shift: 0))
    }
    return overlap!
  }()
}
