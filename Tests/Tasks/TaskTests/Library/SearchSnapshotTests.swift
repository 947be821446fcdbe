import AnalysisTesting
import BuiltInAnalyzers
import Filters
import LibraryStore
import LibraryTasks
import LibraryTesting
import ResultStore
import SystemPackage
import Testing

/// The output of `search --json` and `--ndjson` for the untidy library, byte for byte.
@Suite(.bounded) struct SearchSnapshotTests {
  private static let requests: [(name: String, request: SearchRequest)] = [
    ("words", SearchRequest("bj", limit: 3)),
    ("album", SearchRequest("greatest hits", sections: [.albums])),
    ("quotes", SearchRequest("\"quotes\" tags", limit: 2)),
    ("cjk", SearchRequest("椎名", limit: 2)),
    (
      "order",
      SearchRequest("", order: TrackOrder(.added, isDescending: true), sections: [.tracks], limit: 3, offset: 1)
    ),
    ("nothing", SearchRequest("zzz")),
  ]

  @Test func answersAreTheKnownOnes() throws {
    let folder = try TemporaryDirectory()
    let store = try ResultStore(path: folder.path.appending("library.sqlite"), findings: BuiltInAnalyzers.findings)
    try UntidyLibrary.fill(store)
    let snapshots = Snapshots(part: "search")
    var files: Set<String> = []
    for (name, request) in Self.requests {
      let report = SearchReport(try store.search(request), to: request)
      let texts = [
        ("\(name).json", (ReadableText.json(report.jsonLine) ?? ReadableText.plain(report.jsonLine)) + "\n"),
        ("\(name).ndjson", ReadableText.plain(report.ndjsonLines)),
      ]
      for (file, text) in texts {
        files.insert(file)
        if let complaint = try snapshots.complaint(about: text, named: file) { Issue.record("\(complaint)") }
      }
    }
    #expect(try snapshots.leftOver(besides: files) == [])
  }
}
