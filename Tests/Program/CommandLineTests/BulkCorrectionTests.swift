import AnalysisTesting
import Foundation
import SystemPackage
import Testing
import Text

/// `analyze set --where`, `--export` and `--import`.
@Suite(.bounded) struct BulkCorrectionTests {
  /// A library of clicks of several tempi, a copy, silence and a file that is no audio.
  private static func library() throws -> Workplace {
    let place = try Workplace()
    for bpm in [80.0, 90, 150] {
      try place.put(
        WAVFile(Signal.clickTrack(bpm: bpm, start: 0.25, sampleRate: 22_050, seconds: 10)).bytes, as: "\(Int(bpm)).wav")
    }
    try place.put(
      WAVFile(Signal.clickTrack(bpm: 80, start: 0.25, sampleRate: 22_050, seconds: 10)).bytes, as: "copy of 80.wav")
    try place.put(WAVFile(Signal.silence(sampleRate: 22_050, seconds: 8)).bytes, as: "silence.wav")
    try place.put(Audio.junk, as: "junk.mp3")
    _ = try place.run(pipeline: "tempo")
    return place
  }

  private static func set(_ place: Workplace, _ arguments: Argument..., input: [UInt8]? = nil) throws -> Outcome {
    try place.start(["set", "--database", Argument(place.database)] + arguments, input: input).end()
  }

  /// Tempi of all files as text, with their beats.
  private static func tempi(_ place: Workplace) throws -> [String: JSONValue] {
    let report = try place.start(
      ["report", "--report", "ndjson", "--output", "-", "--include", "beats", "--database", Argument(place.database)]
    ).end()
    var tempi: [String: JSONValue] = [:]
    for line in report.lines {
      let record = try JSONValue(parsing: Array(line.utf8))
      tempi[FilePath(record["path"].textValue).lastComponent?.string ?? ""] = record["tempo"]
    }
    return tempi
  }

  private static func number(_ value: JSONValue) -> Double {
    switch value {
    case .number(let number): number
    case .integer(let number): Double(number)
    default: .nan
    }
  }

  @Test func nothingChangesWithoutYes() throws {
    let place = try Self.library()
    let before = try Self.tempi(place)
    let dry = try Self.set(place, "--where", "bpm:70..100", "--double")
    #expect(dry.status == 0 && dry.text == "")
    #expect(dry.errors.contains("3 tracks matched, 2 recordings would be changed"), "\(dry.errors)")
    #expect(dry.errors.contains("1 track: copies of the same audio"))
    #expect(dry.errors.contains("set --database \(place.database.string) --where bpm:70..100 --double --yes"))
    #expect(try Self.tempi(place) == before)
    let done = try Self.set(place, "--where", "bpm:70..100", "--double", "--yes")
    #expect(done.status == 0 && done.errors.contains("2 recordings were changed"))
    let after = try Self.tempi(place)
    for name in ["80.wav", "copy of 80.wav", "90.wav"] {
      let (old, new) = (try #require(before[name]), try #require(after[name]))
      #expect(abs(Self.number(new["bpm"]) - 2 * Self.number(old["bpm"])) < 0.001 && new["locked"] == true)
      #expect(new["beats_s"].elements.count == 2 * old["beats_s"].elements.count - 1)
    }
    #expect(after["150.wav"] == before["150.wav"])
    // The same again has nothing to do: they are not between 70 and 100 any more.
    #expect(try Self.set(place, "--where", "bpm:70..100", "--double", "--yes").errors.contains("No track matches."))
    let back = try Self.set(place, "--where", "", "--unset", "bpm", "--yes")
    #expect(back.errors.contains("2 recordings were changed") && back.errors.contains("not corrected before"))
    #expect(try Self.tempi(place) == before)
  }

  @Test func whatCannotChangeIsCounted() throws {
    let place = try Self.library()
    let answer = try Self.set(place, "--where", "", "--times", "1/3", "--json", "--yes")
    let json = try JSONValue(parsing: answer.output)
    #expect(answer.status == 0 && answer.errors == "")
    #expect(json["dry_run"] == false && json["matched"] == 6 && json["changed"] == 3 && json["copies"] == 1)
    let reasons = json["refused"].elements.map { "\($0["reason"].textValue) \($0["count"].intValue ?? 0)" }
    #expect(Set(reasons) == ["no_audio 1", "no_tempo 1"])
    let fast = try Self.set(place, "--where", "", "--times", "1/3", "--json")
    let refused = try JSONValue(parsing: fast.output)["refused"].elements
    #expect(refused.contains { $0["reason"] == "out_of_range" } && refused.allSatisfy { $0["count"].intValue ?? 0 > 0 })
    let none = try Self.set(place, "--where", "path:150", "--no-tempo", "--yes")
    #expect(none.errors.contains("no tempo, locked; no steady beat"), "\(none.errors)")
    let tempo = try #require(try Self.tempi(place)["150.wav"])
    #expect(
      tempo["bpm"] == .null && tempo["locked"] == true && tempo["beats_s"] == .null && tempo["reason"] == "no_pulse")
    let dry = try Self.set(place, "library/90.wav", "--bpm", "93", "-n")
    #expect(dry.errors.contains("would set") && dry.errors.contains("beats to be laid on the audio"))
    for options: [Argument] in [
      ["--where", "bpm:x", "--half"], ["--where", "", "library/90.wav", "--half"],
      ["--yes", "library/90.wav", "--half"],
      ["--where", "", "--half", "--yes", "-n"], ["--export", "x.csv", "--half"], ["--export", "a", "--import", "b"],
      ["--force", "library/90.wav", "--half"], ["--no-tempo", "--half", "library/90.wav"],
      ["--export", "x", "--where", ""],
    ] {
      let outcome = try place.start(["set", "--database", Argument(place.database)] + options).end()
      #expect(outcome.status == 64, "\(options): \(outcome.errors)")
    }
  }

