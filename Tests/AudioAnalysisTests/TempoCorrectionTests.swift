import AudioAnalysis
import Testing

@Suite struct TempoCorrectionTests {
  private func finding(downbeats: [Double]? = nil) -> TempoFinding {
    TempoFinding(
      bpm: 184, confidence: 0.7, octaveConfidence: 0.4, candidates: [TempoFinding.Candidate(bpm: 184, weight: 0.6)],
      isStable: false,
      map: [TempoFinding.Section(startSeconds: 0, bpm: 184), TempoFinding.Section(startSeconds: 60, bpm: 180)],
      beats: [1, 2, 3, 4, 5, 6, 7], metre: "4/4", downbeats: downbeats)
  }

  private func corrected(_ bpm: Double, downbeats: [Double]? = nil) -> TempoFinding {
    TempoCorrection(bpm: bpm, corrected: Timestamp(nanoseconds: 0), found: finding(downbeats: downbeats)).finding
  }

  @Test func sameTempoKeepsItsBeats() {
    let tempo = corrected(183, downbeats: [2, 6])
    #expect(tempo.bpm == 183 && tempo.confidence == 1 && tempo.octaveConfidence == 1)
    #expect(tempo.beats == finding().beats && tempo.downbeats == [2, 6] && tempo.metre == "4/4")
    #expect(tempo.candidates == finding().candidates)
  }

  @Test func octavesThinAndFillTheBeats() {
    #expect(corrected(92).beats == [1, 3, 5, 7])
    #expect(corrected(92, downbeats: [2, 6]).beats == [2, 4, 6])
    #expect(corrected(61, downbeats: [3]).beats == [3, 6])
    #expect(corrected(368).beats == [1, 1.5, 2, 2.5, 3, 3.5, 4, 4.5, 5, 5.5, 6, 6.5, 7])
    #expect(corrected(552).beats.count == 19)
    #expect(corrected(92, downbeats: [2, 6]).downbeats == nil && corrected(92).metre == nil)
    #expect(corrected(92).map.map(\.bpm) == [92, 90] && corrected(92).isStable == false)
  }

  @Test func anotherTempoHasNoBeats() {
    let tempo = corrected(120)
    #expect(tempo.beats.isEmpty && tempo.isStable && tempo.metre == nil)
    #expect(tempo.map == [TempoFinding.Section(startSeconds: 0, bpm: 120)])
  }

  @Test func tempoWhereNoneWasFound() {
    let nothing = TempoFinding.none(reason: "no_pulse")
    for found in [nothing, nil] {
      let tempo = TempoCorrection(bpm: 92, corrected: Timestamp(nanoseconds: 0), found: found).finding
      #expect(tempo.bpm == 92 && tempo.reason == nil && tempo.map.map(\.bpm) == [92] && tempo.beats.isEmpty)
    }
  }
}
