import Analysis
import AnalysisTesting
import Library
import Platform
import Testing

/// Corrections without their own beats, as made before schema 3.
@Suite(.bounded) struct TempoCorrectionTests {
  private func finding(downbeats: [Double]? = nil) -> TempoFinding {
    TempoFinding(
      bpm: 184, confidence: 0.7, octaveConfidence: 0.4, candidates: [TempoFinding.Candidate(bpm: 184, weight: 0.6)],
      isStable: false,
      map: [TempoFinding.Section(startSeconds: 0, bpm: 184), TempoFinding.Section(startSeconds: 60, bpm: 180)],
      beats: [1, 2, 3, 4, 5, 6, 7], metre: "4/4", downbeats: downbeats)
  }

  private func corrected(_ bpm: Double, downbeats: [Double]? = nil) -> TempoFinding {
    TempoCorrection(bpm: bpm, grid: nil, corrected: Timestamp(nanoseconds: 0), found: finding(downbeats: downbeats))
      .finding
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
      let tempo = TempoCorrection(bpm: 92, grid: nil, corrected: Timestamp(nanoseconds: 0), found: found).finding
      #expect(tempo.bpm == 92 && tempo.reason == nil && tempo.map.map(\.bpm) == [92] && tempo.beats.isEmpty)
    }
  }
}

/// Corrections of beats: see `TempoFinding.multiplied(by:)` and its siblings.
@Suite(.bounded) struct BeatCorrectionTests {
  /// Beats of a tempo that rises from 100 to 140 BPM over a minute: beat n lies where the integral of the tempo is n.
  private static let rising: [Double] = (0..<120).map { number in
    // 100/60·t + (40/60)/120·t² = n
    let (a, b) = (40.0 / 60 / 120, 100.0 / 60)
    return (-b + (b * b + 4 * a * Double(number)).squareRoot()) / (2 * a)
  }

  private func even(_ bpm: Double = 120, count: Int = 40, downbeats: [Double]? = nil) -> TempoFinding {
    TempoFinding(
      bpm: bpm, confidence: 0.9, candidates: [], isStable: true,
      map: [TempoFinding.Section(startSeconds: 0, bpm: bpm)], beats: (0..<count).map { 0.25 + Double($0) * 60 / bpm },
      metre: downbeats == nil ? nil : "4/4", downbeats: downbeats)
  }

  private func moving() -> TempoFinding {
    TempoFinding(
      bpm: 120, confidence: 0.9, candidates: [], isStable: false,
      map: [TempoFinding.Section(startSeconds: 0, bpm: 105), TempoFinding.Section(startSeconds: 30, bpm: 130)],
      beats: Self.rising)
  }

  private func steps(_ beats: [Double]) -> [Double] { zip(beats, beats.dropFirst()).map { $1 - $0 } }

  @Test(arguments: BeatRatio.all) func evenBeatsStayEven(ratio: BeatRatio) {
    let tempo = even().multiplied(by: ratio)
    #expect(abs((tempo.bpm ?? 0) - 120 * ratio.value) < 1e-9)
    #expect(tempo.map.map(\.bpm) == [120 * ratio.value])
    #expect(steps(tempo.beats).allSatisfy { abs($0 - 0.5 / ratio.value) < 1e-9 })
    // The beats still cover the whole track.
    #expect(tempo.beats[0] < 0.25 + 0.5 / ratio.value)
    #expect(tempo.beats[tempo.beats.count - 1] > 0.25 + 39 * 0.5 - 0.5 / ratio.value)
  }

  @Test(arguments: BeatRatio.all) func beatsOfAMovingTempoFollowIt(ratio: BeatRatio) {
    let tempo = moving().multiplied(by: ratio)
    #expect(tempo.map.map(\.bpm) == [105 * ratio.value, 130 * ratio.value])
    // At each beat the integral of the tempo has grown by the same part of a beat.
    let places = tempo.beats.map { 100.0 / 60 * $0 + 40.0 / 60 / 120 * $0 * $0 }
    #expect(steps(places).allSatisfy { abs($0 - 1 / ratio.value) < 0.01 })
    #expect(tempo.beats.count >= Int(118 * ratio.value))
  }

