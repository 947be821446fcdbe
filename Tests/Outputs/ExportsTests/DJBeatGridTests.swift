import Analysis
import AnalysisTesting
import Testing

@testable import Exports

/// Beats as anchors with constant tempi.
@Suite(.bounded) struct DJBeatGridTests {
  private func tempo(
    _ beats: [Double], bpm: Double? = 120, metre: String? = nil, downbeats: [Double]? = nil
  ) -> TempoFinding {
    TempoFinding(
      bpm: bpm, confidence: 0.9, candidates: [], isStable: true,
      map: bpm.map { [TempoFinding.Section(startSeconds: 0, bpm: $0)] } ?? [], beats: beats, metre: metre,
      downbeats: downbeats)
  }

  private func even(_ bpm: Double, from start: Double = 0.25, count: Int) -> [Double] {
    (0..<count).map { start + Double($0) * 60 / bpm }
  }

  /// Largest deviation of a beat from its position in the grid, in seconds.
  private func error(_ grid: DJBeatGrid, _ beats: [Double]) -> Double {
    beats.enumerated().map { abs((grid.time(ofBeat: $0) ?? -1) - $1) }.max() ?? 0
  }

  @Test func steadyTempoIsOneAnchor() throws {
    let beats = even(120, count: 1_000)
    let grid = try #require(DJBeatGrid(tempo(beats), bpmPlaces: 2))
    #expect(grid.anchors == [DJBeatGrid.Anchor(seconds: 0.25, bpm: 120, beatInBar: nil, beat: 0)])
    #expect(grid.metre == nil)
  }

  /// 0.004 BPM below what two decimals can express add up to 20 ms after ten minutes.
  @Test(arguments: [2, 6]) func roundingDoesNotAddUp(places: Int) throws {
    let beats = even(127.996, count: 1_280)
    let grid = try #require(DJBeatGrid(tempo(beats, bpm: 127.996), bpmPlaces: places))
    #expect(error(grid, beats) <= DJBeatGrid.tolerance + 1e-9)
    #expect(grid.anchors.count == (places == 2 ? grid.anchors.count : 1))
    #expect(grid.anchors.count < 10)
  }

  @Test func changeOfTempoIsAnAnchor() throws {
    let slow = even(100, from: 0.1, count: 101)
    let beats = slow + even(140, from: slow[100], count: 100).dropFirst()
    let grid = try #require(DJBeatGrid(tempo(beats), bpmPlaces: 2))
    #expect(grid.anchors.map(\.beat) == [0, 100])
    #expect(grid.anchors.map(\.bpm) == [100, 140])
    #expect(error(grid, beats) <= DJBeatGrid.tolerance)
  }

  @Test func unevenBeatsAreFollowed() throws {
    // Off by up to 20 ms, without a pattern.
    let beats = even(110, count: 300).enumerated().map { index, time in
      time + 0.02 * (Double((index * 7_919) % 101) / 50 - 1)
    }
    let grid = try #require(DJBeatGrid(tempo(beats, bpm: 110), bpmPlaces: 2))
    #expect(error(grid, beats) <= DJBeatGrid.tolerance + 1e-9)
  }

  @Test func downbeatsCountBars() throws {
    let beats = even(120, count: 16)
    let known = try #require(
      DJBeatGrid(tempo(beats, metre: "4/4", downbeats: [beats[1], beats[5], beats[9], beats[13]]), bpmPlaces: 2))
    #expect(known.anchors.map(\.beatInBar) == [4])
    #expect(known.metre == "4/4")
    let waltz = BarNumbers(tempo(beats, metre: "3/4", downbeats: [beats[2], beats[5]]))
    #expect((0..<6).map { waltz?.beatInBar($0) } == [2, 3, 1, 2, 3, 1])
    #expect(waltz?.firstDownbeat == 2)
    let dotted = BarNumbers(tempo(beats, metre: "6/8", downbeats: [beats[1], beats[3], beats[5]]))
    #expect((0..<4).map { dotted?.beatInBar($0) } == [2, 1, 2, 1])
    // A meter alone is not enough.
    #expect(BarNumbers(tempo(beats, metre: "4/4")) == nil)
  }

  @Test func nothingWithoutTempo() {
    #expect(DJBeatGrid(tempo(even(120, count: 10), bpm: nil), bpmPlaces: 2) == nil)
    #expect(DJBeatGrid(tempo([1]), bpmPlaces: 2) == nil)
    #expect(DJBeatGrid(tempo([]), bpmPlaces: 2) == nil)
    // Data that a damaged database may hold.
    #expect(DJBeatGrid(tempo([1, 1, 2]), bpmPlaces: 2) == nil)
    #expect(DJBeatGrid(tempo([3, 2, 1]), bpmPlaces: 2) == nil)
  }

  // MARK: - Mixxx

  @Test func mixxxGrid() {
    let beats = MixxxBeats(tempo(even(120, from: 0.5, count: 100)), sampleRate: 44_100)
    #expect(beats?.version == "BeatGrid-2.0")
    // bpm { bpm: 120.0 } first_beat { frame_position: 22050 }
    #expect(
      beats?.blob == [0x0A, 9, 0x09, 0, 0, 0, 0, 0, 0, 0x5E, 0x40, 0x12, 4, 0x08, 0xA2, 0xAC, 0x01])
  }

  @Test func mixxxMap() {
    let beats = MixxxBeats(tempo([0, 1, 1.5]), sampleRate: 100)
    #expect(beats?.version == "BeatMap-1.0")
    #expect(beats?.blob == [0x0A, 2, 0x08, 0, 0x0A, 2, 0x08, 100, 0x0A, 3, 0x08, 0x96, 0x01])
  }
}
