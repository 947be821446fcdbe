import Analysis
import AnalysisTesting
import Foundation
import Platform
import SystemPackage
import TagWriting
import Testing

@testable import LibraryTasks

@Suite(.bounded) struct TagJournalTests {
  private let folder: TemporaryDirectory
  private let path: FilePath
  private let identity: FileIdentity

  init() throws {
    folder = try TemporaryDirectory()
    path = folder.file("journal.ndjson")
    identity = try #require(FileIdentity(folder.write([1, 2, 3], as: "a")))
  }

  private func entry(_ name: String, restore: FileReversal? = nil) -> TagJournal.Entry {
    TagJournal.Entry(
      at: "2026-01-01T00:00:00Z", uri: "file:///music/\(name)", path: "/music/\(name)", contentId: "id",
      before: TagJournal.Stamp(identity), after: TagJournal.Stamp(identity),
      changes: [TagChange(field: "bpm", tag: "id3v2", key: "TBPM", before: [], after: ["90"])],
      restore: restore.map(TagJournal.Restore.init))
  }

  private func append(_ names: String...) throws {
    let journal = try TagJournal(path)
    for name in names { try journal.append(entry(name)) }
  }

  private var text: String {
    get throws { try String(contentsOfFile: path.string, encoding: .utf8) }
  }

  private func names() throws -> [String?] {
    let reader = try TagJournal.Reader(path)
    return try (0..<reader.count).map { try reader.entry($0)?.path.replacing("/music/", with: "") }
  }

  private func put(_ text: String) throws { try folder.write(Array(text.utf8), as: "journal.ndjson") }

  private func message(_ body: () throws -> Void) -> String? {
    do {
      try body()
      return nil
    } catch {
      return "\(error)"
    }
  }

  private static let header = #"{"journal":"nocturne.tag_journal","program":"Nocturne "#

  // MARK: Lines

