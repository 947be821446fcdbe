import Analysis
import AnalysisTesting
import Library
import Platform
import Testing

/// Corrections of tempi and beats on both sides of each limit.
@Suite(.bounded) struct TempoLimitTests {
  /// Beats at 120 BPM from 0.25 s on.
  private func even(count: Int = 40, downbeats: [Double]? = nil) -> TempoFinding {
    TempoFinding(
      bpm: 120, confidence: 0.9, candidates: [TempoFinding.Candidate(bpm: 120, weight: 0.5)], isStable: true,
      map: [TempoFinding.Section(startSeconds: 0, bpm: 120), TempoFinding.Section(startSeconds: 9, bpm: 118)],
      beats: (0..<count).map { 0.25 + Double($0) / 2 }, metre: downbeats == nil ? nil : "4/4", downbeats: downbeats)
  }

  /// A quarter of a beat of drift is allowed over 40 beats.
  @Test(
    arguments: [
      (120, 1, 1), (120.74, 1, 1), (120.76, nil, 1), (119.26, 1, 1), (119.24, nil, 1), (60.74, 1, 2), (60.76, nil, 2),
      (240.74, 2, 1), (240.76, nil, 1), (360.7, 3, 1), (80.4, 2, 3), (160.7, 4, 3),
    ] as [(Double, Int?, Int)]) func driftsOfEvenBeats(bpm: Double, numerator: Int?, denominator: Int)
  {
    #expect(even().ratio(to: bpm) == numerator.map { BeatRatio($0, denominator) })
  }

  @Test(
    arguments: [
      (183.5, 3, 2), (183.7, nil, 1), (124.7, 1, 1), (124.9, nil, 1), (61.1, 1, 2), (62.3, 1, 2), (62.5, nil, 1),
      (115.3, 1, 1), (115.1, nil, 1), (374.3, 3, 1), (374.5, nil, 1),
    ] as [(Double, Int?, Int)]) func tempiOfChangingBeats(bpm: Double, numerator: Int?, denominator: Int)
  {
    var tempo = even()
    tempo.isStable = false
    #expect(tempo.ratio(to: bpm) == numerator.map { BeatRatio($0, denominator) })
  }

  @Test func roughTempiAreMultiples() {
    let tempo = even()
    #expect(tempo.roughRatio(to: 124.7) == BeatRatio(1) && tempo.roughRatio(to: 124.9) == nil)
    #expect(tempo.roughRatio(to: 180) == nil && tempo.roughRatio(to: 40) == BeatRatio(1, 3))
    for bpm in [nil, 0] as [Double?] {
      var unknown = tempo
      unknown.bpm = bpm
      #expect(unknown.roughRatio(to: 120) == nil)
    }
    for beats in [[], [1], [2, 2]] as [[Double]] {
      var few = tempo
      few.beats = beats
      #expect(few.ratio(to: 120) == nil)
    }
  }

  /// Onsets choose among the beats of a slower tempo if they are fine enough and clearly stronger.
  @Test(
    arguments: [
      (0.25, 1.11, 0.75), (0.25, 1.09, 0.25), (0.5, 1.5, 0.75), (0.501, 1.5, 0.25),
    ] as [(Double, Double, Double)]) func onsetsChooseBeats(step: Double, strength: Double, first: Double)
  {
    var tempo = even()
    // Onsets at every second beat, from 0.75 s on, are stronger.
    let values = (0..<Int(20 / step)).map { index in
      let beat = Int((Double(index) * step + step / 2 + 0.02 - 0.25) / 0.5)
      return beat % 2 == 1 ? strength : 1
    }
    tempo.onsets = TempoFinding.OnsetSummary(stepSeconds: step, values: values)
    #expect(tempo.multiplied(by: BeatRatio(1, 2)).beats.first == first)
  }

  @Test func multiplesKeepTheRest() {
    let tempo = even(downbeats: [0.75, 2.75])
    let same = tempo.multiplied(by: BeatRatio(1))
    #expect(same == tempo)
    let half = tempo.multiplied(by: BeatRatio(1, 2))
    #expect(half.bpm == 60 && half.map.map(\.bpm) == [60, 59] && half.beats.prefix(2) == [0.75, 1.75])
    #expect(half.beats.count == 20 && half.metre == nil && half.downbeats == nil && half.candidates == tempo.candidates)
    let double = tempo.multiplied(by: BeatRatio(2))
    #expect(double.beats.count == 79 && double.beats.last == tempo.beats.last)
    #expect(BeatRatio(3, 2).value == 1.5 && BeatRatio(3, 2).description == "3/2" && BeatRatio(2).description == "2")
  }

  @Test func shiftsStayWithinTheAudio() {
    let tempo = even(downbeats: [0.25, 2.25])
    // A beat may come at the very end, and not after it.
    #expect(tempo.shifted(byBeats: 0.25, duration: 19.875).beats.last == 19.875)
    #expect(tempo.shifted(byBeats: 0.25, duration: 19.874).beats.last == 19.375)
    #expect(tempo.shifted(byBeats: 0.25, duration: nil).beats.count == 40)
    #expect(tempo.shifted(byBeats: .nan, duration: nil) == tempo && tempo.shifted(byBeats: 0, duration: nil) == tempo)
    let earlier = tempo.shifted(byBeats: -0.25, duration: 20)
    #expect(earlier.beats.first == 0.125 && earlier.downbeats == [0.125, 2.125])
    let seconds = tempo.shifted(bySeconds: -0.3, duration: 20)
    #expect(abs(seconds.beats[0] - 0.45) < 1e-9 && seconds.downbeats?.count == 1)
    #expect(tempo.shifted(bySeconds: .infinity, duration: nil) == tempo)
    #expect(even(count: 1).shifted(bySeconds: 0.1, duration: nil).beats == [0.25])
    #expect(tempo.shifted(bySeconds: 0.1, duration: 0.3) == tempo)
  }

