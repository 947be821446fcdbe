internal import Analysis
internal import LibraryStore
package import ResultStore

/// The figures of a library that the server shows in its status and metrics.
package struct LibraryOverview: Sendable {
  package var library: LibraryFigures
  package var trackCount: Int
  /// Number of failed files, which do not count as tracks.
  package var failedCount: Int
  /// The total duration of all tracks, in seconds.
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
