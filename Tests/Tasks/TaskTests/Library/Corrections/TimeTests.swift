import AnalysisTesting
import LibraryTasks
import Testing

/// Times as text, and tempo from taps, at their limits.
@Suite(.bounded) struct TimeTests {
  /// The shortest texts for even beats. Other versions read them, so each must stay the same.
  @Test(
    arguments: [
      (0.41, 60 / 126.0, 500, "0.41+0.47619048*500"), (1.23456, 60 / 174.02, 400, "1.23456+0.344787955*400"),
      (0.00004, 1 / 3.0, 300, "0.00002+0.3333334*300"), (0.3, 60 / 127.31, 700, "0.3+0.471290551*700"),
      (0, 60 / 128.57, 600, "0+0.466671852*600"), (2.17, 0.4777, 3, "2.17+0.4777*3"),
      (
        0.50007, 60 / 130.003, 1500,
        "0.50007+0.46152781*571 264.032455+0.46152776*169 342.030655+0.46152776*169 420.028855+0.46152776*169 "
          + "498.027055+0.46152776*169 576.025255+0.46152776*169 654.023455+0.46152775*84"
      ),
    ] as [(Double, Double, Int, String)])
  func textsOfEvenBeats(start: Double, period: Double, count: Int, text: String) {
    let beats = (0..<count).map { ((start + Double($0) * period) * 10_000).rounded() / 10_000 }
    #expect(TimeNotation.text(of: beats) == text)
    #expect(TimeNotation.times(in: text) == beats)
  }

  @Test func timesAtTheLimits() {
    #expect(TimeNotation.times(in: "0") == [0] && TimeNotation.times(in: "0 0.5") == [0, 0.5])
    #expect(TimeNotation.times(in: "0.5+0.5*1") == [0.5] && TimeNotation.times(in: "0.5+0*1") == [0.5])
    #expect(TimeNotation.times(in: "1  2 ") == [1, 2])
    for text in ["1*2+3", "+", "*", "1+2", "1+*2", "1+2*", "1+2*x", "-0.0001", "1 0.9999", "1 1.00001"] {
      #expect(TimeNotation.times(in: text) == nil, "\(text)")
    }
    #expect(TimeNotation.times(in: "0+1*1000000")?.count == 1_000_000)
  }

  // MARK: Taps

  private func taps(_ times: [Double]) -> TapTempo {
    var taps = TapTempo()
    for time in times { taps.tap(at: time) }
    return taps
  }

  @Test func theMiddleOfAllIntervalsCounts() throws {
    for (times, bpm) in [
      ([0, 0.5, 1, 1.6], 116.129_032_258), ([0, 0.5, 1.02, 1.56, 2.1, 2.72], 111.111_111_111),
      ([0, 0.5, 1.02, 1.56, 2.1, 2.72, 3.3], 110.294_117_647),
    ] {
      #expect(abs(try #require(taps(times).bpm) - bpm) < 1e-6)
    }
  }

  @Test func pausesAndCounts() throws {
    #expect(abs(try #require(taps([0, 3, 6, 9]).bpm) - 20) < 1e-9)
    #expect(taps([0, 3, 6, 9]).count == 4 && taps([0, 3.01, 6.02, 9.03]).count == 1)
    #expect(taps([0, 3.01, 6.02, 9.03]).bpm == nil)
    // A clock that does not go on, or goes back, begins again.
    #expect(taps([1, 1, 1.5, 2]).count == 3 && taps([1, 1.5, 0.5, 1, 1.5]).count == 3)
    for (count, kept) in [(63, 63), (64, 64), (65, 64), (70, 64)] {
      #expect(taps((0..<count).map { Double($0) / 2 }).count == kept)
    }
    var cleared = taps([0, 0.5, 1, 1.5])
    #expect(cleared.bpm != nil)
    cleared.clear()
    #expect(cleared.count == 0 && cleared.bpm == nil && cleared.bpm(near: [120]) == nil)
  }

  @Test func candidatesNearTheTaps() {
    let taps = taps([0, 0.5, 1, 1.5])
    for (candidates, bpm) in [
      ([119.5, 123], 119.5), ([123, 119.5], 119.5), ([117, 120.5], 120.5), ([124.7], 124.7), ([125.5], 120),
      ([115.3], 115.3), ([114.5], 120), ([60, 240], 120),
    ] { #expect(taps.bpm(near: candidates) == bpm, "\(candidates)") }
  }
}
