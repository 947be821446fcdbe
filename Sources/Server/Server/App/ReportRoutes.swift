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

/// Routes for the morning report: new tracks, problems and their causes. The report is also available as the page that
/// `analyze report` writes.
struct ReportRoutes: AppRouteSet {
  let library: AppLibrary
  private let reports = KeptReport<MorningReport>()
  private let pages = KeptReport<OpenFile>()

  init(library: AppLibrary) { self.library = library }

  var routes: [Route] {
    answer(.get, "report", "Report on the last run", answers: .appReport, .computing) { _ in
      let (report, made) = try reports.current(of: library) { made in
        try MorningReport(of: library.store.latestRun(), among: library.store.runs(), generated: made) { body in
          try library.store.forEachRecord(RecordSelection(includesVanished: true, includesRuns: true), body)
        }
      }
      return (report, made, library.progress)
    }
    route(.get, "report.html", "The report as a single HTML page", type: "text/html") { request, _ in
      let page = try await library.services.computing { try pages.current(of: library) { _ in try makePage() }.0 }
      var response = FileAnswer(file: page, contentType: "text/html; charset=utf-8", name: "report.html")
        .response(to: request, library.services)
      // The page itself contains the policy for its inline style and script.
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
      throw RequestError(.serviceUnavailable, "The page could not be created: \(error)", retryAfter: 60)
    }
  }
}

extension JSONType where Value == (report: MorningReport, made: Timestamp, run: RunProgress?) {
  fileprivate static var appReport: Self {
    let folder = JSONType<MorningReport.Folder>.object(
      "AppReportFolder", .required("folder", .text) { $0.name }, .required("path", .text) { $0.path },
      .required("text", .text) { $0.text }, .required("about", .text) { $0.about },
      .required("tracks", .list(.text)) { $0.tracks.map(\.id) },
      .optional("where", .text) { $0.path.contains("\"") ? nil : "under:\"\($0.path)\"" })
    let file = JSONType<MorningReport.Cause.File>.object(
      "AppReportFile",
      .optional("id", .text) { $0.id }, .required("path", .text) { $0.path }, .optional("text", .text) { $0.text })
    let cause = JSONType<MorningReport.Cause>.object(
      "AppReportCause", .required("shape", .text) { $0.kind.rawValue }, .required("what", .text) { $0.what },
      .required("do", .text) { $0.advice }, .required("count", .integer) { $0.count },
      .required("files", .list(file)) { $0.files },
      .optional("where", .text) { cause in
        switch cause.kind {
        case .failed: cause.files.first?.id == nil ? nil : "status:failed"
        case .damaged: "status:partial"
        case .unsure: "confidence:..0.5 locked:no"
        }
      })
    let part = JSONType<MorningReport.Part>.object(
      "AppReportPart", .required("text", .text) { $0.text }, .required("is_bad", .flag) { $0.isBad },
      .optional("link", .text) { $0.link })
    return .object(
      "AppReport", .required("title", .text) { $0.report.title }, .required("when", .text) { $0.report.when },
      .required("sentence", .list(part)) { $0.report.sentence }, .optional("subtitle", .text) { $0.report.subtitle },
      .required("causes", .list(cause)) { $0.report.causes }, .required("can_have_new", .flag) { $0.report.canHaveNew },
      .required("new", .list(folder)) { $0.report.newFolders },
      .required("new_count", .integer) { $0.report.newCount }, .required("made_at", .time) { $0.made },
      .required("is_running", .flag) { $0.run != nil }, .optional("run", .run) { $0.run })
  }
}

/// The latest report. It is created again when the library has changed, but at most once a minute during a run, because
/// creating it reads the whole library.
private final class KeptReport<Report: Sendable>: Sendable {
  private struct State {
    var report: Report?
    var revision: Int64?
    var made = Timestamp.now
    var isBeingMade = false
  }

  /// Minimum age of a report that is replaced during a run, in nanoseconds.
  private static var minAge: Int64 { 60_000_000_000 }

  private let state = Mutex(State())

  /// - Throws: Errors that `make` throws, or `RequestError` while the first report is being created for another client.
  func current(
    of library: AppLibrary, _ make: (_ made: Timestamp) throws -> Report
  ) throws -> (Report, made: Timestamp) {
    let revision = library.revision.current()
    let kept: (Report, Timestamp)? = try state.withLock { state in
      if let report = state.report {
        let isYoung = library.progress != nil && Timestamp.now.nanoseconds - state.made.nanoseconds < Self.minAge
        if state.revision == revision || isYoung || state.isBeingMade { return (report, state.made) }
      } else if state.isBeingMade {
        throw RequestError(
          .serviceUnavailable, "The report is being created. Try again in a few seconds.", retryAfter: 3)
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
