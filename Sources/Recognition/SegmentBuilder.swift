internal import AudioAnalysis
internal import Fingerprinting
internal import SystemPackage

/// Collects signatures and makes a segment of them.
struct SegmentBuilder {
  private var tracks: [SegmentFormat.Track] = []
  private var bodies: [[UInt8]] = []
  private var items: [[UInt8]] = []
  /// Key and anchor column of every pair, in order of column.
  private var keys: [UInt32] = []
  private var columns: [UInt32] = []
  private(set) var nextColumn = 0

  var trackCount: Int { tracks.count }
  var postingCount: Int { keys.count }

  /// - Parameters:
  ///   - identifier: Digest of the reference's identifier.
  ///   - items: Its media items in JSON.
  mutating func add(_ signature: Signature, identifier: ContentID, items: [UInt8]) throws(CatalogError) {
    let first = nextColumn
    let next = first + signature.columnCount + SegmentFormat.trackGap
    guard next <= SegmentFormat.maximumColumnCount, signature.columnCount <= SegmentFormat.maximumTrackColumnCount
    else { throw .tooLarge }
    nextColumn = next
    tracks.append(
      SegmentFormat.Track(
        firstColumn: UInt32(first), columnCount: UInt32(signature.columnCount), landmarkOffset: 0, codeCount: 0,
        landmarkCount: 0, firstBlock: 0, itemLength: 0, itemOffset: 0, identifierHigh: identifier.high,
        identifierLow: identifier.low))
    bodies.append(signature.bodyBytes)
    self.items.append(items)
    LandmarkPair.forEach(in: signature.landmarks) { key, column in
      keys.append(UInt32(key))
      columns.append(UInt32(first + column))
    }
  }

  /// Writes the segment; see `SegmentWriter.write`.
  func write(with writer: consuming SegmentWriter) throws(CatalogError) -> [UInt8] {
    // Counting sort by key, which keeps the order of columns.
    var starts = [Int](repeating: 0, count: LandmarkPair.keyCount + 1)
    for key in keys { starts[Int(key) + 1] += 1 }
    for key in 0..<LandmarkPair.keyCount { starts[key + 1] += starts[key] }
    var sorted = [UInt32](repeating: 0, count: keys.count)
    var next = starts
    for index in keys.indices {
      let key = Int(keys[index])
      sorted[next[key]] = columns[index]
      next[key] += 1
    }
    return try writer.write(
      tracks: tracks, codes: { bodies[$0] }, items: { items[$0] },
      lists: { key, postings in postings.append(contentsOf: sorted[starts[key]..<starts[key + 1]]) })
  }

  /// The segment in memory.
  func build() throws(CatalogError) -> Segment {
    let bytes = try write(with: SegmentWriter())
    return try Segment(SegmentBytes(bytes), path: "catalog in memory")
  }
}
