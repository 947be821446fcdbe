import AnalysisTesting
import Testing
import Text

@testable import Server
@testable import Serving

@Suite(.bounded) struct TempoRequestTests {
  private func request(_ body: [String: JSONValue]) throws -> TempoRequest {
    try TempoRequest(body, candidates: [120, 90])
  }

  @Test func changesOfOneRequestGoTogether() throws {
    let request = try request(["times": "1/2", "shift_ms": -10, "bar_beats": 4, "preview": true])
    #expect(request.isPreview)
    guard case .set(.times(let ratio)?, .seconds(let seconds)?, .ofBeats(4)?) = request.change else {
      Issue.record("\(request.change)")
      return
    }
    #expect(ratio.value == 0.5 && seconds == -0.01)
  }

  @Test func tapsAreTakenForANearCandidate() throws {
    let taps: [JSONValue] = (0..<6).map { .number(Double($0) * 0.505) }
    guard case .set(.beatsPerMinute(let bpm)?, nil, nil) = try request(["taps": .array(taps)]).change else {
      Issue.record("no tempo")
      return
    }
    #expect(bpm == 120)
  }

  @Test(
    arguments: [
      [:], ["bpm": 9], ["bpm": 1001], ["bpm": "fast"], ["times": "5/7"], ["times": 2], ["taps": [0, 1]],
      ["taps": [0, 2, 1, 3]], ["bpm": 100, "times": "2"], ["shift_ms": 1, "shift_beats": 1],
      ["no_tempo": true, "bpm": 90],
      ["bar_beats": 0], ["move_bar": 1.5], ["bmp": 120], ["preview": true], ["confirm": "yes"],
      ["shift_beats": .number(.infinity)],
    ] as [[String: JSONValue]])
  func whatMakesNoSenseIsSaid(_ body: [String: JSONValue]) {
    do {
      _ = try request(body)
      Issue.record("\(body) was taken")
    } catch let error as RequestError {
      #expect(error.status.code == 422)
      #expect(error.message.hasSuffix(".") || error.message.hasSuffix("?"), "\(error.message)")
    } catch {
      Issue.record("\(error)")
    }
  }

  private func isTaken(_ body: [String: JSONValue]) -> Bool { (try? request(body)) != nil }

  /// Both sides of each limit.
  @Test(arguments: [
    ("bpm", 10, 1_000), ("shift_beats", -16, 16), ("shift_ms", -60_000, 60_000), ("first_beat_s", 0, 1_000_000),
    ("move_bar", -64, 64), ("bar_beats", 1, 12),
  ])
  func numbersHaveLimits(name: String, lowest: Int64, highest: Int64) {
    #expect(isTaken([name: .integer(lowest)]) && isTaken([name: .integer(highest)]))
    #expect(!isTaken([name: .integer(lowest - 1)]) && !isTaken([name: .integer(highest + 1)]))
    #expect(!isTaken([name: "1"]) && !isTaken([name: .null]) && isTaken([name: .null, "no_tempo": true]))
  }

  /// A change, or one of the two other statements.
  @Test func statementsExcludeEachOther() throws {
    for (noTempo, confirm, isChange) in [
      (true, false, false), (false, true, false), (false, false, true), (false, false, false), (true, true, false),
      (true, false, true), (false, true, true), (true, true, true),
    ] {
      for change in [["bpm": 100], ["shift_ms": 5], ["bar_beats": 3]] as [[String: JSONValue]] {
        let body: [String: JSONValue] = ["no_tempo": .bool(noTempo), "confirm": .bool(confirm)]
        let whole = isChange ? body.merging(change) { $1 } : body
        let count = [noTempo, confirm, isChange].count { $0 }
        #expect(isTaken(whole) == (count == 1), "\(whole)")
        guard count == 1 else { continue }
        switch try request(whole).change {
        case .noTempo: #expect(noTempo)
        case .set(nil, nil, nil): #expect(confirm)
        case .set: #expect(isChange)
        case .unset: Issue.record("\(whole)")
        }
      }
    }
    #expect(try !request(["confirm": true]).isPreview && request(["confirm": true, "preview": true]).isPreview)
    #expect(try !request(["confirm": true, "preview": false]).isPreview)
  }

  @Test func oneOfEachKindIsEnough() {
    let all: [[(String, JSONValue)]] = [
      [("bpm", 100), ("times", "2"), ("taps", [0, 0.5, 1, 1.5])],
      [("shift_beats", 1), ("shift_ms", 1), ("first_beat_s", 1)], [("move_bar", 1), ("bar_beats", 4)],
    ]
    for kind in all {
      for (index, one) in kind.enumerated() {
        #expect(isTaken([one.0: one.1]), "\(one.0)")
        for other in kind[(index + 1)...] {
          #expect(!isTaken([one.0: one.1, other.0: other.1]), "\(one.0) and \(other.0)")
          #expect(isTaken([one.0: one.1, other.0: .null]), "\(one.0)")
        }
      }
    }
    #expect(isTaken(["bpm": 100, "shift_ms": 1, "move_bar": 1]))
  }

  @Test func tapsAreCounted() {
    func taps(_ count: Int) -> [String: JSONValue] { ["taps": .array((0..<count).map { .number(Double($0) / 2) })] }
    for (count, isEnough) in [(3, false), (4, true), (64, true), (65, false)] {
      #expect(isTaken(taps(count)) == isEnough, "\(count) taps")
    }
    #expect(!isTaken(["taps": [0, 0.5, 0.5, 1]]) && !isTaken(["taps": [0, 0.5, "1", 1.5]]) && !isTaken(["taps": 1]))
    // Too fast and too slow to be beats.
    #expect(!isTaken(["taps": [0, 0.01, 0.02, 0.03]]))
  }
}
