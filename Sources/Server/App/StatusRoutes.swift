internal import Analysis
internal import Application
internal import Hummingbird
internal import Platform
internal import Records
internal import ResultStore
internal import Text

/// What the header of every page shows.
struct StatusRoutes: Sendable {
  let library: AppLibrary

  func add(to group: RouterGroup<ServerContext>) {
    group.get("status") { _, _ in
      try await library.services.blocking {
        let status = try LibraryStatus(of: library)
        return Response.json { json in json.object { status.write(into: &$0) } }
      }
    }
  }
}

/// The library and what goes on in it.
struct LibraryStatus: Sendable {
  private let tracks: (count: Int, seconds: Double)
  private let figures: LibraryFigures
  private let lastRun: RunRecord?
  private let run: RunProgress?
  private let catalog: CatalogStatus
  private let watch: LibraryWatch.Report?
  private let features: [(name: String, isThere: Bool)]

  init(of library: AppLibrary) throws(StoreError) {
    let store = library.store
    tracks = try store.trackTotals()
    figures = try store.figures()
    run = library.progress
    lastRun = try store.latestRun()
    catalog = library.catalogStatus
    watch = library.watch?.report
    features = [
      ("playlists", true), ("recognition", catalog.isThere), ("watching", library.watch != nil),
      ("likeness", try store.hasFindings(of: LikenessFinding.self)),
      ("waveforms", try store.hasFindings(of: WaveformFinding.self)),
      ("sections", try store.hasFindings(of: SectionsFinding.self)),
    ]
  }

  func write(into json: inout JSONWriter) {
    json.put("program", "Nocturne")
    json.put("version", Nocturne.version)
    json.put("schema", 1)
    json.put("tracks", tracks.count)
    json.put("duration_s", tracks.seconds, decimals: 1)
    json.put("waiting", figures.pending)
    json.put("failed", figures.files[.failed] ?? 0)
    json.put("damaged", figures.files[.partial] ?? 0)
    if let lastRun {
      json.putObject("last_run") { lastRun.writeOutline(into: &$0) }
    } else {
      json.putNull("last_run")
    }
    if let run { json.putObject("run") { run.write(into: &$0) } } else { json.putNull("run") }
    json.putObject("catalog") { catalog.write(into: &$0) }
    json.putObject("features") { json in for (name, isThere) in features { json.put(name, isThere) } }
    json.putObject("may") {
      $0.put("correct", true)
      $0.put("edit_playlists", true)
    }
    if let watch { json.putObject("watch") { watch.write(into: &$0) } } else { json.putNull("watch") }
    json.put("text", text)
  }

  private var text: String {
    if let run { return run.text }
    let count = counted(tracks.count, "track")
    let waiting = figures.pending
    return waiting > 0 ? "\(count), \(waiting) waiting" : lastRun == nil ? count : "\(count), up to date"
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
