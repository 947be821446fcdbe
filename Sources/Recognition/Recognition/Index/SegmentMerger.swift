internal import Landmarks
internal import SystemPackage

/// Merges segments and drops removed tracks. The postings are recomputed from the landmarks, because segments with more
/// landmarks divide their lists more finely.
struct SegmentMerger {
  private struct Origin {
    var segment: Int
    var track: Int
  }

  private let segments: [Segment]
  private var tracks: [SegmentFormat.Track] = []
  private var origins: [Origin] = []

  init(_ segments: [Segment], removed: [Set<Int>]) throws(CatalogError) {
    self.segments = segments
    var next = 0
    for segment in segments.indices {
      for index in 0..<segments[segment].trackCount where !removed[segment].contains(index) {
        var track = segments[segment].track(index)
        let end = next + Int(track.columnCount) + SegmentFormat.trackGap
        guard end <= SegmentFormat.maximumColumnCount else { throw .tooLarge }
        track.firstColumn = UInt32(next)
        tracks.append(track)
        origins.append(Origin(segment: segment, track: index))
        next = end
      }
    }
  }

  /// Writes the segment; see `SegmentWriter.write`.
  func write(with writer: consuming SegmentWriter) throws(CatalogError) -> [UInt8] {
    try writer.write(
      tracks: tracks, codes: { Array(segments[origins[$0].segment].codes(ofTrack: origins[$0].track)) },
      items: { segments[origins[$0].segment].items(ofTrack: origins[$0].track) })
  }
}
