import AnalysisTesting
import Foundation
import SystemPackage
import Testing
import Text

/// The commands that show stored results.
@Suite(.bounded) struct InspectionTests {
  @Test func reportsComeBackWithoutTheAudio() throws {
    let place = try Workplace()
    try place.put(Audio.wav(1, title: "Gone"), as: "x/a.wav")
    try place.put(Audio.wav(2), as: "y/b.wav")
    let run = try place.run()
    try FileManager.default.removeItem(atPath: place.library.string)

    let database = Argument(place.database)
    let again = try place.analyze(
      "report", "--report", "json", "--report", "csv", "--output", "again", "--database", database)
    #expect(again.status == 0)
    // Silent, since cron sends mail for any output.
    #expect(again.text == "" && again.errors == "")
    let report = try JSONValue(
      parsing: Array(Data(contentsOf: URL(filePath: place.folder.file("again/report.json").string))))
    #expect(report["files"] == run.report["files"])
    #expect(report["run"] == run.report["run"])
    #expect(try Data(contentsOf: URL(filePath: place.folder.file("again/report.csv").string)).count > 500)
    // A part of the library.
    let part = try place.analyze("report", "library/x", "--report", "ndjson", "--output", "-", "--database", database)
    #expect(try part.lines.map { try JSONValue(parsing: Array($0.utf8)).withoutTime } == [run.file("a.wav")])

    let none = try place.analyze("report", "--report", "json", "--database", "none.sqlite")
    #expect(none.status == 1)
    #expect(none.errors.contains("none.sqlite"))
    #expect(!FileManager.default.fileExists(atPath: place.folder.file("none.sqlite").string))
  }

  @Test func showTellsOfAFile() throws {
    let place = try Workplace()
    try place.put(Audio.wav(1, title: "Étude"), as: "a.wav")
    let run = try place.run()
    let database = Argument(place.database)
    let text = try place.analyze("show", "library/a.wav", "--database", database)
    #expect(text.status == 0)
    for word in ["\(place.library)/a.wav", "Étude", "11025 Hz", "mono", "chromaprint"] {
      #expect(text.text.contains(word))
    }
    let json = try place.analyze("show", "library/a.wav", "--json", "--database", database)
    #expect(try JSONValue(parsing: json.output).withoutTime == run.file("a.wav"))
    #expect(json.lines.count == 1)

    let unknown = try place.analyze("show", "library/b.wav", "--database", database)
    #expect(unknown.status == 1)
    #expect(unknown.text == "")
    #expect(unknown.errors.contains("\(place.library)/b.wav is not in the database"))
  }

  @Test func severalFilesByAnyNameThatLeadsToThem() throws {
    let place = try Workplace()
    try place.put(Audio.wav(1), as: "a b.wav")
    try place.put(Audio.wav(2), as: "c.wav")
    _ = try place.run()
    let manager = FileManager.default
    let (link, hardLink) = (place.folder.file("link.wav"), place.folder.file("hard.wav"))
    try manager.createSymbolicLink(atPath: link.string, withDestinationPath: "\(place.library)/a b.wav")
    try manager.linkItem(atPath: "\(place.library)/c.wav", toPath: hardLink.string)
    let uri = "file://" + place.library.string + "/a%20b.wav"
    let database = Argument(place.database)

    let named = try place.analyze("show", "library/a b.wav", "library/c.wav", "--json", "--database", database)
    #expect(named.status == 0 && named.lines.count == 2)
    let others = try place.analyze("show", Argument(stringLiteral: uri), "hard.wav", "--json", "--database", database)
    #expect(others.status == 0 && others.text == named.text, "\(others.errors)")
    #expect(try place.analyze("show", "link.wav", "--json", "--database", database).lines == [named.lines[0]])
    for words: [Argument] in [["show", "--why"], ["waveform"]] {
      let outcome = try place.start(words + ["link.wav", "--database", database]).end()
      #expect(!outcome.errors.contains("Nothing is known"), "\(outcome.errors)")
    }

    // A problem with one file does not stop the others.
    let partly = try place.analyze("show", "none.wav", "library/c.wav", "--database", database)
    #expect(partly.status == 1 && partly.text.contains("c.wav"))
    #expect(partly.errors.contains("is not in the database") && partly.errors.contains("none.wav"))
    let bad = try place.analyze("show", "file://elsewhere/a.wav", "--database", database)
    #expect(bad.status == 64 && bad.errors.contains("file://elsewhere/a.wav"))
  }

