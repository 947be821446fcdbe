import AnalysisTesting
import Glibc
import SystemPackage
import Testing

@testable import Platform

/// Proofs that Nocturne wrote a file, and what may be overwritten.
@Suite(.bounded) struct OriginProofTests {
  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  private func proves(_ proof: OriginProof, _ bytes: [UInt8]) throws -> Bool {
    proof.isGiven(by: try folder.write(bytes, as: "file"))
  }

  private let mark = Array("nocturne".utf8)

  /// Bytes with the mark at an offset.
  private func marked(_ count: Int, at offset: Int) -> [UInt8] {
    [UInt8](repeating: 0x78, count: offset) + mark + [UInt8](repeating: 0x78, count: count - offset - mark.count)
  }

  @Test(
    arguments: [
      (8, 0, true), (200_000, 0, true), (200_000, 65_528, true), (200_000, 65_529, false), (200_000, 100_000, false),
      (200_000, 134_463, false), (200_000, 134_464, true), (200_000, 199_992, true), (65_536, 65_528, true),
      (65_537, 65_529, false), (100_000, 65_536, true), (100_000, 99_992, true), (131_073, 65_536, false),
      (131_072, 65_536, true),
    ] as [(Int, Int, Bool)]) func marksAreNearTheEnds(count: Int, offset: Int, isFound: Bool) throws
  {
    #expect(try proves(.text(marks: ["nocturne"]), marked(count, at: offset)) == isFound)
  }

  @Test func marksMayBeUTF16() throws {
    let units = Array("odd♪nocturne".utf16)
    let little = units.flatMap { [UInt8($0 % 256), UInt8($0 / 256)] }
    let big = units.flatMap { [UInt8($0 / 256), UInt8($0 % 256)] }
    for bytes in [little, big, Array("odd♪nocturne".utf8)] {
      #expect(try proves(.text(marks: ["d♪noc"]), [0x78] + bytes))
      #expect(try !proves(.text(marks: ["d♪nox"]), bytes))
      #expect(try !proves(.text(marks: ["d♪noc"]), Array(bytes.dropLast(bytes.count / 2))))
    }
  }

