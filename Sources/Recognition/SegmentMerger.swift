internal import Fingerprinting
internal import SystemPackage

/// Writes several segments as one, without the tracks that have been removed. Needs memory for the table of tracks, not
/// for postings: the lists of a key are copied one after the other, and stay sorted.
struct SegmentMerger {
  /// A track that stays: where it comes from, and how far its columns move.
  private struct Origin {
    var segment: Int
    var track: Int
  }

  /// A run of columns of one old segment that moves as a whole.
  private struct Move {
    var first: UInt32
    var end: UInt32
    var target: UInt32
  }

  private let segments: [Segment]
  private var tracks: [SegmentFormat.Track] = []
  private var origins: [Origin] = []
  /// For each segment, in order of columns.
  private var moves: [[Move]]

  init(_ segments: [Segment], removed: [Set<Int>]) throws(CatalogError) {
    self.segments = segments
    moves = Array(repeating: [], count: segments.count)
    var next = 0
    for segment in segments.indices {
      for index in 0..<segments[segment].trackCount where !removed[segment].contains(index) {
        var track = segments[segment].track(index)
        let end = next + Int(track.columnCount) + SegmentFormat.trackGap
        guard end <= SegmentFormat.maximumColumnCount else { throw .tooLarge }
        let last = track.firstColumn + track.columnCount
        moves[segment].append(Move(first: track.firstColumn, end: last, target: UInt32(next)))
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
      items: { segments[origins[$0].segment].items(ofTrack: origins[$0].track) },
      lists: { key, postings in
        for segment in segments.indices { copyList(ofKey: key, of: segment, to: &postings) }
      })
  }

  private func copyList(ofKey key: Int, of segment: Int, to postings: inout [UInt32]) {
    let moves = moves[segment]
    var next = 0
    segments[segment].forEachPosting(in: segments[segment].list(ofKey: key)) { column in
      while next < moves.count, column >= Int(moves[next].end) { next += 1 }
      guard next < moves.count, column >= Int(moves[next].first) else { return }
      let posting = UInt32(column - Int(moves[next].first)) + moves[next].target
      // Lists are written as differences. Only in a damaged one a column lies before the one before it.
      if posting >= postings.last ?? 0 { postings.append(posting) }
    }
  }
}
