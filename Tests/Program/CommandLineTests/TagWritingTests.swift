import AnalysisTesting
import Foundation
import Glibc
import Platform
import SystemPackage
import Testing
import Text

/// `analyze write-tags`, on WAV files with nothing but a fingerprint to write.
@Suite(.bounded) struct TagWritingTests {
  private let place: Workplace
  private let pipeline: Argument
  private static let field: Argument = "acoustid_fingerprint"

  init() throws {
    place = try Workplace()
    pipeline = try place.makePipelineThatLogs()
  }

  private func read() throws { #expect(try place.run(pipeline: pipeline).status == 0) }

  /// Writes into all of the library, unless the words say something else.
  private func write(_ words: Argument...) throws -> (status: Int, results: [JSONValue], errors: String) {
    let texts = words.map { String(decoding: $0.bytes, as: UTF8.self) }
    let isNarrowed = texts.contains { $0.hasPrefix(place.library.string) || ["--undo", "--all"].contains($0) }
    let isPlan = texts.contains { ["-n", "--dry-run", "--undo"].contains($0) }
    let outcome = try place.start(
      ["write-tags"] + words + (isNarrowed ? [] : ["--all"]) + (isPlan ? [] : ["--yes"])
        + ["--database", Argument(place.database), "--json"]
    ).end()
    return (outcome.status, try outcome.lines.map { try JSONValue(parsing: Array($0.utf8)) }, outcome.errors)
  }

  private func bytes(_ name: String) throws -> [UInt8] {
    Array(try Data(contentsOf: URL(filePath: place.library.appending(name).string)))
  }

  private var names: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: place.library.string).sorted() }
  }

  private var journals: [FilePath] {
    get throws {
      try FileManager.default.contentsOfDirectory(atPath: place.folder.path.string).sorted()
        .filter { $0.hasPrefix("results-tags-") }.map { place.folder.file($0) }
    }
  }

  /// A WAV file whose tag has another fingerprint.
  private func tagged(_ seed: UInt64, fingerprint: String) -> [UInt8] {
    let body = [0] + Array("Acoustid Fingerprint".utf8) + [0] + Array(fingerprint.utf8)
    let frame = Array("TXXX".utf8) + [0, 0, 0, UInt8(body.count), 0, 0] + body
    var tag = Array("ID3".utf8) + [4, 0, 0, 0, 0, 0, UInt8(frame.count)] + frame
    if tag.count % 2 == 1 {
      tag[9] += 1
      tag.append(0)
    }
    var bytes = Audio.wav(seed) + Array("id3 ".utf8) + [UInt8(tag.count), 0, 0, 0] + tag
    for (index, shift) in [0, 8, 16, 24].enumerated() {
      bytes[4 + index] = UInt8(truncatingIfNeeded: (bytes.count - 8) >> shift)
    }
    return bytes
  }

  private func status(_ name: String) throws -> stat {
    var status = stat()
    guard place.library.appending(name).withPlatformString({ lstat($0, &status) }) == 0 else {
      throw Errno(rawValue: errno)
    }
    return status
  }

  @Test func writtenAndTakenBack() throws {
    for seed in 1...2 { try place.put(Audio.wav(UInt64(seed)), as: "\(seed).wav") }
    try read()
    #expect(place.takeLog() == ["1.wav", "2.wav"])
    let planned = try write(Self.field, "--dry-run")
    #expect(planned.status == 0 && planned.results.map { $0["status"] } == ["planned", "planned"])
    #expect(try bytes("1.wav") == Audio.wav(1) && journals.isEmpty)

    let written = try write(Self.field, Argument(place.library.appending("1.wav")))
    #expect(written.status == 0 && written.errors == "" && written.results.map { $0["status"] } == ["written"])
    let change = written.results[0]["changes"].elements[0]
    #expect(change["tag"] == "id3v2" && change["key"] == "TXXX:Acoustid Fingerprint" && change["before"] == .null)
    let validator = try SchemaValidator(place.analyze("schema", "write-tags").text)
    for result in planned.results + written.results {
      #expect(try validator.complaints(about: JSONSerialization.jsonObject(with: Data(result.text.utf8))) == [])
    }
    #expect(try bytes("2.wav") == Audio.wav(2) && names == ["1.wav", "2.wav"] && journals.count == 1)

    // The run sees other tags and the same audio, and decodes nothing.
    let run = try place.run(pipeline: pipeline)
    #expect(run.totals["analyzed"] == 1 && place.takeLog() == [])
    #expect(run.file("1.wav")["tags"]["acoustid_fingerprint"] == run.file("1.wav")["fingerprint"]["value"])
    let after = try bytes("1.wav")
    #expect(
      try write(Self.field, Argument(place.library.appending("1.wav"))).results.map { $0["status"] } == ["unchanged"])
    #expect(try bytes("1.wav") == after)

    #expect(try write("--undo", Argument(journals[0])).results.map { $0["status"] } == ["written"])
    #expect(try bytes("1.wav") == Audio.wav(1))
    #expect(try write("--undo", Argument(journals[0])).results.map { $0["status"] } == ["unchanged"])
    let text = try place.analyze(
      "write-tags", Self.field, Argument(place.library.appending("2.wav")), "--database", Argument(place.database))
    #expect(text.lines.count == 2 && text.lines[1].hasPrefix("  + acoustid_fingerprint"))
    #expect(text.errors.contains("Nothing was changed") && text.errors.contains(" --yes"))
    #expect(try bytes("2.wav") == Audio.wav(2))
  }

  /// Neither its own change nor that of another program prevents the next one.
  @Test func aSecondWriteNeedsNoRunBetween() throws {
    try place.put(Audio.wav(1), as: "1.wav")
    try read()
    let journals = ["a", "b"].map { Argument(place.folder.file("\($0).ndjson")) }
    #expect(try write(Self.field, "--journal", journals[0]).results.map { $0["status"] } == ["written"])
    #expect(try write(Self.field).results.map { $0["status"] } == ["unchanged"])
    try place.put(tagged(1, fingerprint: "AQother"), as: "1.wav")
    #expect(try write(Self.field).results.map { $0["status"] } == ["kept"])
    #expect(
      try write(Self.field, "--overwrite", "--journal", journals[1]).results.map { $0["status"] } == ["written"])
    #expect(try write("--undo", journals[1]).results.map { $0["status"] } == ["written"])
    #expect(try write("--undo", journals[0]).results.map { $0["status"] } == ["kept"])
    #expect(try bytes("1.wav") == tagged(1, fingerprint: "AQother"))
  }

  /// A kill may end the program before the first line of its journal is whole.
  @Test(arguments: ["", #"{"jour"#, #"{"journal":"nocturne.tag_journal","program":"N"#])
  func aJournalWithoutAnyLine(text: String) throws {
    let journal = place.folder.file("empty.ndjson")
    try place.write(text, to: journal)
    let outcome = try place.start(["write-tags", "--undo", Argument(journal), "--database", Argument(place.database)])
      .end()
    #expect(outcome.status == 0 && outcome.errors.contains("nothing was written"))
    try place.put(Audio.wav(1), as: "1.wav")
    try read()
    #expect(try write(Self.field, "--journal", Argument(journal)).results.map { $0["status"] } == ["written"])
    #expect(try write("--undo", Argument(journal)).results.map { $0["status"] } == ["written"])
    #expect(try bytes("1.wav") == Audio.wav(1))
  }

  /// Two programs at once, with two databases.
  @Test func valuesOfTwoProgramsAreKept() throws {
    for seed in 1...12 { try place.put(Audio.wav(UInt64(seed)), as: "\(seed).wav") }
    try read()
    let other = place.folder.file("other.sqlite")
    try FileManager.default.copyItem(atPath: place.database.string, toPath: other.string)
    let first = try place.start(
      ["write-tags", Self.field, "--all", "--yes", "--json", "--database", Argument(place.database)])
    let second = try place.start(["write-tags", Self.field, "--all", "--yes", "--json", "--database", Argument(other)])
    let outcomes = [first.end(), second.end()]
    for outcome in outcomes {
      for line in outcome.lines {
        let status = try JSONValue(parsing: Array(line.utf8))["status"]
        #expect(status == "written" || status == "unchanged", "\(line)")
      }
    }
    #expect(try names.count == 12)
    for name in try names { #expect(String(decoding: try bytes(name), as: UTF8.self).contains("Acoustid Fingerprint")) }
  }

  @Test func otherValuesAreKept() throws {
    try place.put(tagged(1, fingerprint: "AQother"), as: "1.wav")
    try read()
    let old = try bytes("1.wav")
    let kept = try write(Self.field)
    #expect(kept.status == 0 && kept.results.map { $0["status"] } == ["kept"] && kept.results[0]["changes"] == .null)
    #expect(kept.results[0]["kept"].elements.map { $0["before"].elements } == [["AQother"]])
    #expect(try bytes("1.wav") == old && journals.isEmpty)
    #expect(
      try place.analyze("write-tags", Self.field, "--all", "--database", Argument(place.database)).text.contains(
        "AQother is kept"))

    let journal = place.folder.file("own.ndjson")
    #expect(
      try write(Self.field, "--overwrite", "--journal", Argument(journal)).results.map { $0["status"] } == ["written"])
    let new = try bytes("1.wav")
    #expect(new != old)
    // Later changes by a person stay.
    try place.put(tagged(1, fingerprint: "AQperson"), as: "1.wav")
    #expect(try write("--undo", Argument(journal)).results.map { $0["status"] } == ["kept"])
    #expect(try bytes("1.wav") == tagged(1, fingerprint: "AQperson"))
    try place.put(new, as: "1.wav")
    // A truncated line, as after a kill, does not count.
    let file = try FileDescriptor.open(journal, .writeOnly, options: .append)
    try file.closeAfter { _ = try file.writeAll(#"{"at":"2026"#.utf8) }
    #expect(try write("--undo", Argument(journal)).results.map { $0["status"] } == ["written"])
    #expect(try write(Self.field, "-n").results.isEmpty == false)
    #expect(try write("--undo", Argument(place.library.appending("1.wav"))).status == 1)
  }

  @Test func rightsAttributesAndTimesAreKept() throws {
    let path = try place.put(Audio.wav(1), as: "1.wav", modified: 1_000_000_000)
    try read()
    _ = path.withPlatformString { chmod($0, 0o640) }
    let attribute = try RunningProgram(
      [
        "-c", "import os,sys\ntry: os.setxattr(sys.argv[1], 'user.note', b'mine')\nexcept OSError: sys.exit(9)",
        Argument(path),
      ],
      of: "/usr/bin/python3", environment: place.environment, workingFolder: "/"
    ).end()
    #expect(try write(Self.field, "--preserve-mtimes").results.map { $0["status"] } == ["written"])
    let after = try status("1.wav")
    #expect(after.st_mode & 0o7777 == 0o640 && after.st_mtim.tv_sec == 1_000_000_000)
    if attribute.status == 0 {
      let value = try RunningProgram(
        ["-c", "import os,sys; print(os.getxattr(sys.argv[1], 'user.note').decode())", Argument(path)],
        of: "/usr/bin/python3", environment: place.environment, workingFolder: "/"
      ).end()
      #expect(value.text == "mine\n")
    }
    // The old time does not hide the change from the next run.
    _ = place.takeLog()
    #expect(try place.run(pipeline: pipeline).file("1.wav")["tags"]["acoustid_fingerprint"] != .null)
    #expect(place.takeLog() == [])
  }

  @Test func linksAreRespected() throws {
    let outside = place.folder.file("outside.wav")
    try place.write(Audio.wav(1), to: outside)
    #expect(
      outside.withPlatformString { target in
        place.library.appending("link.wav").withPlatformString { symlink(target, $0) }
      } == 0)
    try place.put(Audio.wav(2), as: "2.wav")
    let other = place.folder.file("name.wav")
    #expect(
      place.library.appending("2.wav").withPlatformString { old in other.withPlatformString { link(old, $0) } } == 0)
    try read()
    let first = try write(Self.field)
    #expect(first.status == 3 && first.errors.contains("hard links"))
    #expect(try bytes("2.wav") == Audio.wav(2))
    #expect(try status("link.wav").st_mode & S_IFMT == S_IFLNK)
    if first.results.count == 2 { #expect(try Data(contentsOf: URL(filePath: outside.string)) != Data(Audio.wav(1))) }
    #expect(try write(Self.field, "--split-hard-links", Argument(place.library.appending("2.wav"))).status == 0)
    #expect(try bytes("2.wav") != Audio.wav(2))
    #expect(try Data(contentsOf: URL(filePath: other.string)) == Data(Audio.wav(2)))
  }

  @Test func filesThatAreLeftAlone() throws {
    for seed in 1...3 { try place.put(Audio.wav(UInt64(seed)), as: "\(seed).wav") }
    try place.put(Array(Audio.wav(4).prefix(80_000)), as: "4.wav")
    #expect(try place.run("--fail-on", "never", pipeline: pipeline).status == 0)
    _ = place.library.appending("1.wav").withPlatformString { chmod($0, 0o444) }
    try place.put(Audio.wav(5), as: "2.wav", modified: 1_500_000_000)
    let before = try names.map { try bytes($0) }
    let outcome = try write(Self.field)
    #expect(outcome.status == 3)
    #expect(outcome.results.map { $0["status"] } == ["failed", "failed", "written", "failed"])
    #expect(outcome.results.map { $0["reason"] } == ["not_writable", "changed", .null, "odd_structure"])
    for index in [0, 1, 3] { #expect(try bytes("\(index + 1).wav") == before[index]) }
    // A folder without write permission, as for root.
    _ = place.library.withPlatformString { chmod($0, 0o555) }
    defer { _ = place.library.withPlatformString { chmod($0, 0o755) } }
    let refused = try write(Self.field, "--overwrite", Argument(place.library.appending("1.wav")))
    #expect(refused.results.map { $0["reason"] } == ["not_writable"])
  }

  @Test func nothingIsWrittenWithoutAJournalOrDuringARun() throws {
    try place.put(Audio.wav(1), as: "1.wav")
    try read()
    let journal = try write(Self.field, "--journal", "/dev/null/none.ndjson")
    #expect(journal.status == 1 && journal.errors.contains("journal"))
    #expect(try write(Self.field, "--all", "--journal", Argument(place.library.appending("1.wav"))).status == 1)
    do {
      let lock = try FileLock(FilePath(place.database.string + ".lock"))
      #expect(lock != nil)
      #expect(try write(Self.field).status == 11)
      #expect(try write(Self.field, "-n").status == 0)
    }
    #expect(try bytes("1.wav") == Audio.wav(1) && names == ["1.wav"])
    for words: [Argument] in [
      [], ["tempo"], ["bpn"], ["bpm", "--key-notation", "x"], ["bpm", "--undo", "x"], [Self.field],
      [Self.field, "--yes"],
      [Self.field, "--all", "--yes", "-n"], [Self.field, "--all", Argument(place.library)],
    ] {
      #expect(try place.start(["write-tags"] + words + ["--database", Argument(place.database)]).end().status == 64)
    }
  }

  @Test(.enabled(if: SmallDisk.isPossible)) func aFullDiskLeavesTheOldFile() throws {
    try place.put(Audio.wav(1), as: "1.wav")
    let script = """
      mount -t tmpfs -o size=200k none "\(place.library)" || exit 99
      cp "\(place.folder.file("spare.wav"))" "\(place.library)/1.wav"
      "$0" run "\(place.library)" --database "\(place.database)" --pipeline fingerprint; echo "run $?"
      head -c 60000 /dev/zero > "\(place.library)/filler"
      "$0" write-tags acoustid_fingerprint --all --yes --database "\(place.database)"; echo "full $?"
      cmp "\(place.folder.file("spare.wav"))" "\(place.library)/1.wav" && ls -A "\(place.library)"
      rm "\(place.library)/filler"
      "$0" write-tags acoustid_fingerprint --all --yes --database "\(place.database)" > "\(place.folder.file("out"))"; echo "room $?"
      """
    try place.write(Audio.wav(1), to: place.folder.file("spare.wav"))
    let outcome = try RunningProgram(
      ["-rm", "sh", "-c", Argument(stringLiteral: script), Argument(RunningProgram.executable)], of: "/usr/bin/unshare",
      environment: place.environment, workingFolder: place.folder.path
    ).end()
    #expect(outcome.lines == ["run 0", "full 3", "1.wav", "filler", "room 0"], "\(outcome.text) \(outcome.errors)")
    #expect(outcome.errors.contains("No space left"), "\(outcome.errors)")
  }
}
