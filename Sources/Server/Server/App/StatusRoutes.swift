internal import Analysis
internal import AnalysisTasks
internal import Platform
internal import Records
internal import ResultStore
internal import Serving
internal import Text

/// The route for the data at the top of every page of the app.
struct StatusRoutes: AppRouteSet {
  let library: AppLibrary

  var routes: [Route] {
    answer(.get, "status", "Status of the library, its runs and the catalog", answers: .status) { _ in
      try LibraryStatus(of: library)
    }
  }
}

/// The library and its current activity.
struct LibraryStatus: Sendable {
  fileprivate let figures: LibraryOverview
  fileprivate let lastRun: RunRecord?
  fileprivate let run: RunProgress?
  fileprivate let catalog: CatalogStatus
  fileprivate let watch: LibraryWatch.Report?
  fileprivate let isWatching: Bool
  /// A number that changes whenever the library changes.
  fileprivate let revision: Int64?

  init(of library: AppLibrary) throws(StoreError) {
    let store = library.store
    figures = try library.services.figures()
    run = library.progress
    lastRun = try store.latestRun()
    catalog = library.catalogStatus
    watch = library.watch?.report
    isWatching = library.watch != nil
    revision = library.revision.current()
  }

  fileprivate var text: String {
    if let run { return run.text }
    let waiting = figures.library.pending
    let state = waiting > 0 ? ["\(waiting) waiting"] : lastRun == nil ? [] : ["up to date"]
    return ([Self.text(tracks: figures.trackCount, failed: figures.failedCount)] + state).joined(separator: ", ")
  }

  /// Returns the size of the library in the wording used everywhere: `273 tracks, 5 failed`.
  static func text(tracks: Int, failed: Int) -> String {
    counted(tracks, "track") + (failed > 0 ? ", \(failed) failed" : "")
  }
}

extension JSONType<LibraryStatus> {
  static var status: Self {
    .object(
      "AppStatus",
      .required("program", .text) { _ in "Nocturne" }, .required("version", .text) { _ in Nocturne.version },
      .required("schema", .integer) { _ in 1 }, .required("tracks", .integer) { $0.figures.trackCount },
      .required("duration_s", .number(decimals: 1)) { $0.figures.seconds },
      .required("waiting", .integer) { $0.figures.library.pending },
      .required("failed", .integer) { $0.figures.failedCount },
      .required("damaged", .integer) { $0.figures.library.files[.partial] ?? 0 },
      .optional("last_run", .object("AppLastRun", groups: RunRecord.outline)) { $0.lastRun },
      .optional("run", .run) { $0.run }, .required("catalog", .catalogStatus) { $0.catalog },
      .required("features", .map(.flag)) { status in
        [
          ("playlists", true), ("recognition", status.catalog.exists), ("watching", status.isWatching),
          ("likeness", status.figures.hasLikeness), ("waveforms", status.figures.hasWaveforms),
          ("sections", status.figures.hasSections),
        ]
      },
      .required("may", .map(.flag)) { _ in [("correct", true), ("edit_playlists", true)] },
      .optional("watch", .watch) { $0.watch }, .optional("revision", .integer) { $0.revision.map { Int($0) } },
      .required("text", .text) { $0.text })
  }
}

extension RunRecord {
  static var outline: [Field<RunRecord>] {
    [
      .required("id", .integer) { Int($0.id) }, .required("state", .text) { $0.state.rawValue },
      .required("started_at", .time) { $0.started }, .optional("finished_at", .time) { $0.finished },
      .required("pipeline", .text) { $0.pipeline }, .required("seen", .integer) { $0.totals.seen },
      .required("new_problems", .integer) { $0.newlyFailed + $0.newlyDamaged },
    ]
  }
}
