import Analysis
import AnalysisTesting
import Library
import Testing

@Suite(.bounded) struct BarCorrectionTests {
  /// 32 beats at 120 BPM, bars of four from the second beat on.
  private let tempo = TempoFinding(
    bpm: 120, confidence: 1, candidates: [], isStable: true, map: [TempoFinding.Section(startSeconds: 0, bpm: 120)],
    beats: (0..<32).map { 0.25 + 0.5 * Double($0) }, metre: "4/4",
    downbeats: stride(from: 1, to: 32, by: 4).map { 0.25 + 0.5 * Double($0) })

  @Test func barsMoveByBeats() throws {
    let moved = try #require(tempo.withBars(laterByBeats: 1))
    #expect(moved.downbeats?.first == tempo.beats[2])
    #expect(moved.beats == tempo.beats)
    // A full rotation restores the bars.
    let around = try #require(tempo.withBars(laterByBeats: 4))
    #expect(around.downbeats == tempo.downbeats)
    let back = try #require(moved.withBars(laterByBeats: -1))
    #expect(back.downbeats == tempo.downbeats)
  }

  @Test func barsOfAnotherLengthKeepTheFirstDownbeat() {
    let waltz = tempo.withBars(ofBeats: 3)
    #expect(waltz.metre == "3/4")
    #expect(waltz.downbeats == stride(from: 1, to: 32, by: 3).map { tempo.beats[$0] })
  }

  @Test func beatsOfEighthsStayDotted() {
    var gospel = tempo
    gospel.metre = "12/8"
    #expect(gospel.withBars(ofBeats: 3).metre == "9/8")
    #expect(gospel.withBars(ofBeats: 2).withBars(ofBeats: 2).metre == "6/8")
    // Six beats to a bar of 6/8 are eighths.
    let eighths = tempo.withBars(ofBeats: 6)
    #expect(eighths.metre == "6/8" && eighths.withBars(ofBeats: 3).metre == "3/4")
  }

  @Test(
    arguments: [("4/4", 4), ("3/4", 3), ("6/8", 6), ("9/8", 3), ("12/8", 4), ("", nil), ("x/8", nil)]
      as [(String, Int?)])
  func musiciansCountBeats(metre: String, count: Int?) { #expect(TempoFinding.beatsPerBar(metre) == count) }

  @Test func unknownBarsDoNotMove() {
    var free = tempo
    free.downbeats = nil
    #expect(free.withBars(laterByBeats: 1) == nil)
    #expect(free.withBars(ofBeats: 4).downbeats?.first == tempo.beats[0])
  }

  @Test func secondsMoveAllBeatsAndFillTheEnds() throws {
    let later = tempo.shifted(bySeconds: 0.01, duration: 16.5)
    #expect(later.beats.count == 32)
    #expect(zip(later.beats, tempo.beats).allSatisfy { abs($0 - $1 - 0.01) < 1e-9 })
    // A shift by one beat leaves the same grid, with a beat added in the gap at the beginning.
    let whole = tempo.shifted(bySeconds: 0.5, duration: 16.2)
    #expect(abs((whole.beats.first ?? 0) - 0.25) < 1e-9)
    #expect(whole.beats.allSatisfy { $0 >= 0 && $0 <= 16.2 })
    #expect(tempo.shifted(bySeconds: .nan, duration: nil) == tempo)
  }
}
