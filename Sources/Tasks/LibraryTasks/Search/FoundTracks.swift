package import Filters
package import LibraryStore
package import ResultStore

/// The results of a search. Unless an order is requested, tracks and failed files that match by name come first,
/// followed by those that match by words in their paths.
package struct FoundTracks: Sendable {
  package let rows: [TrackRow]
  /// Total number of matches. It is a lower bound unless `isCountExact` is `true`.
  package let count: Int
  package let isCountExact: Bool

  /// If there are no words, filter or order, the newest tracks come first.
  package init(
    _ words: String, filter: TrackFilter = .everything, order: TrackOrder? = nil, page: (limit: Int, offset: Int),
    in store: ResultStore
  ) throws(StoreError) {
    func search(
      _ words: String, _ filter: TrackFilter, _ order: TrackOrder?, _ sections: Set<SearchSection>, limit: Int,
      offset: Int
    ) throws(StoreError) -> SearchAnswer {
      try store.search(
        SearchRequest(words, filter: filter, order: order, sections: sections, limit: limit, offset: offset))
    }
    if words.allSatisfy(\.isWhitespace) {
      let newest = filter == .everything ? TrackOrder(.added, isDescending: true) : nil
      let found = try search("", filter, order ?? newest, [.tracks], limit: page.limit, offset: page.offset).tracks
      (rows, count, isCountExact) = (found.hits, found.count, found.isCountExact)
    } else if let order {
      // If an order is requested, matches by path are mixed with matches by name.
      let found = try search(
        "", filter.and(Self.filter(words)), order, [.tracks], limit: page.limit, offset: page.offset
      )
      .tracks
      (rows, count, isCountExact) = (found.hits, found.count, found.isCountExact)
    } else {
      let end = page.offset + page.limit
      let found = try search(words, filter, nil, [.tracks, .paths], limit: end, offset: 0)
      let named = Set(found.tracks.hits.map(\.fileID))
      let others = found.paths.hits.filter { !named.contains($0.fileID) }
      rows = Array((found.tracks.hits + others).dropFirst(page.offset).prefix(page.limit))
      let areAllHere = found.tracks.hits.count == found.tracks.count && found.paths.hits.count == found.paths.count
      count = areAllHere ? found.tracks.count + others.count : max(found.tracks.count, found.paths.count)
      isCountExact = areAllHere && found.tracks.isCountExact && found.paths.isCountExact
    }
  }

  /// Returns the number of failed files among the matches. Counting is fast, because an index contains the few failed
  /// files.
  package static func failedCount(
    _ words: String, filter: TrackFilter, in store: ResultStore
  ) throws(StoreError) -> Int {
    let failed = TrackFilter(.condition(.status(.failed)))
    guard try store.trackCount(matching: failed) > 0 else { return 0 }
    let all = words.allSatisfy(\.isWhitespace) ? filter : filter.and(Self.filter(words))
    return try store.trackCount(matching: all.and(failed))
  }

  /// Returns a filter that requires each word to occur in a name or in the path. The last word may be a prefix.
  private static func filter(_ words: String) -> TrackFilter {
    let words = words.split(whereSeparator: \.isWhitespace)
    return TrackFilter(
      .all(
        words.enumerated().map { index, word in
          let words = FilterWords(String(word), isPrefix: index == words.count - 1)
          return .any([.condition(.text(.anyName, words)), .condition(.text(.path, words))])
        }))
  }
}
