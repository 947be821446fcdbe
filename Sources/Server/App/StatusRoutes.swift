internal import Analysis
internal import AnalysisTasks
internal import Hummingbird
internal import Platform
internal import Records
internal import ResultStore
internal import Serving
internal import Text

/// The data in the header of every page.
struct StatusRoutes: RouteSet {
  let api = API.app
  let library: AppLibrary

  var routes: [Route] {
    route(.get, "status", "What the header of the app shows", answers: "AppStatus") { _, _ in
      try await library.services.reading {
        let status = try LibraryStatus(of: library)
        return Response.json { json in json.object { status.write(into: &$0) } }
      }
    }
  }
}

/// The library and what goes on in it.
struct LibraryStatus: Sendable {
  private let figures: LibraryOverview
  private let lastRun: RunRecord?
  private let run: RunProgress?
  private let catalog: CatalogStatus
  private let watch: LibraryWatch.Report?
  private let isWatching: Bool
  /// Another number says that something has changed.
  private let revision: Int64?

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

  func write(into json: inout JSONWriter) {
    json.put("program", "Nocturne")
    json.put("version", Nocturne.version)
    json.put("schema", 1)
    json.put("tracks", figures.trackCount)
    json.put("duration_s", figures.seconds, decimals: 1)
    json.put("waiting", figures.library.pending)
    json.put("failed", figures.failedCount)
    json.put("damaged", figures.library.files[.partial] ?? 0)
    if let lastRun {
      json.putObject("last_run") { lastRun.writeOutline(into: &$0) }
    } else {
      json.putNull("last_run")
    }
    if let run { json.putObject("run") { run.write(into: &$0) } } else { json.putNull("run") }
    json.putObject("catalog") { catalog.write(into: &$0) }
    json.putObject("features") { json in
      json.put("playlists", true)
      json.put("recognition", catalog.exists)
      json.put("watching", isWatching)
      json.put("likeness", figures.hasLikeness)
      json.put("waveforms", figures.hasWaveforms)
      json.put("sections", figures.hasSections)
    }
    json.putObject("may") {
      $0.put("correct", true)
      $0.put("edit_playlists", true)
    }
    if let watch { json.putObject("watch") { watch.write(into: &$0) } } else { json.putNull("watch") }
    json.put("revision", revision)
    json.put("text", text)
  }

  private var text: String {
    if let run { return run.text }
    let waiting = figures.library.pending
    let state = waiting > 0 ? ["\(waiting) waiting"] : lastRun == nil ? [] : ["up to date"]
    return ([Self.text(tracks: figures.trackCount, failed: figures.failedCount)] + state).joined(separator: ", ")
  }

  /// `273 tracks, 5 failed`: the one way to count the library.
  static func text(tracks: Int, failed: Int) -> String {
    counted(tracks, "track") + (failed > 0 ? ", \(failed) failed" : "")
  }
}

extension RunRecord {
  /// Members of an object.
  func writeOutline(into json: inout JSONWriter) {
    json.put("id", id)
    json.put("state", state.rawValue)
    json.put("started_at", started.description)
    json.put("finished_at", finished?.description)
    json.put("pipeline", pipeline)
    json.put("seen", totals.seen)
    json.put("new_problems", newlyFailed + newlyDamaged)
  }
}
