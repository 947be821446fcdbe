import Analysis
import AnalysisTesting
import Testing

@testable import Server

/// Sentences of the track page.
@Suite(.bounded) struct TempoTextTests {
  private func tempo(
    _ bpm: Double? = 120, confidence: Double = 0.96, octave: Double = 1,
    _ candidates: [(bpm: Double, weight: Double)] = [(120, 0.8)], isStable: Bool = true, map: [Double] = [],
    beats: Int = 0, downbeats: [Double]? = nil, reason: String? = nil
  ) -> TempoFinding {
    TempoFinding(
      bpm: bpm, confidence: confidence, octaveConfidence: octave,
      candidates: candidates.map { TempoFinding.Candidate(bpm: $0.bpm, weight: $0.weight) }, isStable: isStable,
      map: map.enumerated().map { TempoFinding.Section(startSeconds: Double($0.offset) * 10, bpm: $0.element) },
      beats: (0..<beats).map { Double($0) / 2 }, downbeats: downbeats, reason: reason)
  }

  @Test(arguments: [
    (1.5, "Very likely right (100%"), (0.9, "Very likely right (90%"), (0.899, "Probably right (89%"),
    (0.75, "Probably right (75%"), (0.749, "Worth a listen (74%"), (0.5, "Worth a listen (50%"),
    (0.499, "A guess (49%"), (0, "A guess (0%"), (-1, "A guess (0%"),
  ])
  func confidencesHaveWords(confidence: Double, text: String) {
    #expect(TempoText.confidence(confidence) == "\(text) confidence).")
  }

  @Test func correctionsAndMissingTempiAreSaid() {
    #expect(TempoText.confidence(tempo(), isLocked: false) == "Very likely right (96% confidence).")
    #expect(TempoText.confidence(tempo(), isLocked: true) == "You set this tempo. Later runs keep it.")
    #expect(TempoText.confidence(tempo(nil), isLocked: true) == "You said that there is no steady beat.")
    for (reason, text) in [
      ("too_short", "The track is too short"), ("silence", "The track is silent"), (nil, "No steady beat"),
    ]
      as [(String?, String)]
    {
      #expect(TempoText.confidence(tempo(nil, reason: reason), isLocked: false).hasPrefix(text))
    }
    #expect(TempoText.bpm(90) == "90.0 BPM" && TempoText.bpm(nil) == "no beat")
  }

  private func reasons(_ tempo: TempoFinding, found: TempoFinding? = nil) -> [String] {
    TempoText.reasons(tempo, found: found)
  }

  private static let stable = "The tempo is the same throughout."

  @Test func whatAnalysisFoundIsSaid() {
    #expect(reasons(tempo(nil)) == [])
    #expect(reasons(tempo(nil), found: tempo(100)) == ["Analysis found 100.0 BPM (96% confidence)."])
    #expect(reasons(tempo(nil), found: tempo(nil)) == [])
    #expect(reasons(tempo(), found: tempo(100)) == ["Analysis found 100.0 BPM (96% confidence).", Self.stable])
    #expect(reasons(tempo()) == ["There is no evidence for another tempo.", Self.stable])
    #expect(reasons(tempo(120, [])) == [Self.stable])
  }

  @Test func changesOfTheTempoAreCounted() {
    let found = tempo(nil)
    func change(_ map: [Double]) -> [String] { reasons(tempo(isStable: false, map: map), found: found) }
    #expect(change([]) == ["The tempo varies a little."] && change([120]) == ["The tempo varies a little."])
    #expect(change([120, 110]) == ["The tempo changes once, between 110.0 BPM and 120.0 BPM."])
    #expect(change([120, 110, 130]) == ["The tempo changes 2 times, between 110.0 BPM and 130.0 BPM."])
  }

