import Filters
internal import LibraryStore
import ResultStore

/// Checks that there are known files at or below each path.
func requireKnown(_ paths: [PathArgument], in store: ResultStore) throws {
  for path in paths where try store.knownFileCount(under: path.path, includingVanished: true) == 0 {
    throw UnknownFile(path.path, acceptsFolders: true)
  }
}

/// Returns the filter, further limited to the paths; `nil` if there is neither a filter nor a path.
/// - Throws: `UnknownFile`; `CommandFailure.nothingMatches` if no track matches.
func narrowed(_ filter: TrackFilter?, to paths: [PathArgument], in store: ResultStore) throws -> TrackFilter? {
  try requireKnown(paths, in: store)
  var narrow = filter
  if !paths.isEmpty {
    let below = TrackFilter(.any(paths.map { .condition(.under($0.path)) }))
    narrow = filter?.and(below) ?? below
  }
  if let narrow, try store.trackCount(matching: narrow) == 0 { throw CommandFailure.nothingMatches }
  return narrow
}