  /// Corrections outlive files, and move to another database.
  @Test func correctionsComeBack() throws {
    let place = try Self.library()
    #expect(try Self.set(place, "library/80.wav", "--bpm", "97.5").status == 0)
    #expect(try Self.set(place, "library/90.wav", "--double", "--shift-beats", "1/4").status == 0)
    #expect(try Self.set(place, "library/150.wav", "--no-tempo").status == 0)
    let corrected = try Self.tempi(place)
    let table = place.folder.file("corrections.csv")
    #expect(try Self.set(place, "--export", Argument(table)).status == 0)
    let text = try String(contentsOfFile: table.string, encoding: .utf8)
    let rows = try CSVReader.rows(of: text)
    #expect(rows.count == 4 && rows[0].cells.prefix(5) == ["content_id", "path", "artist", "title", "bpm"])
    #expect(Set(rows.map { $0.cells[4] }) == ["bpm", "97.5", "none", "180"])
    // Gone, forgotten and back under another name.
    let bytes = try Data(contentsOf: URL(filePath: place.library.appending("90.wav").string))
    try place.remove("90.wav")
    _ = try place.run(pipeline: "tempo")
    #expect(
      try place.analyze("prune", "--database", Argument(place.database)).errors.contains("1 vanished file forgotten"))
    try place.put([UInt8](bytes), as: "back.wav")
    _ = try place.run(pipeline: "tempo")
    #expect(try Self.tempi(place)["back.wav"] == corrected["90.wav"])
    // A new database has them before it has the files.
    let other = try Workplace()
    try other.put(WAVFile(Signal.silence(sampleRate: 22_050, seconds: 8)).bytes, as: "silence.wav")
    _ = try other.run(pipeline: "tempo")
    let dry = try Self.set(other, "--import", Argument(table), "--dry-run", "--json")
    #expect(try JSONValue(parsing: dry.output)["waiting"] == 3)
    let taken = try Self.set(other, "--import", Argument(table))
    #expect(
      taken.status == 0 && taken.errors.contains("3 new (3 for audio that is not in the library yet)"),
      "\(taken.errors)")
    for name in ["80.wav", "back.wav", "150.wav"] {
      try other.put([UInt8](Data(contentsOf: URL(filePath: place.library.appending(name).string))), as: "copy \(name)")
    }
    _ = try other.run(pipeline: "tempo")
    let tempi = try Self.tempi(other)
    #expect(tempi["copy 80.wav"] == corrected["80.wav"] && tempi["copy back.wav"] == corrected["90.wav"])
    #expect(tempi["copy 150.wav"] == corrected["150.wav"])
    #expect(try Self.set(other, "--import", Argument(table)).errors.contains("0 new, 3 as they were"))
    let doctor = try other.analyze("doctor", "--check", "--database", Argument(other.database))
    #expect(doctor.status == 0, "\(doctor.text)\(doctor.errors)")
    // Both databases write the same corrections, whatever the files are called.
    let exported = try CSVReader.rows(of: Self.set(other, "--export", "-").text).map { [$0.cells[0]] + $0.cells[4...] }
    #expect(Set(exported) == Set(rows.map { [$0.cells[0]] + $0.cells[4...] }))
  }

  @Test func theNewerOfTwoCounts() throws {
    let place = try Self.library()
    #expect(try Self.set(place, "library/90.wav", "--half").status == 0)
    let exported = try Self.set(place, "--export", "-").text
    let id = try #require(try CSVReader.rows(of: exported).last?.cells[0])
    func take(_ bpm: String, _ time: String, _ options: Argument...) throws -> Outcome {
      let table = "\u{FEFF}BPM,title,content_id,corrected_at\n\(bpm),\"two\nlines, \"\"quoted\"\"\",\(id),\(time)\n"
      return try place.start(
        ["set", "--database", Argument(place.database), "--import", "-"] + options, input: Array(table.utf8)
      ).end()
    }
    let old = try take("180", "2001-01-01T00:00:00Z")
    #expect(old.status == 0 && old.errors.contains("1 older than what was set here"), "\(old.errors)")
    #expect(abs(Self.number(try #require(try Self.tempi(place)["90.wav"])["bpm"]) - 45) < 0.1)
    #expect(try take("180", "2001-01-01T00:00:00Z", "--force").errors.contains("1 replaced"))
    // Its beats follow those that were found.
    let tempo = try #require(try Self.tempi(place)["90.wav"])
    #expect(Self.number(tempo["bpm"]) == 180 && tempo["beats_s"].elements.count > 24)
    #expect(try take("60", "2999-01-01T00:00:00+02:00").status == 3)
    #expect(try take("60", "2199-01-01T00:00:00+02:00").errors.contains("1 replaced"))
  }

  @Test func everyMetreComesBack() throws {
    let place = try Self.library()
    #expect(try Self.set(place, "library/90.wav", "--half").status == 0)
    let id = try #require(try CSVReader.rows(of: Self.set(place, "--export", "-").text).last?.cells[0])
    for (metre, isOne) in [("5/4", true), ("12/8", true), ("7", false), ("4/0", false), ("x", false)] {
      let table =
        "content_id,bpm,metre,beats,downbeats,corrected_at\n\(id),120,\(metre),0.25+0.5*12,0.25+2.5*2,2199-01-01T00:00:00Z\n"
      let outcome = try place.start(
        ["set", "--database", Argument(place.database), "--import", "-", "--force"], input: Array(table.utf8)
      ).end()
      #expect(outcome.status == (isOne ? 0 : 3), "\(metre): \(outcome.errors)")
      if isOne { #expect(try Self.tempi(place)["90.wav"]?["metre"] == .string(metre)) }
    }
  }

  @Test func badTablesLoseNothing() throws {
    let place = try Self.library()
    #expect(try Self.set(place, "--where", "bpm:70..200", "--double", "--yes").status == 0)
    let lines = try Self.set(place, "--export", "-").text.components(separatedBy: "\r\n")
    let bad = [
      lines[0], "x,1", lines[1], "\"open,1", ",,,,,,,,,", lines[1],
      lines[2].replacingOccurrences(of: "true", with: "perhaps"), String(repeating: "a", count: 9 << 20), "\0\u{FF}",
      "",
      lines[3],
    ]
    try place.write(bad.joined(separator: "\n"), to: place.folder.file("bad.csv"))
    #expect(try Self.set(place, "--where", "", "--unset", "bpm", "--yes").status == 0)
    let outcome = try Self.set(place, "--import", "bad.csv", "--json")
    let json = try JSONValue(parsing: outcome.output)
    #expect(outcome.status == 3 && json["new"] == 2 && json["same"] == 1)
    #expect(json["unreadable_lines"].elements.compactMap { $0["line"].intValue } == [2, 4, 5, 7, 8, 9], "\(json.text)")
    for (table, reason) in [
      ("", "it is empty"), ("a,b\n1,2\n", "no column content_id"), ("content_id;bpm\n", "semicolons"),
      ("\"content_id,bpm", "quotation mark"),
    ] {
      let refused = try Self.set(place, "--import", "-", input: Array(table.utf8))
      #expect(refused.status == 1 && refused.errors.contains(reason), "\(refused.errors)")
    }
    #expect(try Self.set(place, "--import", "nowhere.csv").errors.contains("cannot be read"))
    // An older export is not overwritten by chance.
    let again = try Self.set(place, "--export", "bad.csv")
    #expect(again.status == 1 && again.errors.contains("--force"))
    #expect(try Self.set(place, "--export", "bad.csv", "--force").status == 0)
  }
}
