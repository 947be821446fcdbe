import AnalysisTasks
import AnalysisTesting
import Foundation
import LibraryStore
import Platform
import Records
import Reporting
import ResultStore
import SystemPackage
import Testing

/// Reports from the database, and the check of them.
@Suite(.bounded) struct LibraryReportsTests {
  private let place: Workplace

  init() throws { place = try Workplace() }

  /// A database of a file that exists and one that has vanished.
  private func analyze() async throws -> ResultStore {
    try place.put(sound(1), as: "a.wav")
    let gone = try place.put(sound(2), as: "b.wav")
    _ = try await place.run(try place.analysis())
    try FileManager.default.removeItem(atPath: gone.string)
    _ = try await place.run(try place.analysis())
    return try place.store()
  }

  private func text(_ name: String) throws -> String {
    try String(contentsOfFile: place.reports.appending(name).string, encoding: .utf8)
  }

  private func reports(_ formats: [ReportFormat], since: Since? = nil) -> LibraryReports {
    var reports = LibraryReports(formats, to: .folder(place.reports))
    reports.since = since
    return reports
  }

  @Test func vanishedFilesAreIncludedOnRequest() async throws {
    let store = try await analyze()
    let formats: [ReportFormat] = [.json, .ndjson, .csv, .html]
    #expect(try reports(formats).write(store, run: store.latestRun()).map(\.format) == formats)
    for name in ["report.json", "report.ndjson", "report.csv"] {
      #expect(try text(name).contains("a.wav") && !text(name).contains("b.wav"), "\(name)")
    }
    #expect(try text("report.html").contains("<meta name=\"generator\" content=\"Nocturne\">"))
    #expect(try text("report.html").contains("</html>"))
    // All of them are known as reports, so they may be replaced.
    try reports(formats).check(OverwriteRule())
    var all = reports([.ndjson])
    all.includesVanished = true
    _ = try all.write(store, run: nil)
    #expect(try text("report.ndjson").contains("b.wav"))
  }

  @Test func withoutFormatsNothingIsMade() async throws {
    let store = try await analyze()
    #expect(try reports([]).write(store, run: nil).isEmpty)
    #expect(!place.reports.exists)
  }

  @Test func changesComeWithRemovalsAndACursor() async throws {
    try place.put(sound(1), as: "a.wav")
    let gone = try place.put(sound(2), as: "b.wav")
    _ = try await place.run(try place.analysis())
    let store = try place.store()
    let changes = reports([.ndjson], since: .cursor(place.reports.appending("cursor.json")))
    #expect(try changes.write(store, run: nil).map(\.format) == [.ndjson])
    #expect(try text("report.ndjson").split(separator: "\n").count == 2)
    #expect(try text("removed.ndjson").isEmpty && text("cursor.json").contains("\"revision\":"))

    try FileManager.default.removeItem(atPath: gone.string)
    try place.put(sound(3), as: "c.wav")
    _ = try await place.run(try place.analysis())
    try changes.check(OverwriteRule())
    _ = try changes.write(store, run: nil)
    #expect(try text("report.ndjson").split(separator: "\n").count == 1 && text("report.ndjson").contains("c.wav"))
    #expect(try text("removed.ndjson").split(separator: "\n").count == 1 && text("removed.ndjson").contains("b.wav"))
  }

  @Test(arguments: ["report.csv", "removed.ndjson", "cursor.json"]) func filesOfOthersAreKept(name: String) throws {
    try place.reports.makeFolder()
    try place.folder.write(Array("mine".utf8), as: "reports/\(name)")
    let since = Since.cursor(place.reports.appending("cursor.json"))
    #expect(throws: OverwriteError.self) { try reports([.csv], since: since).check(OverwriteRule()) }
    try reports([.csv], since: since).check(OverwriteRule(allowsOthers: true))
    // The other two belong to reports of changes alone.
    if name == "report.csv" {
      #expect(throws: OverwriteError.self) { try reports([.csv]).check(OverwriteRule()) }
    } else {
      try reports([.csv]).check(OverwriteRule())
    }
    try LibraryReports([.csv], to: .standardOutput).check(OverwriteRule())
  }