  @Test func uncertainBarsAreSaid() {
    let (found, uncertain) = (tempo(nil), "The starts of the bars are uncertain.")
    #expect(reasons(tempo(beats: 2), found: found) == [Self.stable, uncertain])
    #expect(reasons(tempo(beats: 1), found: found) == [Self.stable])
    #expect(reasons(tempo(beats: 2, downbeats: [0]), found: found) == [Self.stable])
  }

  /// Tempi within 2% are the same.
  @Test(
    arguments: [
      ([(120, 0.6), (60, 0.2)], "The evidence for 120.0 BPM is 3.0 times that for 60.0 BPM."),
      ([(120, 0.75), (60, 0.5)], "The evidence for 120.0 BPM is 1.5 times that for 60.0 BPM."),
      ([(120, 0.5), (60, 0.5)], "There is about as much evidence for 60.0 BPM."),
      ([(120, 0.5), (60, 0.4)], "There is about as much evidence for 60.0 BPM."),
      ([(120, 0.8), (60, 0.05)], "The evidence for 120.0 BPM is 16 times that for 60.0 BPM."),
      ([(120, 1), (60, 0.001)], "The evidence for 120.0 BPM is more than 100 times that for 60.0 BPM."),
      ([(122, 0.6), (60, 0.2), (240, 0.1)], "The evidence for 120.0 BPM is 3.0 times that for 60.0 BPM."),
      ([(123, 0.6), (60, 0.3)], nil), ([(120, 0.6), (60, 0)], nil),
      ([(60, 0.6)], "There is no evidence for another tempo."),
      ([], nil),
    ] as [([(bpm: Double, weight: Double)], String?)])
  func evidenceIsCompared(candidates: [(bpm: Double, weight: Double)], sentence: String?) {
    #expect(reasons(tempo(120, candidates)) == [sentence, Self.stable].compactMap(\.self))
  }

  @Test(
    arguments: [
      (0.75, 0.75, nil), (0.749, 1, "The music may be counted at half or double this speed."),
      (0.749, 0.1, "The music may be counted at half or double this speed."),
      (0.75, 0.749, "The beat is weak or uneven, so the tempo may be off."),
    ] as [(Double, Double, String?)])
  func doubtsAreSaid(octave: Double, confidence: Double, sentence: String?) {
    #expect(
      reasons(tempo(confidence: confidence, octave: octave, [])) == [sentence, Self.stable].compactMap(\.self))
  }
}

/// The curve in place of a cover.
@Suite(.bounded) struct PlaceholderCoverTests {
  private func points(_ values: [Double], _ count: Int) -> [Int]? {
    PlaceholderCover.points(of: TempoFinding.OnsetSummary(stepSeconds: 1, values: values), count: count)
  }

  @Test func silenceHasNoCurve() {
    for values in [[], [1], [0, 0], [0, 0, -1], [.nan, 1], [.infinity, .nan]] { #expect(points(values, 4) == nil) }
    #expect(points([0, 0.5], 2) == [0, 32])
  }

  /// The lowest and the highest four in a hundred are cut.
  @Test func strengthsAreScaled() {
    let expected = (0...100).map { Int((63 * min(max(Double($0 - 4) / 92, 0), 1)).rounded()) }
    #expect(points((0...100).map { Double($0) }, 101) == expected)
    #expect(expected[4] == 0 && expected[5] == 1 && expected[95] == 62 && expected[96] == 63)
    let shuffled = (0...100).map { Double($0 * 37 % 101) }
    #expect(points(shuffled, 101) == shuffled.map { expected[Int($0)] })
  }

  /// Equal parts of the track.
  @Test func partsHaveMeans() {
    #expect(points([0, 10], 4) == [0, 0, 63, 63])
    #expect(points([0, .nan, 1, 0, 1], 2) == [32, 32] && points([0, 1, 0, 1], 1) == [32])
    #expect(points([0, 0, 1, 1, 1], 2) == [0, 63] && points([2, 2, 2], 3) == [0, 0, 0])
  }
}
