import AnalysisTesting
import AudioAnalysis
import Foundation
import SystemPackage
import Testing

/// `analyze set`: what a person says counts, whatever is found.
@Suite struct CorrectionTests {
  private struct Clicks {
    let place: Workplace
    let found: Double

    /// A library with a file and its copy, whose tempo was found.
    init() throws {
      place = try Workplace()
      let clicks = WAVFile(Signal.clickTrack(bpm: 120, start: 0.25, sampleRate: 22_050, seconds: 10)).bytes
      for name in ["a.wav", "copy.wav"] { try place.put(clicks, as: name) }
      let outcome = try place.run(pipeline: "tempo")
      guard case .number(let bpm) = outcome.file("a.wav")["tempo"]["bpm"] else { throw Errno.invalidArgument }
      #expect(outcome.file("a.wav")["tempo"]["locked"] == false)
      found = bpm
    }

    func set(_ arguments: Argument...) throws -> Outcome {
      try place.start(["set", "--database", Argument(place.database)] + arguments).end()
    }

    func tempo(_ options: Argument...) throws -> JSONValue {
      let report = try place.start(
        ["report", "library/a.wav", "--report", "ndjson", "--output", "-", "--include", "beats", "--database"]
          + [Argument(place.database)] + options
      ).end()
      return try JSONValue(parsing: report.output)["tempo"]
    }
  }

  private func number(_ value: JSONValue) -> Double {
    if case .number(let number) = value { number } else { .nan }
  }

  @Test func halfTheTempoHasHalfTheBeatsAndStays() throws {
    let clicks = try Clicks()
    let before = try clicks.tempo()
    let set = try clicks.set("library/a.wav", "--half")
    #expect(set.status == 0 && set.text == "")
    #expect(set.errors.contains("locked") && set.errors.contains("1 copy of the same audio"))
    let locked = try clicks.tempo()
    #expect(number(locked["bpm"]) == clicks.found / 2 && locked["locked"] == true && number(locked["confidence"]) == 1)
    #expect(locked["beats_s"].elements.count == (before["beats_s"].elements.count + 1) / 2)
    // Neither another run nor a new name changes it, and the copy has it too.
    try clicks.place.move("a.wav", to: "b.wav")
    let again = try clicks.place.run("--force", pipeline: "tempo")
    for name in ["b.wav", "copy.wav"] { #expect(number(again.file(name)["tempo"]["bpm"]) == clicks.found / 2) }
    let shown = try clicks.place.analyze("show", "library/b.wav", "--database", Argument(clicks.place.database))
    #expect(shown.text.contains("locked") && shown.text.contains("tempo found"))
    try clicks.place.move("b.wav", to: "a.wav")
    _ = try clicks.place.run(pipeline: "tempo")
    #expect(try clicks.set("library/a.wav", "--unset", "bpm").errors.contains("as found"))
    #expect(try clicks.tempo() == before)
  }

  @Test func tempoOfAPerson() throws {
    let clicks = try Clicks()
    #expect(try clicks.set("library/a.wav", "library/copy.wav", "--bpm", "97.5").status == 0)
    let tempo = try clicks.tempo()
    #expect(number(tempo["bpm"]) == 97.5 && tempo["beats_s"] == .null && tempo["reason"] == .null)
    #expect(try clicks.set("library/a.wav", "--double").errors.contains("195.00 BPM, locked"))
  }

  @Test func nothingIsSetByMistake() throws {
    let clicks = try Clicks()
    try clicks.place.put(Audio.junk, as: "junk.mp3")
    _ = try clicks.place.run(pipeline: "tempo")
    for arguments: [Argument] in [
      ["library/a.wav"], ["library/a.wav", "--half", "--double"], ["library/a.wav", "--bpm", "0"],
      ["library/a.wav", "--bpm", "nan"], ["library/a.wav", "--unset", "title"], ["--bpm", "90"],
    ] {
      #expect(try clicks.place.start(["set"] + arguments).end().status == 64, "\(arguments)")
    }
    for name: Argument in ["library/junk.mp3", "library/nowhere.wav"] {
      #expect(try clicks.set("library/a.wav", name, "--half").status == 1)
    }
    #expect(try clicks.tempo()["locked"] == false)
  }
}