  @Test func allMarksAndTheBeginningCount() throws {
    let bytes = Array("<x> one and two".utf8)
    #expect(try proves(.text(beginning: "<x>", marks: ["one", "two"]), bytes))
    #expect(try !proves(.text(beginning: "<y>", marks: ["one", "two"]), bytes))
    #expect(try !proves(.text(beginning: "x>"), bytes) && proves(.text(beginning: "<x"), bytes))
    #expect(try !proves(.text(beginning: "<x>", marks: ["one", "three"]), bytes))
    #expect(try !proves(.text(marks: ["three", "two"]), bytes))
    #expect(try proves(.text(), bytes) && proves(.text(marks: [""]), bytes) && proves(.text(), []))
    #expect(try !proves(.text(marks: ["<x> one and two!"]), bytes) && proves(.text(marks: ["<x> one and two"]), bytes))
    #expect(
      !OriginProof.text().isGiven(by: folder.file("none")) && OriginProof.text().objection == "has no mark of Nocturne")
  }

  @Test func theFirstBytesMayBeTested() throws {
    let proof = OriginProof.head(orElse: "is odd") { $0.count == 65_536 && $0.first == 1 && $0.last == 2 }
    #expect(try proves(proof, [1] + [UInt8](repeating: 0, count: 65_534) + [2, 3, 3]) && proof.objection == "is odd")
    #expect(try !proves(proof, [1, 2]) && !proof.isGiven(by: folder.file("none")))
  }

  // MARK: - Overwriting

  private let ours = OriginProof(orElse: "is not ours") { $0.lastComponent?.string == "ours" }

  @Test func filesOfOthersStay() throws {
    try folder.write([1], as: "ours")
    try folder.write([1], as: "other")
    try folder.write([1], as: "third")
    try folder.write([], as: "empty")
    #expect(symlink("gone", folder.file("dead").string) == 0)
    let rule = OverwriteRule()
    for name in ["ours", "empty", "none"] {
      #expect(throws: Never.self) { try rule.check(folder.file(name), ours) }
      #expect(throws: Never.self) { try rule.forRegularFiles.check(folder.file(name), ours) }
    }
    #expect(throws: OverwriteError.notOurs(folder.file("other"), objection: "is not ours", otherCount: 0)) {
      try rule.check(folder.file("other"), ours)
    }
    #expect(throws: OverwriteError.notOurs(folder.file("dead"), objection: "leads nowhere", otherCount: 0)) {
      try rule.check(folder.file("dead"), ours)
    }
    #expect(throws: OverwriteError.notOurs(folder.file("other"), objection: "is not ours", otherCount: 2)) {
      try rule.check(["ours", "other", "empty", "dead", "third"].map { (folder.file($0), ours) })
    }
    for name in ["other", "dead"] {
      #expect(throws: Never.self) { try OverwriteRule(allowsOthers: true).check(folder.file(name), ours) }
    }
  }

  @Test(arguments: [true, false]) func foldersAndStreams(allowsOthers: Bool) throws {
    let rule = OverwriteRule(allowsOthers: allowsOthers)
    let pipe = folder.file("pipe")
    #expect(mkfifo(pipe.string, 0o600) == 0)
    let open = try FileDescriptor.openWithoutWaiting("/dev/null")
    defer { try? open.close() }
    #expect(throws: OverwriteError.isFolder(folder.path)) { try rule.check(folder.path, ours) }
    for (path, name) in [
      (pipe, "a named pipe"), ("/dev/null", "a device"),
      (FilePath("/dev/fd/\(open.rawValue)"), "an open file of a program"),
    ] as [(FilePath, String)] {
      #expect(throws: Never.self) { try rule.check(path, ours) }
      #expect(throws: OverwriteError.notAFile(path, reason: "it is \(name)")) {
        try rule.forRegularFiles.check(path, ours)
      }
    }
  }

  @Test func errorsSayWhatToDo() {
    let one = OverwriteError.notOurs("/a", objection: "is odd", otherCount: 0)
    #expect(
      one.description
        == "/a exists, and nothing shows that Nocturne wrote it: it is odd. Nothing was written. Name another place, "
        + "or use --force to replace it.")
    #expect(one.descriptionWithoutForce.hasSuffix("Name another place, or move it away."))
    let two = OverwriteError.notOurs("/a", objection: "is odd", otherCount: 1).description
    #expect(two.contains("1 other file, and") && two.hasSuffix("or use --force to replace them."))
    let three = OverwriteError.notOurs("/a", objection: "is odd", otherCount: 2).description
    #expect(three.contains("2 other files, and") && three.contains("wrote them: the first is odd."))
    #expect(
      OverwriteError.isFolder("/a").description == "/a is a folder, not a file. Nothing was written. Name a file.")
    #expect(
      OverwriteError.notAFile("/a", reason: "it is odd").description.hasPrefix("/a cannot be written: it is odd."))
    #expect("\(OutputObstacle.pipeWithoutReader)" == "it is a named pipe that no program reads")
  }

  // MARK: - Inventories

  private func status(_ name: String) throws -> FileStatus {
    try FileStatus(at: folder.file(name), followingLinks: true)
  }

  private func lines(_ inventory: FileInventory) -> [String] {
    String(decoding: inventory.lines, as: UTF8.self).split(separator: "\n").map(String.init)
  }

  @Test func unchangedFilesAreKnown() throws {
    try folder.write([1, 2, 3], as: "a b")
    let now = try status("a b")
    for (seconds, size, isKnown) in [
      (0, 0, true), (2, 0, true), (-2, 0, true), (3, 0, false), (-3, 0, false), (0, 1, false), (0, -1, false),
    ] as [(Int64, Int64, Bool)] {
      var noted = now
      noted.modified = Timestamp(seconds: now.modified.seconds + seconds, nanoseconds: 0)
      noted.size += size
      var inventory = FileInventory(of: folder.path)
      inventory.note("a b", as: noted)
      #expect(inventory.has("a b") == isKnown && !inventory.has("other"))
    }
  }

  @Test func inventoriesAreWrittenAndRead() throws {
    for name in ["b", "a\nb", "é"] { try folder.write(Array(name.utf8), as: name) }
    var inventory = FileInventory(of: folder.path)
    #expect(inventory.lines.isEmpty)
    for name in ["b", "a\nb", "é"] { inventory.note(FilePath.Component(name)!, as: try status(name)) }
    try inventory.write()
    let again = FileInventory(of: folder.path)
    let text = String(decoding: again.bytes, as: UTF8.self)
    #expect(again.bytes == inventory.bytes && text.hasPrefix("nocturne files 1\n"))
    #expect(lines(again).map { $0.split(separator: " ").last } == ["%C3%A9", "a%0Ab", "b"])
    #expect(lines(again).last == "1 \(try status("b").modified.seconds) b")
    for name in ["b", "a\nb", "é"] {
      #expect(again.has(FilePath.Component(name)!) && FileInventory.proof.isGiven(by: folder.file(name)))
    }
    try folder.write([1], as: "other")
    #expect(!FileInventory.proof.isGiven(by: folder.file("other")))
    #expect(FileInventory.proof.objection == "is not listed in .nocturne-files next to it, or has changed since")
  }

  /// A file keeps its version until it is replaced, since the program may be killed before.
  @Test func theVersionInPlaceIsKept() throws {
    try folder.write([1], as: "a")
    let now = try status("a")
    func version(_ size: Int64) -> FileStatus {
      var status = now
      status.size = size
      return status
    }
    func line(_ size: Int64) -> String { "\(size) \(now.modified.seconds) a" }
    var inventory = FileInventory(of: folder.path)
    inventory.note("a", as: version(5))
    #expect(lines(inventory) == [line(5)])
    inventory.note("a", as: now)
    #expect(lines(inventory) == [line(1)])
    inventory.note("a", as: version(6))
    #expect(lines(inventory) == [line(1), line(6)] && inventory.has("a"))
    inventory.note("a", as: version(7))
    #expect(lines(inventory) == [line(1), line(7)])
    var others = FileInventory()
    #expect(others.folder == nil && !others.has("a"))
    others.note("a", as: version(8))
    others.note("b", as: version(9))
    others.note("b", as: version(10))
    inventory.note(others)
    #expect(lines(inventory) == [line(1), line(8), "10 \(now.modified.seconds) b"])
    try others.write()
    #expect(try FolderListing.names(in: folder.path) == ["a"])
  }

  @Test func foreignInventoriesAreEmpty() throws {
    for text in ["nocturne files 2\n1 2 a\n", "\n", "", "x"] {
      try folder.write(Array(text.utf8), as: ".nocturne-files")
      #expect(FileInventory(of: folder.path).lines.isEmpty)
    }
    try folder.write(
      Array("nocturne files 1\n1 2 a\n1 2\n1 2 3 a\nx 2 a\n1 x a\n1 3 a\n4 5 b".utf8), as: ".nocturne-files")
    #expect(lines(FileInventory(of: folder.path)) == ["1 2 a", "1 3 a", "4 5 b"])
    try folder.file(".nocturne-files").unlink()
    #expect(mkfifo(folder.file(".nocturne-files").string, 0o600) == 0)
    #expect(FileInventory(of: folder.path).lines.isEmpty)
  }

  @Test func missingFilesAreForgotten() throws {
    FileInventory.removeAbsent(in: folder.path)
    #expect(try FolderListing.names(in: folder.path).isEmpty)
    try folder.write([1], as: "a")
    try folder.write([1], as: "b")
    var inventory = FileInventory(of: folder.path)
    for name in ["a", "b"] { inventory.note(FilePath.Component(name)!, as: try status(name)) }
    try inventory.write()
    try folder.file("b").unlink()
    FileInventory.removeAbsent(in: folder.path)
    #expect(lines(FileInventory(of: folder.path)).count == 1 && FileInventory(of: folder.path).has("a"))
    try folder.file("a").unlink()
    FileInventory.removeAbsent(in: folder.path)
    #expect(try FolderListing.names(in: folder.path).isEmpty)
  }
}
