import AnalysisTesting
import Foundation
import Glibc
import SystemPackage
import Testing
import Text

/// `analyze verify`, `run --verify`, `show --history` and the export of checksums.
@Suite(.bounded) struct VerifyTests {
  /// 2001, so no time is near the clock.
  private static let modified = 1_000_000_000

  private struct Library {
    let place: Workplace
    var database: [Argument] { ["--database", Argument(place.database)] }

    init(_ names: String...) throws {
      place = try Workplace()
      for (number, name) in names.enumerated() {
        let bytes = Audio.wav(UInt64(number), title: "Title of the track \(name)")
        try place.put(bytes, as: name, modified: VerifyTests.modified)
      }
      #expect(try place.run().status == 0)
    }

    func verify(_ options: Argument...) throws -> Outcome { try place.start(["verify"] + options + database).end() }

    func messages(_ options: Argument...) throws -> (status: Int, messages: [JSONValue]) {
      let outcome = try place.start(["verify", "--log-format", "json", "--verbose"] + options + database).end()
      let lines = outcome.errors.split(separator: "\n")
      return (outcome.status, try lines.map { try JSONValue(parsing: Array($0.utf8)) })
    }

    /// Flips a bit and puts the time back.
    func flip(_ name: String, at position: (Int) -> Int) throws {
      let path = place.library.appending(name)
      var bytes = Array(try Data(contentsOf: URL(filePath: path.string)))
      bytes[position(bytes.count)] ^= 4
      let file = try FileDescriptor.open(path, .writeOnly, options: .closeOnExec)
      _ = try file.closeAfter { try file.writeAll(bytes) }
      try place.setModificationTime(of: path, to: VerifyTests.modified)
    }

    func history(_ name: String) throws -> JSONValue {
      let path = Argument(place.library.appending(name))
      let outcome = try place.start(["show", "--history", "--json", path] + database).end()
      return try JSONValue(parsing: outcome.output)
    }

    func events(_ name: String) throws -> [String] {
      guard case .array(let events) = try history(name)["events"] else { return [] }
      return events.map { $0["event"].textValue }
    }

    func error(_ name: String) throws -> JSONValue {
      let path = Argument(place.library.appending(name))
      return try JSONValue(parsing: place.start(["show", "--json", path] + database).end().output)["error"]
    }
  }

