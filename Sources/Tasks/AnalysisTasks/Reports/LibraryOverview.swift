internal import Analysis
internal import LibraryStore
package import ResultStore

/// The library in numbers, as status and metrics of a server show it.
package struct LibraryOverview: Sendable {
  package var library: LibraryFigures
  package var trackCount: Int
  /// Files that failed, which are no tracks.
  package var failedCount: Int
  /// Duration of all tracks together.
  package var seconds: Double
  package var hasLikeness: Bool
  package var hasWaveforms: Bool
  package var hasSections: Bool

  package init(of store: ResultStore) throws(StoreError) {
    library = try store.figures()
    (trackCount, seconds, failedCount) = try store.trackTotals()
    hasLikeness = try store.hasFindings(of: LikenessFinding.self)
    hasWaveforms = try store.hasFindings(of: WaveformFinding.self)
    hasSections = try store.hasFindings(of: SectionsFinding.self)
  }
}
