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
}
