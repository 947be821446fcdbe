internal import Analysis
internal import ResultStore

/// What status and metrics say of the library.
struct ServedFigures: Sendable {
  var library: LibraryFigures
  var trackCount: Int
  /// Files that failed, which are no tracks.
  var failedCount: Int
  /// Of all tracks together.
  var seconds: Double
  var hasLikeness: Bool
  var hasWaveforms: Bool
  var hasSections: Bool

  init(of store: ResultStore) throws(StoreError) {
    library = try store.figures()
    (trackCount, seconds, failedCount) = try store.trackTotals()
    hasLikeness = try store.hasFindings(of: LikenessFinding.self)
    hasWaveforms = try store.hasFindings(of: WaveformFinding.self)
    hasSections = try store.hasFindings(of: SectionsFinding.self)
  }
}
