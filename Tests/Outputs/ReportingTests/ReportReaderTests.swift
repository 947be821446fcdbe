import Analysis
import AnalysisTesting
import Foundation
import Records
import SystemPackage
import Testing

@testable import Reporting

/// Reports that are read back, whole or damaged.
@Suite(.bounded) struct ReportReaderTests {
  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  private struct Read: Equatable {
    var heads: [ReportReader.Head] = []
    var files: [String] = []
    var ids: [String?] = []
    var damage: String?
  }

  private func read(_ format: ReportFormat, _ text: String, stopsAtHead: Bool = false) throws -> Read {
    let path = try folder.write(Array(text.utf8), as: "report")
    var read = Read()
    do {
      try ReportReader.read(format, at: path) { head in
        read.heads.append(head)
        return !stopsAtHead
      } file: { file in
        read.files.append(file.path.string)
        read.ids.append(file.id)
        #expect(file.uri == "file://\(file.path)" && file.status == "ok")
      }
    } catch let damage as ReportReader.Damage {
      read.damage = damage.description
    }
    return read
  }

  private static func record(_ name: String, id: String? = "x") -> String {
    let end = id.map { #","id":"\#($0)""# } ?? ""
    return #"{"path":"/\#(name)","uri":"file:///\#(name)","status":"ok"\#(end)}"#
  }

  private static let start = #"{"schema":"nocturne.report","run":{"id":7,"started_at":"T"},"files":["#
  private static let run = ReportReader.Head(run: 7, runStarted: "T")
  private static let noRun = ReportReader.Head(run: nil, runStarted: nil)

  // MARK: - JSON

  @Test func wholeJSON() throws {
    let text = "\(Self.start)\n\(Self.record("a")),\n\(Self.record("b", id: nil))]}\n"
    let whole = Read(heads: [Self.run], files: ["/a", "/b"], ids: ["x", nil])
    #expect(try read(.json, text) == whole)
    #expect(try read(.json, text, stopsAtHead: true) == Read(heads: [Self.run]))
    #expect(try read(.json, Self.start + "]}\n") == Read(heads: [Self.run]))
    #expect(try read(.json, #"{"files":[]}"# + "\n", stopsAtHead: true) == Read(heads: [Self.noRun]))
    #expect(try read(.json, #"{"run":null,"files":[]}"# + "\n") == Read(heads: [Self.noRun]))
  }

  private static let damagedJSON: [(text: String, files: [String], damage: String)] = [
    ("", [], "line 0 is not the beginning of a report"), ("[]\n", [], "line 1 is not the beginning of a report"),
    ("{\"x\":[\n", [], "line 1 is not the beginning of a report"),
    ("{\"x\":1}\n", [], "line 1 is not the beginning of a report"),
    ("\(start)\n\(record("a")),\n", ["/a"], "it ends early"),
    ("\(start)\n\(record("a")),\n\(record("b"))\n", ["/a", "/b"], "it ends early"),
    ("\(start)\n\(record("a")),\nxx]}\n", ["/a"], "line 3 is not the record of a file"),
    ("\(start)\n\(record("a"))],\n", [], "line 2 is not the record of a file"),
    ("\(start)\n{\"path\":\"/a\"},\n]}\n", [], "line 2 is not the record of a file"),
    ("\(start)\n\(record("a"))]}", ["/a"], "its last line is incomplete"),
  ]

  @Test func damagedReportsSayWhere() throws {
    for (text, files, damage) in Self.damagedJSON {
      let found = try read(.json, text)
      #expect(found.damage == damage && found.files == files, "\(text)")
      let isReport = text.hasPrefix(Self.start)
      #expect(found.heads == (isReport ? [Self.run] : []), "\(text)")
      // Damage after the head does not matter if only the head is read.
      if isReport { #expect(try read(.json, text, stopsAtHead: true) == Read(heads: [Self.run])) }
    }
  }

  // MARK: - Lines

  @Test func lines() throws {
    let (a, b) = (Self.record("a"), Self.record("b", id: nil))
    let whole = Read(heads: [Self.noRun], files: ["/a", "/b"], ids: ["x", nil])
    #expect(try read(.ndjson, "\(a)\n\(b)\n") == whole && read(.ndjson, "\(a)\r\n\(b)\r\n") == whole)
    #expect(try read(.ndjson, "") == Read(heads: [Self.noRun]))
    #expect(try read(.ndjson, "xx", stopsAtHead: true) == Read(heads: [Self.noRun]))
    var cut = whole
    cut.damage = "its last line is incomplete"
    #expect(try read(.ndjson, "\(a)\n\(b)") == cut)
    let bad = try read(.ndjson, "\(a)\n\(a)\nxx\n\(b)\n")
    #expect(bad.damage == "line 3 is not the record of a file" && bad.files == ["/a", "/a"])
    // Quotes do not join lines here.
    let quote = #"{"path":"/a","uri":"file:///a","status":"ok","id":"\""}"#
    #expect(try read(.ndjson, "\(quote)\n\(a)\n").ids == ["\"", "x"])
  }

  /// Files are read in pieces, and lines cross their edges.
  @Test func longReports() throws {
    let names = (0..<2_500).map { "file \($0)" }
    let lines = names.map { Self.record($0) + "\n" }.joined()
    #expect(lines.utf8.count > 1 << 17)
    #expect(try read(.ndjson, lines).files == names.map { "/\($0)" })
  }

  // MARK: - Tables

  private static let header = "path,uri,status,id,more\r\n"

  @Test func tables() throws {
    let whole = Read(heads: [Self.noRun], files: ["/a", "/b"], ids: ["x", nil])
    let unfinished = "/a,file:///a,ok,x,1\r\n/b,file:///b,ok,,\"one\ntwo\""
    let rows = unfinished + "\r\n"
    #expect(try read(.csv, Self.header + rows) == whole)
    #expect(try read(.csv, Self.header) == Read(heads: [Self.noRun]))
    #expect(try read(.csv, Self.header + "x", stopsAtHead: true) == Read(heads: [Self.noRun]))
    // The columns may be in another order, and lines may end in LF alone.
    #expect(try read(.csv, "id,more,status,uri,path\nx,1,ok,file:///a,/a\n").files == ["/a"])
    // A row with line breaks is one line.
    let bad = try read(.csv, Self.header + rows + "/d,file:///d,ok\r\n")
    #expect(bad.damage == "line 4 is not the row of a file" && bad.files == whole.files)
    var cut = whole
    cut.damage = "its last line is incomplete"
    #expect(try read(.csv, Self.header + unfinished) == cut)
  }

  @Test(arguments: [
    ("", "it is empty"), ("path,uri,status\r\n/a,file:///a,ok\r\n", "line 2 is not the row of a file"),
    ("path,uri,status,id\r\n/a,file:///a,ok,x,y\r\n", "line 2 is not the row of a file"),
    ("path,path,uri,status,id\r\n/a,file:///a,ok,x\r\n", "line 2 is not the row of a file"),
  ])
  func damagedTables(text: String, damage: String) throws {
    let found = try read(.csv, text)
    #expect(found.damage == damage && found.files.isEmpty)
  }

  // MARK: - What is reported

  /// A record says of its file what the report that contains it says.
  @Test(arguments: [ReportFormat.json, .ndjson, .csv, .html])
  func reportsSayWhatRecordsSay(format: ReportFormat) throws {
    let path = try folder.write(Array(try Samples.report(format)), as: "report")
    var found: [ReportedFile] = []
    try ReportReader.read(format, at: path) { _ in
      true
    } file: {
      found.append($0)
    }
    #expect(found == (format == .html ? [] : Samples.all.map { ReportedFile($0) }))
    let full = ReportedFile(Samples.full)
    #expect(full.path == Samples.full.path && full.id == Samples.full.contentID?.description)
    #expect(full.status == "partial" && full.uri.hasPrefix("file:///music/"))
    #expect(ReportedFile(Samples.bare).path == Samples.bare.path && ReportedFile(Samples.bare).id == nil)
  }
}