  @Test func slowerBeatsAreThoseWithOnsetsOrDownbeats() {
    var tempo = even()
    tempo.onsets = TempoFinding.OnsetSummary(
      stepSeconds: 0.25, values: (0..<82).map { $0 % 4 == 3 ? 0.5 : $0 % 4 == 1 ? 0.2 : 0 })
    // Every second beat, starting with the one at 0.75, is stronger.
    #expect(tempo.multiplied(by: BeatRatio(1, 2)).beats.first == 0.75)
    tempo.downbeats = [2.25, 4.25]
    #expect(tempo.multiplied(by: BeatRatio(1, 2)).beats.first == 0.25)
    // Too coarse to distinguish beats.
    tempo.downbeats = nil
    tempo.onsets = TempoFinding.OnsetSummary(stepSeconds: 1, values: (0..<20).map { Double($0 % 2) })
    #expect(tempo.multiplied(by: BeatRatio(1, 2)).beats.first == 0.25)
  }

  @Test func beatsMoveByPartsOfABeat() {
    let half = even().shifted(byBeats: 0.5, duration: 20)
    #expect(half.beats.count == 40 && abs(half.beats[0]) < 1e-9 && abs(half.beats[1] - 0.5) < 1e-9)
    #expect(even().shifted(byBeats: -0.5, duration: 20).beats == half.beats)
    let quarter = even().shifted(byBeats: 0.25, duration: 19.8)
    #expect(abs(quarter.beats[0] - 0.375) < 1e-9 && quarter.beats.allSatisfy { $0 <= 19.8 })
    // A shift by a whole beat moves only the bars.
    let whole = even(downbeats: [0.25, 2.25]).shifted(byBeats: 1, duration: 20)
    #expect(whole.beats == even().beats && whole.downbeats == [0.75, 2.75] && whole.metre == "4/4")
    // Each beat of a varying tempo moves by a fraction of its own length.
    let later = moving().shifted(byBeats: 0.5, duration: nil).beats
    for (beat, next) in zip(Self.rising, Self.rising.dropFirst()) {
      #expect(later.contains { abs($0 - (beat + next) / 2) < 1e-9 })
    }
  }

  @Test func aBeatLiesWhereAPersonSays() {
    for seconds in [0.1, 0.3, 7.12, 19.6] {
      let beats = even().withBeat(at: seconds, duration: 20).beats
      #expect(beats.contains { abs($0 - seconds) < 1e-9 }, "\(seconds)")
      #expect(steps(beats).allSatisfy { abs($0 - 0.5) < 1e-9 })
      #expect(moving().withBeat(at: seconds, duration: 60).beats.contains { abs($0 - seconds) < 1e-6 })
    }
    // Beats begin earlier or end later if necessary.
    var late = even()
    late.beats.removeFirst(20)
    #expect(late.withBeat(at: 0.25, duration: 20).beats.count == 40)
    #expect(even().withBeat(at: 29.75, duration: 30).beats.count == 60)
  }

  @Test func tempiAreMultiplesOnlyIfTheBeatsStayOnTheGrid() {
    #expect(even().ratio(to: 60) == BeatRatio(1, 2) && even().ratio(to: 180) == BeatRatio(3, 2))
    #expect(even().ratio(to: 90) == BeatRatio(3, 4) && even().ratio(to: 120.5) == BeatRatio(1))
    #expect(even().ratio(to: 92) == nil && even().ratio(to: 122) == nil)
    #expect(moving().ratio(to: 61) == BeatRatio(1, 2) && moving().ratio(to: 97) == nil)
    #expect(even().roughRatio(to: 122) == BeatRatio(1) && even().roughRatio(to: 92) == nil)
  }

  @Test func ratiosAreWrittenAsFractions() {
    for ratio in BeatRatio.all.dropFirst() { #expect(BeatRatio(ratio.description) == ratio) }
    for text in ["1", "0", "2/1", "5/4", "1/0", "", "-2", "3/2 "] { #expect(BeatRatio(text) == nil) }
  }
}