  // MARK: Checking

  /// The findings of a full checkup about the reports, without their paths.
  private func checks() throws -> [String] {
    let findings = try Checkup(
      analyzers: [], notices: [], plan: place.plan(), library: [place.library], database: place.database,
      reports: place.reports, comparesAll: true
    ).findings()
    let start = "report \(place.reports.string)/"
    return findings.filter { $0.text.hasPrefix(start) }.map {
      "\($0.isFine ? "fine" : "wrong"): \($0.text.dropFirst(start.count))"
    }
  }

  private func rewrite(_ name: String, _ change: (String) -> String) throws {
    try change(text(name)).write(toFile: place.reports.appending(name).string, atomically: true, encoding: .utf8)
  }

  @Test func reportsAreComparedWithTheDatabase() async throws {
    for (number, name) in ["a.wav", "b.wav", "c.wav"].enumerated() { try place.put(sound(UInt64(number)), as: name) }
    _ = try await place.run(try place.analysis(reports: [.json, .ndjson, .csv, .html]))
    let names = ["report.json", "report.ndjson", "report.csv"]
    #expect(try checks() == names.map { "fine: \($0): agrees with the database on 3 files" })

    // One file that is unknown, and one with another status.
    for name in names {
      try rewrite(name) { text in
        text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).map { line in
          line.contains("b.wav")
            ? line.replacing("\"ok\"", with: "\"partial\"").replacing(",ok,", with: ",partial,")
            : line.replacing("c.wav", with: "x.wav")
        }.joined(separator: "\n")
      }
    }
    let found = try checks()
    #expect(found.count == 3)
    for (name, text) in zip(names, found) {
      #expect(text.hasPrefix("wrong: \(name): 2 of 3 files with another content id, address or status"), "\(text)")
      #expect(text.contains("such as \(place.library.string)/b.wav"), "\(text)")
    }
    // Without any known file, it may be of another database, unless it names its run.
    for name in names { try rewrite(name) { $0.replacing(".wav", with: ".mp3") } }
    let other = try checks()
    #expect(other.first?.hasPrefix("wrong: report.json: 3 of 3 files") == true, "\(other)")
    #expect(other.dropFirst() == names.dropFirst().map { "fine: \($0): of another database, not compared" }[...])

    try rewrite("report.ndjson") { _ in "" }
    try rewrite("report.csv") { String($0.prefix { !$0.isNewline }) + "\n" }
    try rewrite("report.json") { _ in "damaged" }
    let last = try checks()
    #expect(last.first?.hasPrefix("wrong: report.json cannot be read: ") == true, "\(last)")
    #expect(last.dropFirst() == names.dropFirst().map { "fine: \($0): agrees with the database on 0 files" }[...])
  }

  @Test func reportsOfOtherRunsAreNotCompared() async throws {
    try place.put(sound(1), as: "a.wav")
    _ = try await place.run(try place.analysis(reports: [.json]))
    let first = try #require(try place.store().latestRun())
    #expect(try checks() == ["fine: report.json: agrees with the database on 1 file"])
    // The same number in another database.
    let started = first.started.description
    try rewrite("report.json") { $0.replacing("\"started_at\":\"\(started)\"", with: "\"started_at\":\"2001\"") }
    #expect(try checks() == ["fine: report.json: of another run or database, not compared"])
    try rewrite("report.json") { $0.replacing("\"started_at\":\"2001\"", with: "\"started_at\":\"\(started)\"") }
    #expect(try checks() == ["fine: report.json: agrees with the database on 1 file"])

    _ = try await place.run(try place.analysis())
    let path = place.reports.appending("report.json").string
    try FileManager.default.setAttributes([.modificationDate: Date.now + 60], ofItemAtPath: path)
    #expect(try checks() == ["fine: report.json: of another run or database, not compared"])
    try FileManager.default.setAttributes([.modificationDate: Date.now - 60], ofItemAtPath: path)
    #expect(try checks() == ["fine: report.json: from before the last run, not compared"])
  }
}
