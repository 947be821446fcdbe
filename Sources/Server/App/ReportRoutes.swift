internal import AnalysisTasks
internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import LibraryTasks
internal import Platform
internal import Reporting
internal import ResultStore
internal import Serving
internal import Synchronization
internal import SystemPackage
internal import Text

/// The morning report: what is new, what broke and why; and all of it as the page that `analyze report` writes.
struct ReportRoutes: RouteSet {
  let api = API.app
  let library: AppLibrary
  private let reports = KeptReport<MorningReport>()
  private let pages = KeptReport<OpenFile>()

  init(library: AppLibrary) { self.library = library }

  var routes: [Route] {
    route(.get, "report", "What the last run did", answers: "AppReport") { _, _ in
      try await library.services.computing {
        let (report, made) = try reports.current(of: library) { made in
          try MorningReport(of: library.store.latestRun(), among: library.store.runs(), generated: made) { body in
            try library.store.forEachRecord(RecordSelection(includesVanished: true, includesRuns: true), body)
          }
        }
        let run = library.progress
        return Response.json { json in
          json.object { json in
            write(report, into: &json)
            json.put("made_at", made.description)
            json.put("is_running", run != nil)
            if let run { json.putObject("run") { run.write(into: &$0) } } else { json.putNull("run") }
          }
        }
      }
    }
    route(.get, "report.html", "The report as a page to keep", type: "text/html") { request, _ in
      let page = try await library.services.computing { try pages.current(of: library) { _ in try makePage() }.0 }
      var response = FileAnswer(file: page, contentType: "text/html; charset=utf-8", name: "report.html")
        .response(to: request, library.services)
      // The page names its own style and script, which are inside.
      response.headers[.contentSecurityPolicy] = "frame-ancestors 'none'"
      return response
    }
  }

  private func makePage() throws -> OpenFile {
    do {
      let folder = try TemporaryFolder()
      let reports = LibraryReports([.html], to: .folder(folder.path))
      let files = try reports.write(library.store, run: library.store.latestRun())
      defer { withExtendedLifetime(folder) {} }
      let page = files[0].path
      return try OpenFile(
        FilePath(root: nil, page.components.suffix(1)), in: OpenFolder(page.removingLastComponent()), links: .refused)
    } catch let error as StoreError {
      throw error
    } catch {
      throw RequestError(.serviceUnavailable, "The page could not be made: \(error)", retryAfter: 60)
    }
  }

  private func write(_ report: MorningReport, into json: inout JSONWriter) {
    json.put("title", report.title)
    json.put("when", report.when)
    json.putList("sentence", report.sentence) { json, part in
      json.put("text", part.text)
      json.put("is_bad", part.isBad)
      json.put("link", part.link)
    }
    json.put("subtitle", report.subtitle)
    json.putList("causes", report.causes) { json, cause in
      json.put("shape", cause.kind.rawValue)
      json.put("what", cause.what)
      json.put("do", cause.advice)
      json.put("count", cause.count)
      json.putList("files", cause.files) { json, file in
        json.put("id", file.id)
        json.put("path", file.path)
        json.put("text", file.text)
      }
      let filter =
        switch cause.kind {
        case .failed: cause.files.first?.id == nil ? nil : "status:failed"
        case .damaged: "status:partial"
        case .unsure: "confidence:..0.5 locked:no"
        }
      json.put("where", filter)
    }
    json.put("can_have_new", report.canHaveNew)
    json.putList("new", report.newFolders) { json, folder in
      json.put("folder", folder.name)
      json.put("path", folder.path)
      json.put("text", folder.text)
      json.put("about", folder.about)
      json.key("tracks")
      json.beginArray()
      for track in folder.tracks { json.string(track.id) }
      json.endArray()
      json.put("where", folder.path.contains("\"") ? nil : "under:\"\(folder.path)\"")
    }
    json.put("new_count", report.newCount)
  }
}

/// A report as it was made last: it is made again when the library has changed, and while a run goes on once a minute at
/// most, since all of the library is read for it.
private final class KeptReport<Report: Sendable>: Sendable {
  private struct State {
    var report: Report?
    var revision: Int64?
    var made = Timestamp.now
    var isBeingMade = false
  }

  /// Nanoseconds.
  private static var leastAge: Int64 { 60_000_000_000 }

  private let state = Mutex(State())

  /// - Throws: The errors of `make`; `RequestError` while the first one is being made for another client.
  func current(
    of library: AppLibrary, _ make: (_ made: Timestamp) throws -> Report
  ) throws -> (Report, made: Timestamp) {
    let revision = library.revision.current()
    let kept: (Report, Timestamp)? = try state.withLock { state in
      if let report = state.report {
        let isYoung = library.progress != nil && Timestamp.now.nanoseconds - state.made.nanoseconds < Self.leastAge
        if state.revision == revision || isYoung || state.isBeingMade { return (report, state.made) }
      } else if state.isBeingMade {
        throw RequestError(.serviceUnavailable, "The report is being made. Try again in some seconds.", retryAfter: 3)
      }
      state.isBeingMade = true
      return nil
    }
    if let kept { return kept }
    defer { state.withLock { $0.isBeingMade = false } }
    let made = Timestamp.now
    let report = try make(made)
    state.withLock { $0 = State(report: report, revision: revision, made: made) }
    return (report, made)
  }
}
