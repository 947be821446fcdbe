import Analysis
import AnalysisTesting
import BuiltInAnalyzers
import Foundation
import LibraryTesting
import Platform
import Records
import Reporting
import ResultStore
import SystemPackage
import Testing
import Text

/// Reports on the untidy library, byte for byte.
@Suite(.bounded) struct ReportSnapshotTests {
  private let folder: TemporaryDirectory
  private let store: ResultStore
  private let generated = UntidyLibrary.time("2024-03-10T06:00:00Z")

  init() throws {
    folder = try TemporaryDirectory()
    store = try ResultStore(path: folder.path.appending("library.sqlite"), findings: BuiltInAnalyzers.findings)
    try UntidyLibrary.fill(store)
  }

  private func expect(_ text: String, is name: String) throws {
    if let complaint = try Snapshots().complaint(about: text, named: name) { Issue.record("\(complaint)") }
  }

  private func report(_ format: ReportFormat, _ selection: RecordSelection) throws -> [UInt8] {
    let file = folder.path.appending("report")
    let page = PageInput(
      runs: try store.runs(), timeZone: .gmt, program: "Nocturne 1.2.3",
      longRecords: { try store.forEachRecord(at: $0, long: $1, $2) })
    let writer = try ReportWriter(
      format, to: .file(file), options: ReportOptions(findings: BuiltInAnalyzers.findings, long: selection.long),
      run: store.latestRun(), generated: generated, page: page)
    try store.forEachRecord(selection) { try writer.append($0) }
    try writer.finish()
    return Array(try Data(contentsOf: URL(filePath: file.string)))
  }

  @Test func json() throws {
    let report = try report(
      .json,
      RecordSelection(
        roots: ["/music/Björk", "/music/broken", "/music/gone.mp3", "/music/locked.flac"], includesVanished: true,
        long: ["beats", "chapters", "lyrics"]))
    try expect(#require(ReadableText.json(report)) + "\n", is: "report.json")
  }

  @Test func csv() throws {
    try expect(ReadableText.plain(report(.csv, RecordSelection())), is: "report.csv")
  }

  @Test func ndjson() throws {
    let roots: [FilePath] = ["/music/Florence", "/music/Wagner", "/music/odd", "/music/椎名林檎"]
    try expect(ReadableText.plain(report(.ndjson, RecordSelection(roots: roots))), is: "report.ndjson")
  }

  /// Data of a page with its columns unpacked, and the sentences above them.
  @Test func page() throws {
    let page = try DecodedPage(Data(report(.html, RecordSelection(includesVanished: true, includesRuns: true))))
    for name in ["library", "columns", "details"] {
      let data = try page.text(ofElement: name)
      try expect(#require(ReadableText.json(Array(data.utf8))) + "\n", is: "page-\(name).json")
    }
    var rows: [String] = [page.headline, page.subtitle, ""]
    for name in page.names.sorted() where !["title", "file"].contains(name) {
      let dictionary = page.dictionary(name)
      let values = try page.numbers(name).map { value -> String in
        guard let value else { return "-" }
        return dictionary.indices.contains(Int(value)) ? dictionary[Int(value)] : "\(value)"
      }
      rows.append("\(name): " + values.map(\.debugDescription).joined(separator: ", "))
    }
    rows.append("path: " + (try page.paths.map(\.debugDescription).joined(separator: ",\n  ")))
    rows.append("title: " + page.titles.map { ($0 ?? "-").debugDescription }.joined(separator: ",\n  "))
    try expect(rows.joined(separator: "\n") + "\n", is: "page.txt")
  }

  @Test func everySnapshotIsAskedFor() throws {
    let pages = ["page.txt"] + ["library", "columns", "details"].map { "page-\($0).json" }
    #expect(try Snapshots().leftOver(besides: Set(pages + ["report.json", "report.ndjson", "report.csv"])) == [])
  }
}
