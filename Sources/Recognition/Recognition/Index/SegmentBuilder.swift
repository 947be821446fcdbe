internal import Analysis
internal import Landmarks
internal import SystemPackage

/// Collects signatures and builds a segment from them.
struct SegmentBuilder {
  private var tracks: [SegmentFormat.Track] = []
  private var bodies: [[UInt8]] = []
  private var items: [[UInt8]] = []
  private(set) var nextColumn = 0
  /// Number of context bits by which lists are divided; `nil` to derive it from the number of landmarks.
  var contextBits: Int?

  var trackCount: Int { tracks.count }

  /// - Parameters:
  ///   - identifier: The digest of the reference's identifier.
  ///   - items: The identifier and the media items of the reference, as JSON.
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
  }

  /// Writes the segment; see `SegmentWriter.write`.
  func write(with writer: consuming SegmentWriter) throws(CatalogError) -> [UInt8] {
    try writer.write(
      tracks: tracks, codes: { bodies[$0] }, items: { items[$0] }, contextBits: contextBits)
  }

  /// Builds the segment in memory.
  func build() throws(CatalogError) -> Segment {
    let bytes = try write(with: SegmentWriter())
    return try Segment(SegmentBytes(bytes), path: "catalog in memory")
  }
}
