import AnalysisTesting
import Foundation
import LibraryStore
import Platform
import ResultStore
import SystemPackage
import Testing

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
}