  @Test func entriesComeBack() throws {
    try append("a", "b")
    try append("ä")
    let lines = try text.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.count == 5 && lines.last == "" && lines[0].hasPrefix(Self.header))
    #expect(lines[0].contains(#","started_at":""#) && lines[0].hasSuffix(#","version":1}"#))
    #expect(lines[1].hasPrefix(#"{"after":{"modified_ns":"#) && lines[1].contains(#""uri":"file:///music/a""#))
    #expect(try names() == ["a", "b", "ä"])
    let reader = try TagJournal.Reader(path)
    let entry = try #require(try reader.entry(0))
    #expect(!reader.isEmpty && entry.changes == self.entry("a").changes && entry.restore == nil)
    #expect(entry.before == TagJournal.Stamp(identity) && entry.before.sizeBytes == 3)
    #expect(entry.contentId == "id")
  }

  /// The last line of a program that was killed has no line break.
  @Test func aLineThatIsCutOff() throws {
    try append("a")
    let whole = try text
    try put(whole + #"{"at":"2026"#)
    #expect(try names() == ["a", nil])
    try append("b")
    #expect(try names() == ["a", nil, "b"])
    #expect(try text.hasPrefix(whole + "{\"at\":\"2026\n{"))
    try put(String(whole.dropLast()))
    #expect(try names() == ["a"])
    try append("b")
    #expect(try names() == ["a", "b"])
  }

  /// Lines may begin and end anywhere in what is read at once.
  @Test func longLines() throws {
    let names = ["a", "b", "c", "d"].map { String(repeating: $0, count: 20_000) }
    for name in names { try append(name) }
    #expect(try self.names() == names)
    #expect(TagJournal.maxLineLength == 16 << 20)
  }

  // MARK: Headers

  @Test(arguments: ["", "{", #"{"jour"#, header, header + "1.0"]) func aHeaderThatIsCutOff(text: String) throws {
    try put(text)
    let reader = try TagJournal.Reader(path)
    #expect(reader.isEmpty && reader.count == 0)
    try append("a")
    #expect(try names() == ["a"])
    #expect(try self.text.hasPrefix(Self.header))
  }

  @Test func journalsOfOtherVersions() throws {
    for version in 0...2 {
      try put(Self.header + #"1","started_at":"now","version":\#(version)}"# + "\n")
      let newer = "The journal \(path) was written by a newer version of analyze."
      #expect(message { _ = try TagJournal.Reader(path) } == (version == 2 ? newer : nil))
    }
    try put(Self.header + #"1","started_at":"now","version":1}"# + "\n")
    let reader = try TagJournal.Reader(path)
    #expect(reader.count == 0 && !reader.isEmpty)
  }

  @Test func filesThatAreNoJournals() throws {
    for text in [
      "\n", "x\n", #"{"journal":"other","program":"x","started_at":"now","version":1}"# + "\n",
      // The name is far from the start.
      String(repeating: "x", count: 600) + "\"nocturne.tag_journal\"\n",
    ] {
      try put(text)
      #expect(message { _ = try TagJournal.Reader(path) } == "\(path) is not a journal of tag changes.")
      #expect(
        message { _ = try TagJournal(path) }
          == "\(path) is not a journal of tag changes. Name another file with --journal.")
      #expect(try self.text == text)
    }
    #expect(
      message { _ = try TagJournal("/dev/null") }
        == "/dev/null is not a regular file. Name another file with --journal.")
    let none = folder.file("none/journal.ndjson")
    #expect(message { _ = try TagJournal(none) }?.hasSuffix("No more tags were changed.") == true)
    for path in ["/dev/null", none] {
      #expect(message { _ = try TagJournal.Reader(path) }?.hasPrefix("The journal \(path) cannot be read") == true)
    }
  }

  /// A header this long has another cause than a program that was killed.
  @Test(arguments: [65_535, 65_536]) func aHeaderWithoutAnEnd(size: Int) throws {
    try put(Self.header + String(repeating: "x", count: size - Self.header.utf8.count))
    if size < 65_536 {
      #expect(try TagJournal.Reader(path).isEmpty)
    } else {
      #expect(message { _ = try TagJournal.Reader(path) } == "\(path) is not a journal of tag changes.")
    }
  }

  // MARK: Names

  @Test func namesOfNewJournals() throws {
    let database = folder.file("music.sqlite")
    // The names contain the second.
    for _ in 0..<20 {
      let paths = try (0..<3).map { _ in
        let path = TagJournal.newPath(besideDatabase: database)
        try #require(!path.exists)
        return try folder.write([], as: path.lastComponent?.string ?? "")
      }
      let names = paths.map { $0.lastComponent?.string ?? "" }
      let base = names[0].replacing(".ndjson", with: "")
      let time = base.replacing("music-tags-", with: "")
      #expect(time.count == 16 && time.contains("T") && time.allSatisfy { $0.isNumber || "TZ".contains($0) })
      #expect(paths.allSatisfy { $0.removingLastComponent() == folder.path })
      if names.allSatisfy({ $0.hasPrefix(base) }) {
        #expect(names == ["\(base).ndjson", "\(base)-2.ndjson", "\(base)-3.ndjson"])
        return
      }
    }
    Issue.record("Every name was made in another second.")
  }

  // MARK: Instructions

  private static let digest = FileDigest(size: 9, digest: ContentID(hashing: [1]))

  private func reversal(_ pieces: FileReversal.Piece...) -> FileReversal {
    FileReversal(old: FileDigest(size: 8, digest: ContentID(hashing: [2])), new: Self.digest, pieces: pieces)
  }

  @Test func instructionsComeBack() throws {
    let all = reversal(
      .kept(0..<3), .kept(5..<5), .kept(7..<19), .bytes([0, 1, 255]), .bytes([]), .zeros(0), .zeros(4),
      .pages(0..<9, serial: 5, numberShift: 0 &- 1), .pages(3..<4, serial: 0, numberShift: 2))
    try TagJournal(path).append(entry("a", restore: all))
    #expect(try TagJournal.Reader(path).entry(0)?.restore?.reversal == all)
  }

  @Test func instructionsThatAreWrong() throws {
    let good = TagJournal.Restore(reversal(.kept(0..<3)))
    #expect(good.reversal != nil)
    for change: (inout TagJournal.Restore) -> Void in [
      { $0.oldDigest = "?" }, { $0.newDigest = "?" }, { $0.pieces[0].count = nil }, { $0.pieces[0].count = -1 },
      { $0.pieces = [TagJournal.Restore.Piece(from: nil, count: -1)] }, { $0.pieces = [TagJournal.Restore.Piece()] },
    ] {
      var restore = good
      change(&restore)
      #expect(restore.reversal == nil)
    }
    var far = good
    (far.pieces[0].from, far.pieces[0].count) = (Int.max - 3, 3)
    #expect(far.reversal?.pieces == [.kept(Int.max - 3..<Int.max)])
    // No range may end beyond the largest number.
    far.pieces[0].count = 4
    #expect(far.reversal?.pieces.contains { if case .kept = $0 { true } else { false } } != true)
  }
}
