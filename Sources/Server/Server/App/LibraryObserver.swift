internal import AnalysisTasks
internal import Listening
internal import Records
internal import Serving
internal import Synchronization
internal import Text

/// Polls the library, its runs, the folder watch and the recognition catalog for changes, and sends the changes to the
/// pages that are listening. Does nothing if there are no listeners.
struct LibraryObserver: Sendable {
  let library: AppLibrary
  let hub: EventHub

  /// Polling interval. A poll takes a few microseconds.
  var interval = Duration.seconds(1)
  /// Number of polls without events between two heartbeats.
  var heartbeat = 15

  private struct Seen {
    var revision: Int64?
    var catalog: CatalogVersion
    var run: RunProgress?
    var watch: LibraryWatch.Report?
  }

  /// Polls until the hub is closed or the task is canceled.
  func run() async {
    var seen: Seen?
    var silence = 0
    while !Task.isCancelled, !hub.isClosed {
      if hub.count > 0 {
        let before = seen
        if let (now, events) = try? await library.services.reading({ try poll(after: before) }) {
          seen = now
          for event in events { hub.send(event) }
          silence = events.isEmpty ? silence + 1 : 0
          if silence >= heartbeat {
            hub.send(.heartbeat)
            silence = 0
          }
        }
      } else {
        seen = nil
      }
      try? await Task.sleep(for: interval)
    }
  }

  private func poll(after before: Seen?) throws -> (Seen, [ServerEvent]) {
    let store = library.store
    let now = Seen(
      revision: library.revision.current(), catalog: CatalogVersion(of: library.services.options.catalog),
      run: library.progress, watch: library.watch?.report)
    guard let before else { return (now, []) }
    var events: [ServerEvent] = []
    if now.run != before.run, let run = now.run { events.append(ServerEvent(.run, .run, run)) }
    if now.revision != before.revision {
      let totals = try store.trackTotals()
      events.append(ServerEvent(.library, .libraryChange, (now.revision, totals.count, totals.failed)))
    }
    if now.run == nil, before.run != nil, let last = try store.latestRun() {
      events.append(ServerEvent(.runEnded, .runEnd, last))
    }
    if let watch = now.watch, watch != before.watch { events.append(ServerEvent(.watch, .watch, watch)) }
    if now.catalog != before.catalog { events.append(ServerEvent(.catalog, .catalogStatus, library.catalogStatus)) }
    return (now, events)
  }
}

extension JSONType where Value == (revision: Int64?, tracks: Int, failed: Int) {
  fileprivate static var libraryChange: Self {
    .object(
      "AppLibraryChange",
      .optional("revision", .integer) { $0.revision.map { Int($0) } }, .required("tracks", .integer) { $0.tracks },
      .required("failed", .integer) { $0.failed },
      .required("text", .text) { LibraryStatus.text(tracks: $0.tracks, failed: $0.failed) })
  }
}

extension JSONType<RunRecord> {
  fileprivate static var runEnd: Self {
    .object("AppRunEnd", groups: RunRecord.outline + [.required("text", .text) { $0.outcomeText }])
  }
}

extension RunRecord {
  /// The result of the run, such as `12 analyzed, 1 damaged`.
  var outcomeText: String {
    let counts = [
      (totals.analyzed, "analyzed"), (totals.partial, "damaged"), (totals.failed, "failed"), (totals.vanished, "gone"),
    ]
    let parts = counts.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
    let text = parts.isEmpty ? "Nothing new" : parts.joined(separator: ", ")
    return pending > 0 ? "\(text), \(pending) left for the next run" : text
  }
}