  @Test func silentChangesAreFoundWhereTheyAre() throws {
    let library = try Library("audio.wav", "tags.wav", "fine.wav")
    let clean = try library.verify()
    #expect(clean.status == 0 && clean.errors.isEmpty && clean.output.isEmpty)
    let original = Audio.wav(0, title: "Title of the track audio.wav")
    try library.flip("audio.wav") { $0 / 2 }
    try library.flip("tags.wav") { $0 - 6 }

    let first = try library.messages()
    #expect(first.status == 3)
    var hits: [String: String] = [:]
    for message in first.messages where message["event"] == "file_changed_silently" {
      hits[FilePath(message["path"].textValue).lastComponent?.string ?? ""] = message["hit"].textValue
    }
    #expect(hits == ["audio.wav": "audio", "tags.wav": "tags"])
    let end = first.messages.last
    #expect(end?["event"] == "verification_ended" && end?["verified"] == 1 && end?["changed_silently"] == 2)
    #expect(try library.error("audio.wav")["code"] == "changed_silently")
    #expect(try library.error("fine.wav") == .null)
    #expect(try library.events("audio.wav").suffix(2).contains("changed_silently"))
    #expect(try library.history("tags.wav")["hit"] == "tags")
    #expect(try library.place.start(["doctor", "--check"] + library.database).end().status == 0)

    // Known from now on.
    #expect(try library.verify().status == 0)
    #expect(try library.verify("--fail-on", "any").status == 3)

    // A backup, and an intended change.
    try library.place.put(original, as: "audio.wav", modified: Self.modified)
    #expect(try library.verify("--accept", Argument(library.place.library.appending("tags.wav"))).status == 0)
    let last = try library.messages()
    #expect(last.status == 0)
    #expect(last.messages.last?["restored"] == 1 && last.messages.last?["verified"] == 2)
    for name in ["audio.wav", "tags.wav"] { #expect(try library.error(name) == .null) }
    #expect(try library.events("audio.wav").contains("restored"))
    #expect(try library.events("tags.wav").contains("accepted"))
    #expect(try library.history("audio.wav")["state"] == "well")
  }

  /// Answers of workers carry checksums, so what is merged can be verified like what a run has read.
  @Test(arguments: ["none", "process"]) func mergedLibrariesAreVerified(isolation: String) throws {
    let names = ["audio.wav", "tags.wav", "fine.wav"]
    let library = try Library(names[0], names[1], names[2])
    let place = library.place
    let worker = try place.start(
      ["worker", "--pipeline", "tags-only"],
      environment: ["ANALYZE_ISOLATION": isolation, "ANALYZE_CHECKSUMS": "sha256"],
      input: Array(names.map { "library/\($0)" }.joined(separator: "\n").utf8)
    ).end()
    let database = place.folder.file("merged.sqlite")
    let merge = try place.start(["merge", "-", "--database", Argument(database)], input: worker.output).end()
    #expect(merge.status == 0, "\(merge.errors)")
    let export = try place.start(["export", "checksums", "--database", Argument(database)]).end()
    #expect(export.status == 0 && export.text.contains("library/fine.wav"), "\(export.errors)")

    try library.flip("audio.wav") { $0 / 2 }
    try library.flip("tags.wav") { $0 - 6 }
    let verify = try place.start(["verify", "--log-format", "json", "--verbose", "--database", Argument(database)])
      .end()
    let messages = try verify.errors.split(separator: "\n").map { try JSONValue(parsing: Array($0.utf8)) }
    #expect(messages.last?["verified"] == 1 && messages.last?["taken"] == 0, "\(verify.errors)")
    var hits: [String: String] = [:]
    for message in messages where message["event"] == "file_changed_silently" {
      hits[FilePath(message["path"].textValue).lastComponent?.string ?? ""] = message["hit"].textValue
    }
    #expect(hits == ["audio.wav": "audio", "tags.wav": "tags"])
  }

  @Test func whatTheScanDealsWithIsLeftToIt() throws {
    let library = try Library("longer.wav", "later.wav", "gone.wav", "fine.wav")
    try library.place.put(Audio.wav(0, title: "Longer than it was before"), as: "longer.wav")
    try library.place.setModificationTime(of: library.place.library.appending("later.wav"), to: Self.modified + 60)
    try library.place.remove("gone.wav")
    let found = try library.messages()
    #expect(found.status == 0, "\(found.messages)")
    let end = try #require(found.messages.last)
    #expect(end["left_to_scan"] == 2 && end["missing"] == 1 && end["verified"] == 1 && end["changed_silently"] == 0)
    #expect(try library.place.run().totals == ["seen": 4, "analyzed": 2, "cached": 1, "vanished": 1])
    #expect(try library.events("longer.wav").contains("changed"))
    let next = try library.messages()
    #expect(next.status == 0 && next.messages.last?["verified"] == 3)
    // A missing folder is not reported as many missing files.
    try FileManager.default.moveItem(
      atPath: library.place.library.string, toPath: library.place.folder.file("elsewhere").string)
    let away = try library.messages()
    #expect(away.status == 1 && away.messages.contains { $0["event"] == "library_missing" })
  }

  @Test func editsThatKeepTheTimeAreNoNews() throws {
    let library = try Library("edited.wav", "hit.wav")
    try library.flip("edited.wav") { $0 - 6 }
    try library.flip("hit.wav") { $0 / 2 }
    // The status time tells the run that both were written.
    let run = try library.place.run()
    #expect(run.status == 3 && run.errors.contains("changed_silently"), "\(run.errors)")
    #expect(try library.error("edited.wav") == .null)
    #expect(try library.events("edited.wav").contains("changed"))
    #expect(try library.error("hit.wav")["code"] == "changed_silently")
    #expect(try library.verify().status == 0)
  }

  @Test func theLongestUnreadComeFirst() throws {
    let library = try Library("a.wav", "b.wav", "c.wav", "d.wav")
    for _ in 0..<2 {
      let part = try library.messages("--share", "50%")
      #expect(part.messages.last?["verified"] == 2)
    }
    for name in ["a.wav", "b.wav", "c.wav", "d.wav"] {
      #expect(try library.events(name).contains("verified"), "\(name)")
    }
  }

  @Test func partOfARun() throws {
    let library = try Library("a.wav", "b.wav")
    try library.flip("b.wav") { $0 / 2 }
    let environment = ["ANALYZE_IGNORE_CTIME": "true"]
    let metrics = library.place.folder.file("metrics.prom")
    let run = try library.place.run("--verify", "100%", "--metrics", Argument(metrics), environment: environment)
    #expect(run.status == 3)
    #expect(run.totals == ["seen": 2, "cached": 2])
    #expect(run.errors.contains("verified  2") && run.errors.contains("1 changed silently"), "\(run.errors)")
    #expect(run.file("b.wav")["error"]["code"] == "changed_silently")
    let text = try String(contentsOfFile: metrics.string, encoding: .utf8)
    #expect(text.contains(#"nocturne_run_verified_files{outcome="changed_silently"} 1"#))
    #expect(try library.place.run("--verify", "100%", environment: environment).status == 0)
    #expect(try library.place.start(["doctor", "--check"] + library.database).end().status == 0)
  }

  @Test func checksumsThatOtherProgramsRead() throws {
    let place = try Workplace()
    let names = ["plain.wav", "line\nbreak.wav", "back\\slash.wav", "50% of it.wav", "日本.wav"].map { FilePath($0) }
    let odd = FilePath(platformString: [0x63, 0x61, 0x66, CChar(bitPattern: 0xE9), 0x2E, 0x77, 0x61, 0x76, 0])
    for (number, name) in (names + [odd]).enumerated() { try place.put(Audio.wav(UInt64(number)), as: name) }
    #expect(try place.run().status == 0)
    let database: [Argument] = ["--database", Argument(place.database)]
    let list = place.folder.file("list")
    let refused = try place.start(["export", "checksums", "--output", Argument(list)] + database).end()
    #expect(refused.status == 1 && refused.errors.contains("verify --checksum sha256"), "\(refused.errors)")
    #expect(try place.start(["verify", "--checksum", "sha256,md5"] + database).end().status == 0)
    for algorithm in ["sha256", "md5"] {
      let option: [Argument] = ["--option", "algorithm=\(algorithm)", "--output", Argument(list)]
      #expect(try place.start(["export", "checksums"] + option + database).end().status == 0)
      let lines = String(
        decoding: try ExternalProgram("\(algorithm)sum").run(["--strict", "-c", list.string]), as: UTF8.self)
      #expect(lines.split(separator: "\n").count == 6, "\(lines)")
    }
    let bag = place.folder.file("bag")
    let export: [Argument] = ["export", "bagit", "--output", Argument(bag), "--option", "root=\(place.library.string)"]
    let bytes = try place.start(export + database).end()
    #expect(bytes.status == 1 && bytes.errors.contains("is not UTF-8"))
    try place.remove(odd)
    #expect(try place.run().status == 0)
    #expect(try place.start(export + database).end().status == 0)
    let manifest = try String(contentsOfFile: bag.appending("manifest-sha256.txt").string, encoding: .utf8)
    #expect(manifest.contains("  data/line%0Abreak.wav\n") && manifest.contains("  data/50%25 of it.wav\n"))
  }

  /// Checksums are of bytes, whether they are audio or not.
  @Test func checksumsCoverFailedFiles() throws {
    let place = try Workplace()
    for number in 1...3 { try place.put(Audio.wav(UInt64(number)), as: "album/\(number).wav") }
    for (name, bytes) in [("junk.mp3", Audio.junk), ("empty.flac", []), ("cut.wav", Array(Audio.wav(4).prefix(9_000)))]
    {
      try place.put(bytes, as: name)
    }
    try place.put([1, 2, 3], as: "album/cover.jpg")
    #expect(try place.run(environment: ["ANALYZE_CHECKSUMS": "sha256"]).status == 3)
    let database: [Argument] = ["--database", Argument(place.database)]
    let list = place.folder.file("list")
    let checksums: [Argument] = ["export", "checksums", "--output", Argument(list)] + database
    #expect(try place.start(checksums).end().status == 0)
    let lines = String(decoding: try ExternalProgram("sha256sum").run(["--strict", "-c", list.string]), as: UTF8.self)
    #expect(lines.split(separator: "\n").count == 6, "\(lines)")

    let bag = place.folder.file("bag")
    let root = Argument(stringLiteral: "root=\(place.library)")
    let export = try place.start(["export", "bagit", "--output", Argument(bag), "--option", root] + database).end()
    #expect(export.status == 0, "\(export.errors)")
    let manifest = try String(contentsOfFile: bag.appending("manifest-sha256.txt").string, encoding: .utf8)
    #expect(["data/junk.mp3", "data/empty.flac", "data/cut.wav"].allSatisfy(manifest.contains))
    #expect(!manifest.contains("cover.jpg"))
    let info = try String(contentsOfFile: bag.appending("bag-info.txt").string, encoding: .utf8)
    #expect(info.contains(".6\n"), "\(info)")

    // A file without this checksum is named.
    try place.put(Audio.junk + [0], as: "new.mp3")
    #expect(try place.run().status == 3)
    let refused = try place.start(checksums).end()
    #expect(refused.status == 1 && refused.errors.contains("new.mp3"), "\(refused.errors)")
    let skipped = try place.start(checksums + ["--option", "missing=skip"]).end()
    #expect(skipped.status == 0 && skipped.errors.contains("new.mp3 is not listed: There is no sha256"))
  }

  @Test func resultAsJSON() throws {
    let library = try Library("audio.wav", "fine.wav")
    try library.flip("audio.wav") { $0 / 2 }
    let validator = try SchemaValidator(try library.place.analyze("schema", "verification").text)
    for isNew in [true, false] {
      let outcome = try library.verify("--json")
      #expect(outcome.status == (isNew ? 3 : 0) && outcome.lines.count == 1, "\(outcome.errors)")
      let line = try #require(outcome.lines.first)
      #expect(try validator.complaints(about: JSONSerialization.jsonObject(with: Data(line.utf8))) == [])
      let value = try JSONValue(parsing: Array(line.utf8))
      #expect(value["exit_status"].intValue == outcome.status && value["stopped"] == false)
      #expect(value["totals"]["verified"] == 1)
      #expect(value["totals"][isNew ? "changed_silently" : "known_changed"] == 1)
      let files = value["files"].elements
      #expect(files.map { $0["hit"] } == ["audio"] && files.map { $0["is_new"] } == [isNew ? true : false])
    }
  }
}
