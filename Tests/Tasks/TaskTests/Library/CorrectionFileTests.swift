import Analysis
import AnalysisTesting
import LibraryTasks
import Platform
import ResultStore
import SystemPackage
import Testing

/// Corrections as text, and tempo from taps.
@Suite(.bounded) struct CorrectionFileTests {
  /// Rounds times like the database.
  private static func rounded(_ times: [Double]) -> [Double] { times.map { ($0 * 10_000).rounded() / 10_000 } }

  @Test func timesComeBackExactly() throws {
    var random = SplitMix64(seed: 3)
    for _ in 0..<200 {
      var time = Double.random(in: 0...3, using: &random)
      var period = Double.random(in: 0.1...2, using: &random)
      let drift = Double.random(in: -0.001...0.001, using: &random)
      let jitter = [0, 0, 0.0002, 0.02][Int(Double.random(in: 0...3.99, using: &random))]
      var times: [Double] = []
      for _ in 0..<Int(Double.random(in: 0...600, using: &random)) {
        times.append(time)
        time += max(0.001, period + Double.random(in: -jitter...jitter, using: &random))
        period = min(2, max(0.1, period + (Double.random(in: 0...1, using: &random) > 0.5 ? drift : 0)))
      }
      times = Self.rounded(times)
      #expect(TimeNotation.times(in: TimeNotation.text(of: times)) == times)
    }
  }

  @Test func evenBeatsAreFewRuns() {
    for (start, period) in [(0.0, 0.5), (0.41, 60 / 126.0), (1.23456, 60 / 174.02), (0.00004, 1 / 3.0)] {
      let beats = Self.rounded((0..<2000).map { start + Double($0) * period })
      let text = TimeNotation.text(of: beats)
      #expect(text.utf8.count < beats.count / 2, "\(text)")
    }
    #expect(TimeNotation.text(of: []) == "" && TimeNotation.times(in: "") == [])
    #expect(TimeNotation.text(of: [0.5]) == "0.5")
    #expect(TimeNotation.text(of: [0.25, 0.75, 1.25]) == "0.25+0.5*3")
  }

  @Test(
    arguments: [
      "x", "1 1", "2 1", "-1", "0+0*2", "0+0.5*0", "0+0.5*99999999999", "0+0.5*2000000", "nan", "inf", "0+-0.5*2",
      "1+0.00001*3", "0,5", "1e999", "0+1*1000000 1",
    ]) func whatAreNoTimes(text: String)
  {
    #expect(TimeNotation.times(in: text) == nil)
  }

  private func tempo(_ times: [Double]) -> Double? {
    var taps = TapTempo()
    for time in times { taps.tap(at: time) }
    return taps.bpm
  }

  @Test func tapsHaveTheTempoOfTheMusic() throws {
    var random = SplitMix64(seed: 5)
    for bpm in [48.0, 90, 127.5, 174] {
      let times = (0..<16).map { 5 + Double($0) * 60 / bpm + Double.random(in: -0.02...0.02, using: &random) }
      #expect(abs(try #require(tempo(times)) / bpm - 1) < 0.01)
      // Skipped beats, and a bouncing key.
      var uneven = times
      uneven.remove(at: 9)
      uneven.remove(at: 4)
      uneven.insert(uneven[6] + 0.015, at: 7)
      #expect(abs(try #require(tempo(uneven)) / bpm - 1) < 0.015)
    }
    #expect(tempo([0, 0.5, 1]) == nil)
    // Counting restarts after a pause.
    #expect(tempo([0, 0.5, 1, 1.5, 6, 6.5, 7]) == nil)
    #expect(abs(try #require(tempo([0, 0.9, 1.7, 6, 6.5, 7, 7.5])) - 120) < 0.01)
    #expect(tempo([1, 1, 1, 1, 1]) == nil)
  }

  @Test func tapsThatAreNearACandidateAreThat() {
    var taps = TapTempo()
    for tap in 0..<8 { taps.tap(at: Double(tap) * 0.476) }
    #expect(taps.bpm(near: [63, 126.2, 252]) == 126.2)
    #expect(taps.bpm(near: [63, 140]) == 126.1)
    #expect(taps.bpm(near: []) == 126.1)
  }

  @Test func timestampsAreRead() {
    let time = Timestamp(nanoseconds: 1_795_320_904_000_000_000)
    #expect(Timestamp(rfc3339: time.description) == time)
    for (text, seconds) in [
      ("1970-01-01T00:00:00Z", 0), ("2000-02-29T12:00:00Z", 951_825_600), ("1970-01-01T01:00:00+01:00", 0),
      ("1969-12-31 23:30:00-00:30", 0), ("2026-11-21t04:15:04.999z", 1_795_234_504),
    ] as [(String, Int64)] { #expect(Timestamp(rfc3339: text)?.seconds == seconds, "\(text)") }
    for text in ["", "2026-11-21", "2026-13-01T00:00:00Z", "2026-11-21T04:15:04", "9999-01-01T00:00:00Z", "x"] {
      #expect(Timestamp(rfc3339: text) == nil, "\(text)")
    }
  }
}
