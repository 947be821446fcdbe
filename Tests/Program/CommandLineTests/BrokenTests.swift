import AnalysisTesting
import Foundation
import SystemPackage
import Testing
import Text

/// `analyze broken`: damaged and badly made files, worst first.
@Suite(.bounded) struct BrokenTests {
  private func music(_ seed: UInt64) -> Signal {
    var signal = Signal.chords(seed: seed, seconds: 8)
    for frame in 0..<signal.frameCount {
      signal.channels[0][frame] *= min(1, Float(min(frame, signal.frameCount - 1 - frame)) / 22_050)
    }
    return signal
  }

  /// One whole file, one with dropouts, one with one channel, and one that is cut off.
  private func library() throws -> Workplace {
    let place = try Workplace()
    let whole = Signal.channels([music(1), music(2)])
    try place.put(WAVFile(whole).bytes, as: "whole.wav")
    var dropouts = whole
    for channel in 0..<2 {
      for start in [80_000, 160_000] { for frame in start..<start + 900 { dropouts.channels[channel][frame] = 0 } }
    }
    try place.put(WAVFile(dropouts).bytes, as: "dropouts.wav")
    let dead = Signal.channels([music(1), .silence(seconds: 8)])
    try place.put(WAVFile(dead).bytes, as: "dead.wav")
    try place.put(Array(WAVFile(whole).bytes.prefix(200_000)), as: "cut.wav")
    #expect(try place.run(pipeline: "health").status != 1)
    return place
  }

  private func broken(_ place: Workplace, _ arguments: Argument...) throws -> Outcome {
    try place.start(["broken", "--database", Argument(place.database)] + arguments).end()
  }

  private func name(_ track: JSONValue) -> String { URL(filePath: track["path"].textValue).lastPathComponent }

  @Test func worstFirstWithReasonsAndPlaces() throws {
    let place = try library()
    let outcome = try broken(place, "--json", "--from", "0.3")
    #expect(outcome.status == 0 && outcome.errors == "")
    let tracks = try outcome.text.split(separator: "\n").map { try JSONValue(parsing: Array($0.utf8)) }
    try #require(tracks.map(name) == ["cut.wav", "dead.wav", "dropouts.wav"])
    #expect(tracks.map { $0["reasons"].elements[0]["kind"] } == ["truncated", "dead_channel", "dropout"])
    let dropouts = tracks[2]["reasons"].elements.filter { $0["kind"] == "dropout" }
    #expect(dropouts.count == 2)
    let starts = dropouts.compactMap { reason -> Double? in
      if case .number(let start) = reason["start_s"] { start } else { nil }
    }
    #expect(starts.count == 2 && abs(starts[0] - 80_000.0 / 44_100) < 0.01)

    let validator = try SchemaValidator(try place.analyze("schema", "broken").text)
    for line in outcome.text.split(separator: "\n") {
      #expect(try validator.complaints(about: JSONSerialization.jsonObject(with: Data(line.utf8))) == [])
    }
  }

  @Test func filtersAndText() throws {
    let place = try library()
    let text = try broken(place, "--where", "health_dropouts:1..", "--from", "0.3").text
    #expect(text.contains("dropouts.wav") && text.contains("Dropout of 20.4 ms at 0:01.81"))
    #expect(!text.contains("dead.wav"))
    let none = try broken(place, "--where", "path:whole", "--from", "0.3")
    #expect(none.status == 0 && none.text == "" && none.errors.contains("Nothing is known to be wrong with 1 file."))
    let worst = try broken(place, "--limit", "1", "--json").text.split(separator: "\n")
    #expect(worst.count == 1)
  }

  /// An MP3 that was decoded and encoded as FLAC.
  @Test func losslessThatIsNot() throws {
    let place = try Workplace()
    let fixture = Repository.url("Fixtures/music/rocker-ronni.mp3")
    try ExternalProgram.ffmpeg.run(["-i", fixture.path(), place.library.appending("decoded.flac").string])
    #expect(try place.run(pipeline: "health").status == 0)
    let outcome = try broken(place, "--json", "--where", "origin_verdict:lossy")
    let track = try JSONValue(parsing: outcome.output)
    let reason = track["reasons"].elements.first { $0["kind"] == "lossy_origin" }
    #expect(reason?["message"].textValue.contains("MP3") == true)
  }

  @Test func whatIsWrongIsSaid() throws {
    let place = try Workplace()
    let outcome = try broken(place, "--from", "2")
    #expect(outcome.status == 64 && outcome.errors.contains("--from expects 0 to 1"))
  }
}
