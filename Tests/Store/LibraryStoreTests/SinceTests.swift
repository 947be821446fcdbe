import AnalysisTesting
import Foundation
import LibraryStore
import ResultStore
import SystemPackage
import Testing

@testable import Platform

/// Values of `--since`, and the files it reads.
@Suite(.bounded) struct SinceTests {
  private static let now = Timestamp(rfc3339: "2026-11-22T12:00:00Z") ?? .now

  private static func time(_ text: String) -> Since? { Timestamp(rfc3339: text).map { .point(.time($0)) } }

  @Test(
    arguments: [
      ("42", .point(.run(42))), ("2026-11-01", time("2026-11-01T00:00:00Z")), ("12h", time("2026-11-22T00:00:00Z")),
      ("2d", time("2026-11-20T12:00:00Z")), ("2026-11-01T04:00:00+01:00", time("2026-11-01T03:00:00Z")),
      ("yesterday", nil), ("2026-11-01..2026-11-02", nil), ("", nil), ("cursor.json", nil), ("2026-13-01", nil),
    ] as [(String, Since?)])
  func texts(text: String, since: Since?) {
    #expect(Since(text, now: Self.now) == since)
  }

  @Test(arguments: [
    "", "{}", "[]", "no JSON", #"{"schema":"nocturne.cursor","version":2,"library":"a","revision":1}"#,
    #"{"schema":"nocturne.cursor","version":1,"library":"a","revision":"1"}"#, String(repeating: "[", count: 100_000),
  ])
  func whatIsNoCursorIsRefused(text: String) throws {
    let path = FilePath(NSTemporaryDirectory()).appending("cursor-\(UUID().uuidString).json")
    defer { try? FileManager.default.removeItem(atPath: path.string) }
    #expect(try CursorFile(path).read() == nil)
    try Data(text.utf8).write(to: URL(filePath: path.string))
    #expect(throws: CursorFileError.self) { try CursorFile(path).read() }
  }

  @Test func cursorIsRead() throws {
    let path = FilePath(NSTemporaryDirectory()).appending("cursor-\(UUID().uuidString).json")
    defer { try? FileManager.default.removeItem(atPath: path.string) }
    let text = #"{"schema": "nocturne.cursor", "version": 1, "library": "abc", "revision": 7, "later": true}"#
    try Data(text.utf8).write(to: URL(filePath: path.string))
    #expect(try CursorFile(path).read() == LibraryCursor(library: "abc", revision: 7))
  }

  // MARK: - Cursors

  @Test func cursorIsWrittenAndReadAgain() throws {
    let folder = try TemporaryDirectory()
    let file = CursorFile(inFolder: folder.path)
    #expect(file.path == folder.file("cursor.json"))
    #expect(CursorFile(besideFile: folder.file("tracks.csv")).path == folder.file("tracks.csv.cursor.json"))
    let cursor = LibraryCursor(library: "abc", revision: 42)
    try file.write(cursor, at: Self.now)
    #expect(try file.read() == cursor)
    let text = try String(contentsOfFile: file.path.string, encoding: .utf8)
    let expected = [
      #""library":"abc""#, #""revision":42"#, #""schema":"nocturne.cursor""#, #""version":1"#,
      #""written_at":"2026-11-22T12:00:00"#,
    ]
    for part in expected { #expect(text.contains(part), "\(part)") }
    #expect(text.hasSuffix("}\n"))
    try file.write(LibraryCursor(library: "abc", revision: 43), at: Self.now)
    #expect(try file.read()?.revision == 43)
  }

  /// Refuses files over 64 KiB without parsing them.
  @Test(arguments: [(65_536, true), (65_537, false)])
  func sizeOfACursor(size: Int, isRead: Bool) throws {
    let folder = try TemporaryDirectory()
    let text = #"{"schema":"nocturne.cursor","version":1,"library":"a","revision":1}"#
    let path = try folder.write(Array(text.utf8) + Array(repeating: 0x20, count: size - text.utf8.count), as: "cursor")
    if isRead {
      #expect(try CursorFile(path).read() == LibraryCursor(library: "a", revision: 1))
    } else {
      #expect { try CursorFile(path).read() } throws: { "\($0)".contains("cannot be read") }
    }
  }

  @Test func otherFilesAreRefusedWithAReason() throws {
    let folder = try TemporaryDirectory()
    let path = try folder.write(Array(#"{"schema":"other","version":1,"library":"a","revision":1}"#.utf8), as: "x.json")
    #expect { try CursorFile(path).read() } throws: { "\($0)".hasPrefix("\(path) is not an export cursor.") }
    #expect { try CursorFile(folder.path).read() } throws: { "\($0)".contains("cannot be read") }
    let missing = CursorFile(folder.file("none/cursor.json"))
    #expect(try missing.read() == nil)
    #expect {
      try missing.write(LibraryCursor(library: "a", revision: 1), at: Self.now)
    } throws: { "\($0)".contains("cannot be written") }
  }

  /// Only cursors may be replaced by cursors, and only files beside cursors by other exports.
  @Test func originOfFiles() throws {
    let folder = try TemporaryDirectory()
    let (table, other) = (folder.file("a.csv"), folder.file("b.csv"))
    try CursorFile(besideFile: table).write(LibraryCursor(library: "a", revision: 1), at: Self.now)
    let cursor = CursorFile(besideFile: table).path
    try folder.write([1], as: "b.csv")
    #expect(CursorFile.proof.isGiven(by: cursor) && !CursorFile.proof.isGiven(by: other))
    #expect(!CursorFile.proof.isGiven(by: folder.file("none")))
    #expect(CursorFile.proofBesideFile.isGiven(by: table) && !CursorFile.proofBesideFile.isGiven(by: other))
  }
}