  @Test func lyricsAndChaptersComeWhereAskedFor() throws {
    let place = try Workplace()
    func size(_ number: Int) -> [UInt8] { [24, 16, 8, 0].map { UInt8(number >> $0 & 0xFF) } }
    func frame(_ id: String, _ body: [UInt8]) -> [UInt8] { Array(id.utf8) + size(body.count) + [0, 0] + body }
    let lyrics = frame("USLT", [0] + Array("eng\0[00:01.50]First\n[00:02.00]Second".utf8))
    let times = size(0) + size(2_000) + size(-1) + size(-1)
    let chapter = frame("CHAP", Array("c\0".utf8) + times + frame("TIT2", [0] + Array("Opening".utf8)))
    // The size has seven bits to a byte, and one of them an eighth that means nothing.
    let frames = lyrics + chapter
    let tag = Array("ID3".utf8) + [3, 0, 0, 0x80, 0, UInt8(frames.count >> 7), UInt8(frames.count & 0x7F)] + frames
    let audio = Audio.wav(1)
    try place.put(tag + audio, as: "a.wav")
    let run = try place.run()
    let plain = run.file("a.wav")
    #expect(plain["status"] == "ok")
    #expect(plain["tags"]["has_lyrics"] == .bool(true))
    #expect(plain["tags"]["lyrics"] == .null && plain["tags"]["chapters"] == .null)
    #expect(plain["remarks"].elements.map { $0["code"] } == ["tags_remark"])

    let database = Argument(place.database)
    let full = try place.analyze(
      "report", "--include", "lyrics", "--include", "chapters", "--report", "ndjson", "--output", "-", "--database",
      database)
    let tags = try JSONValue(parsing: Array(try #require(full.lines.first).utf8))["tags"]
    #expect(tags["lyrics"].elements.first?["language"] == "eng")
    #expect(tags["lyrics"].elements.first?["lines"].elements.map { $0["time_s"].numberValue } == [1.5, 2])
    #expect(tags["chapters"].elements.map { $0["title"] } == ["Opening"])
    #expect(tags["chapters"].elements.map { $0["end_s"].numberValue } == [2])
    let shown = try place.analyze("show", "library/a.wav", "--database", database).text
    for words in ["0:01.50 First", "0:02.00 Second", "0:00.00 Opening"] { #expect(shown.contains(words)) }
  }

  @Test func explainTellsWhy() throws {
    let place = try Workplace()
    try place.put(Audio.wav(1), as: "good.wav", modified: 1_000_000)
    try place.put(Audio.wav(2), as: "changed.wav", modified: 1_000_000)
    try place.put(Audio.wav(3), as: "gone.wav")
    try place.put(Audio.junk, as: "bad.mp3")
    try place.put([1], as: "cover.jpg")
    _ = try place.run()
    try place.put(Audio.wav(4), as: "changed.wav", modified: 2_000_000)
    try place.remove("gone.wav")
    _ = try place.run("--only", "tags", paths: ["library/good.wav", "library/bad.mp3"])
    try place.put(Audio.wav(5), as: "new.wav")

    let shown = try place.analyze(
      "show", "library/good.wav", "--database", Argument(place.database), "--pipeline", "tempo")
    #expect(shown.status == 64 && shown.errors.contains("--pipeline needs --why"))
    func explain(_ name: String, _ pipeline: Argument = "fingerprint") throws -> String {
      let outcome = try place.analyze(
        "show", "--why", "library/\(name)", "--database", Argument(place.database), "--pipeline", pipeline)
      #expect(outcome.status == 0)
      return outcome.text
    }
    #expect(try explain("good.wav").contains("cached"))
    let byFormerName = try place.analyze(
      "explain", "library/good.wav", "--database", Argument(place.database), "--pipeline", "fingerprint")
    #expect(byFormerName.status == 0 && byFormerName.text.contains("cached"), "\(byFormerName.errors)")
    #expect(try explain("good.wav", "default").contains("would run: tempo"))
    #expect(try explain("changed.wav").contains("It has changed since"))
    #expect(try explain("bad.mp3").contains("unknown_format"))
    #expect(try explain("bad.mp3").contains("--retry-failed"))
    #expect(try explain("cover.jpg").contains("not_audio"))
    #expect(try explain("new.wav").contains("no run has seen it"))
    #expect(try explain("gone.wav").contains("The file no longer exists"))
    _ = try place.run()
    #expect(try explain("gone.wav").contains("no longer found it"))
  }

  @Test func schemasAreThoseOfTheRepository() throws {
    let place = try Workplace()
    let folder = Repository.url("reports/schema")
    let files = [
      "json": "nocturne.report.v1.schema.json", "ndjson": "nocturne.file.v1.schema.json",
      "csv": "nocturne.csv.v1.table.json", "duckdb": "nocturne.duckdb.v1.sql", "match": "nocturne.match.v1.schema.json",
      "listen": "nocturne.listen.v1.schema.json", "similar": "nocturne.similar.v2.schema.json",
      "search": "nocturne.search.v2.schema.json", "search-hit": "nocturne.search_hit.v2.schema.json",
      "click": "nocturne.click.v2.schema.json", "metronome": "nocturne.metronome.v1.schema.json",
      "playlist": "nocturne.playlist.v2.schema.json", "set": "nocturne.set.v2.schema.json",
      "corrections": "nocturne.corrections.v1.schema.json", "review": "nocturne.review.v2.schema.json",
      "removal": "nocturne.removal.v1.schema.json", "write-tags": "nocturne.write_tags.v1.schema.json",
      "worker": "nocturne.worker.v1.schema.json", "plan": "nocturne.plan.v1.schema.json",
      "planned-file": "nocturne.planned_file.v1.schema.json", "history": "nocturne.history.v1.schema.json",
      "broken": "nocturne.broken.v1.schema.json",
      "verification": "nocturne.verification.v1.schema.json", "duplicates": "nocturne.duplicates.v1.schema.json",
    ]
    for (format, name) in files {
      let schema = try place.analyze("schema", "\(format)")
      #expect(schema.status == 0)
      #expect(try schema.output == Array(Data(contentsOf: folder.appendingPathComponent(name))))
    }
    #expect(try place.analyze("schema", "--output", "schemas").status == 0)
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: place.folder.file("schemas").string).sorted()
        == files.values.sorted())
  }

  @Test func doctorFindsWhatIsWrong() throws {
    let place = try Workplace()
    #expect(try place.analyze("doctor").status == 0)
    try place.put(Audio.wav(1), as: "a.wav")
    _ = try place.run()
    let database = Argument(place.database)
    let well = try place.analyze(
      "doctor", "--check", "--database", database, environment: ["ANALYZE_LIBRARY": place.library.string])
    #expect(well.status == 0)
    #expect(!well.text.contains("WRONG"))
    #expect(well.text.contains("the database is sound"))
    #expect(well.text.contains("chromaprint"))

    for (variable, value) in [("ANALYZE_LIBRARY", "/no/such/folder"), ("ANALYZE_JOB", "3")] {
      let outcome = try place.analyze("doctor", "--database", database, environment: [variable: value])
      #expect(outcome.status == 1)
      #expect(outcome.text.contains("WRONG"))
    }
    try place.write("no database", to: place.folder.file("other"))
    let foreign = try place.analyze("doctor", "--database", "other")
    #expect(foreign.status == 1)
    #expect(foreign.text.contains("WRONG"))
    #expect(try place.run("--database", "other").status == 1)
    #expect(try String(contentsOfFile: place.folder.file("other").string, encoding: .utf8) == "no database")

    // Damage in the middle of the file.
    var bytes = try [UInt8](Data(contentsOf: URL(filePath: place.database.string)))
    for index in 20_000..<bytes.count { bytes[index] = 0x5A }
    try place.write(bytes, to: place.database)
    let damaged = try place.analyze("doctor", "--check", "--database", database)
    #expect(damaged.status == 1)
    #expect(damaged.text.contains("WRONG"))
    let run = try place.run("--force")
    #expect(run.status == 1)
    #expect(run.errors.contains("is damaged"), "\(run.errors)")
  }
}