  @Test func barsFitIntoTheBeats() throws {
    let tempo = even(count: 10, downbeats: [0.75, 2.75, 4.75])
    func numbers(_ tempo: TempoFinding?) -> [Int]? { tempo?.downbeats?.map { Int((($0 - 0.25) * 2).rounded()) } }
    #expect(numbers(tempo) == [1, 5, 9])
    #expect(numbers(tempo.withBars(laterByBeats: 0)) == [1, 5, 9])
    #expect(numbers(tempo.withBars(laterByBeats: 1)) == [2, 6])
    #expect(
      numbers(tempo.withBars(laterByBeats: 3)) == [0, 4, 8] && numbers(tempo.withBars(laterByBeats: -1)) == [0, 4, 8])
    #expect(numbers(tempo.withBars(laterByBeats: -2)) == [3, 7])
    #expect(numbers(tempo.withBars(ofBeats: 2)) == [1, 3, 5, 7, 9] && tempo.withBars(ofBeats: 2).metre == "2/4")
    #expect(numbers(tempo.withBars(ofBeats: 1)) == Array(0..<10) && tempo.withBars(ofBeats: 0) == tempo)
    #expect(numbers(tempo.withBars(ofBeats: 12)) == [1] && even(count: 0).withBars(ofBeats: 4) == even(count: 0))
    #expect(tempo.withBars(ofBeats: 6).metre == "6/8" && tempo.withBars(ofBeats: 5).metre == "5/4")
  }

  @Test func beatsReachTheGivenTime() {
    #expect(even().withBeat(at: 0.25, duration: 20).beats == even().beats)
    let before = even(count: 4).withBeat(at: -0.75, duration: nil)
    #expect(before.beats.first == 0.25 && before.beats.count == 4)
    var late = even()
    late.beats.removeFirst(4)
    #expect(
      late.withBeat(at: 1.25, duration: 20).beats.count == 38 && late.withBeat(at: 1.25, duration: 20).beats[0] == 1.25)
    let after = even(count: 4).withBeat(at: 3.25, duration: nil)
    #expect(after.beats == (0..<7).map { 0.25 + Double($0) / 2 })
    #expect(even(count: 1).withBeat(at: 3, duration: nil) == even(count: 1))
  }

  @Test func statedTempiAreCertain() {
    var tempo = even(downbeats: [0.25])
    tempo.reason = "x"
    let locked = tempo.locked(at: 60)
    #expect(
      locked.bpm == 60 && locked.map.map(\.bpm) == [60, 59] && locked.confidence == 1 && locked.octaveConfidence == 1)
    #expect(locked.reason == nil && locked.beats == tempo.beats && tempo.locked(at: 120).map == tempo.map)
    tempo.bpm = 0
    #expect(tempo.locked(at: 60).map == tempo.map)
    let free = even(downbeats: [0.25]).withoutBeats(bpm: 90)
    #expect(free.bpm == 90 && free.map == [TempoFinding.Section(startSeconds: 0, bpm: 90)] && free.isStable)
    #expect(free.beats.isEmpty && free.metre == nil && free.downbeats == nil && free.confidence == 1)
    let none = even().withoutTempo()
    #expect(none.bpm == nil && none.reason == "no_pulse" && none.candidates == even().candidates)
    #expect(none.confidence == 1 && none.octaveConfidence == 1 && none.beats.isEmpty && none.map.isEmpty)
  }

  @Test func correctionsKeepTheirGrids() {
    let grid = TempoCorrection.Grid(
      isStable: false, map: [TempoFinding.Section(startSeconds: 0, bpm: 61)], beats: [1, 2], metre: "3/4",
      downbeats: [1])
    let tempo = TempoCorrection(bpm: 60, grid: grid, corrected: .init(nanoseconds: 0), found: even()).finding
    #expect(tempo.bpm == 60 && tempo.map == grid.map && !tempo.isStable && tempo.beats == [1, 2])
    #expect(tempo.metre == "3/4" && tempo.downbeats == [1] && tempo.confidence == 1)
    let none = TempoCorrection(bpm: nil, grid: nil, corrected: .init(nanoseconds: 0), found: even())
    #expect(none.finding == even().withoutTempo())
    let edited = TempoCorrection(even(downbeats: [0.25]), corrected: .init(nanoseconds: 5))
    #expect(edited.bpm == 120 && edited.grid?.beats == even().beats && edited.grid?.downbeats == [0.25])
    #expect(edited.grid?.metre == "4/4" && edited.grid?.isStable == true && edited.found == nil)
    #expect(TempoCorrection(.none(reason: "x"), corrected: .init(nanoseconds: 5)).grid == nil)
  }
}
