internal import Analysis
internal import Landmarks
internal import SystemPackage

/// An immutable unit of a catalog: tracks, their landmarks, and an inverted file of landmark pairs. `SegmentFormat`
/// describes the layout.
///
/// Every access is checked against the size of its section, so a damaged file can cause nothing worse than wrong
/// results. `verify()` reads the whole segment and detects any damage.
final class Segment: Sendable {
  private typealias Format = SegmentFormat

  let bytes: SegmentBytes
  /// The path that messages show.
  let path: String
  let trackCount: Int
  let columnCount: Int
  let landmarkCount: Int
  let postingCount: Int
  /// Number of context bits by which the list of each key is divided.
  let contextBits: Int
  private let listOffsetWidth: Int
  /// Offsets of the presence bits and the ranks, and the number of stored lists; `nil` if all lists are stored.
  private let sparse: (bits: Int, ranks: Int, count: Int)?
  /// Starts of the sections that are read for each pair of a query.
  private let listBasesStart: Int
  private let listOffsetsStart: Int
  private let postings: Range<Int>
  private let sections: [Range<Int>]
  private let checksums: [UInt64]

  convenience init(contentsOf path: FilePath) throws(CatalogError) {
    try self.init(SegmentBytes(mapping: path), path: path.string)
  }

  /// Reads and checks the header, the track table and the list bases, but nothing else.
  /// - Parameter isTracksOnly: `true` to check the landmarks and items instead of the list bases, and accept a damaged
  ///   index.
  init(_ bytes: SegmentBytes, path: String, isTracksOnly: Bool = false) throws(CatalogError) {
    self.bytes = bytes
    self.path = path
    let all = bytes.pointer
    guard all.count >= Format.headerSize, all[..<Format.magic.count].elementsEqual(Format.magic) else {
      throw .notACatalog(path: path)
    }
    func word(_ offset: Int) -> UInt32 { all.loadUnaligned(fromByteOffset: offset, as: UInt32.self) }
    func long(_ offset: Int) -> UInt64 { all.loadUnaligned(fromByteOffset: offset, as: UInt64.self) }
    guard Format.readableVersions.contains(word(Format.Header.version)) else {
      throw .otherVersion(path: path, version: Int(word(Format.Header.version)))
    }
    guard Self.checksum(all[..<Format.Header.checksum]) == long(Format.Header.checksum) else {
      throw .damaged(path: path, detail: "header")
    }
    guard word(Format.Header.signatureVersion) == UInt32(Signature.version) else {
      throw .otherVersion(path: path, version: Int(word(Format.Header.signatureVersion)))
    }
    guard long(Format.Header.fileSize) == UInt64(all.count) else {
      throw .damaged(path: path, detail: "\(all.count) bytes instead of \(long(Format.Header.fileSize))")
    }
    var sections: [Range<Int>] = []
    var checksums: [UInt64] = []
    for section in Format.Section.allCases {
      let entry = Format.Header.sections + section.rawValue * Format.Header.sectionSize
      let offset = Int(clamping: long(entry))
      let length = Int(clamping: long(entry + 8))
      guard offset >= Format.headerSize, offset <= all.count, length <= all.count - offset else {
        throw .damaged(path: path, detail: "section table")
      }
      sections.append(offset..<offset + length)
      checksums.append(long(entry + 16))
    }
    self.sections = sections
    self.checksums = checksums
    listBasesStart = sections[Format.Section.listBases.rawValue].lowerBound
    postings = sections[Format.Section.postings.rawValue]
    trackCount = Int(clamping: long(Format.Header.trackCount))
    columnCount = Int(clamping: long(Format.Header.columnCount))
    landmarkCount = Int(clamping: long(Format.Header.landmarkCount))
    postingCount = Int(clamping: long(Format.Header.postingCount))
    listOffsetWidth = Int(word(Format.Header.listOffsetWidth))
    contextBits = Int(word(Format.Header.contextBits))
    guard contextBits <= LandmarkPair.contextBits else { throw .damaged(path: path, detail: "header") }
    let allLists = LandmarkPair.keyCount << contextBits
    let offsetsStart = sections[Format.Section.listOffsets.rawValue].lowerBound
    let listCount: Int
    if word(Format.Header.version) >= 4, word(Format.Header.isSparse) == 1 {
      listCount = Int(word(Format.Header.listCount))
      let words = (allLists + 63) / 64
      let ranks = offsetsStart + 8 * words
      sparse = (offsetsStart, ranks, listCount)
      listOffsetsStart = ranks + 4 * ((64 * words + Format.rankGroup - 1) / Format.rankGroup)
    } else {
      listCount = allLists
      sparse = nil
      listOffsetsStart = offsetsStart
    }
    let groups = listCount / Format.listGroup + 1
    // A track takes exactly one record, a landmark at least one code, and a posting at least one byte.
    guard [2, 4].contains(listOffsetWidth), columnCount <= Format.maximumColumnCount, trackCount <= all.count,
      sections[Format.Section.tracks.rawValue].count == trackCount * Format.Track.size,
      landmarkCount <= sections[Format.Section.landmarks.rawValue].count,
      postingCount <= sections[Format.Section.postings.rawValue].count,
      sections[Format.Section.listBases.rawValue].count == groups * 8,
      sections[Format.Section.listOffsets.rawValue].upperBound == listOffsetsStart + (listCount + 1) * listOffsetWidth
    else { throw .damaged(path: path, detail: "header") }
    try verify(isTracksOnly ? [.landmarks, .tracks, .items] : [.tracks, .listBases])
    try checkColumns()
  }

  /// Checks that the tracks are contiguous, and that none is longer than a matcher can handle.
  private func checkColumns() throws(CatalogError) {
    var next = 0
    for index in 0..<trackCount {
      let track = track(index)
      guard Int(track.firstColumn) == next, Int(track.columnCount) <= Format.maximumTrackColumnCount else {
        throw .damaged(path: path, detail: "tracks")
      }
      next += Int(track.columnCount) + Format.trackGap
    }
    guard next == columnCount else { throw .damaged(path: path, detail: "tracks") }
  }

  /// Reads every section and compares the checksums.
  func verify() throws(CatalogError) {
    try verify(Format.Section.allCases)
  }

  private func verify(_ which: [SegmentFormat.Section]) throws(CatalogError) {
    for section in which {
      let range = sections[section.rawValue]
      guard Self.checksum(bytes.pointer[range]) == checksums[section.rawValue] else {
        throw .damaged(path: path, detail: "\(section)")
      }
    }
  }

  static func checksum(_ bytes: Slice<UnsafeRawBufferPointer>) -> UInt64 {
    var hasher = ContentHasher()
    hasher.update(UnsafeRawBufferPointer(rebasing: bytes))
    return hasher.finish().low
  }

  private func section(_ section: SegmentFormat.Section) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: bytes.pointer[sections[section.rawValue]])
  }

  // MARK: Tracks

  func track(_ index: Int) -> SegmentFormat.Track {
    precondition(index >= 0 && index < trackCount)
    let record = section(.tracks)
    let start = index * Format.Track.size
    func word(_ offset: Int) -> UInt32 { record.loadUnaligned(fromByteOffset: start + offset, as: UInt32.self) }
    func long(_ offset: Int) -> UInt64 { record.loadUnaligned(fromByteOffset: start + offset, as: UInt64.self) }
    return Format.Track(
      firstColumn: word(0), columnCount: word(4), landmarkOffset: long(8), codeCount: word(16), landmarkCount: word(20),
      firstBlock: word(24), itemLength: word(28), itemOffset: long(32), identifierHigh: long(40),
      identifierLow: long(48))
  }

  func identifier(ofTrack index: Int) -> ContentID {
    let track = track(index)
    return ContentID(high: track.identifierHigh, low: track.identifierLow)
  }

  /// Returns the track whose columns, extended by half the gap on each side, contain the given column of the segment;
  /// `nil` if there is none.
  func track(atColumn column: Int) -> Int? {
    let records = section(.tracks)
    var low = 0
    var high = trackCount
    // Finds the last track that begins at most half a gap after the column.
    while low < high {
      let middle = (low + high) / 2
      let first = records.loadUnaligned(fromByteOffset: middle * Format.Track.size, as: UInt32.self)
      if Int(first) <= column + Format.trackGap / 2 { low = middle + 1 } else { high = middle }
    }
    return low > 0 ? low - 1 : nil
  }

  /// Returns the identifier and the media items of a track as JSON, as they were added; empty if they are damaged.
  func items(ofTrack index: Int) -> [UInt8] {
    let track = track(index)
    let items = section(.items)
    guard let offset = Int(exactly: track.itemOffset), offset <= items.count,
      Int(track.itemLength) <= items.count - offset
    else { return [] }
    return Array(items[offset..<offset + Int(track.itemLength)])
  }

  // MARK: Landmarks

  func codes(ofTrack index: Int) -> UnsafeRawBufferPointer {
    codes(of: track(index))
  }

  private func codes(of track: SegmentFormat.Track) -> UnsafeRawBufferPointer {
    let landmarks = section(.landmarks)
    let length = 2 * Int(track.codeCount)
    guard let offset = Int(exactly: track.landmarkOffset), offset <= landmarks.count, length <= landmarks.count - offset
    else { return UnsafeRawBufferPointer(start: nil, count: 0) }
    return UnsafeRawBufferPointer(rebasing: landmarks[offset..<offset + length])
  }

  func signature(ofTrack index: Int) throws(CatalogError) -> Signature {
    do {
      return try Signature(body: Array(codes(ofTrack: index)), columnCount: Int(track(index).columnCount))
    } catch {
      throw .damaged(path: path, detail: "signature \(index)")
    }
  }

  /// Appends the landmarks of a track that are in a range of its columns.
  func appendLandmarks(
    ofTrack track: SegmentFormat.Track, in columns: Range<Int>, to landmarks: inout [PackedLandmark]
  ) {
    let codes = codes(of: track)
    var (next, column) = block(ofTrack: track, at: columns.lowerBound) ?? (0, 0)
    unsafe withUnsafeTemporaryAllocation(of: PackedLandmark.self, capacity: Self.decodedTogether) { buffer in
      while column < columns.upperBound, next < codes.count / 2 {
        let count = unsafe SignatureCoding.decode(
          codes, next: &next, column: &column, until: columns.upperBound, into: buffer)
        var first = 0
        while first < count, Int(buffer[first].column) < columns.lowerBound { first &+= 1 }
        unsafe landmarks.append(contentsOf: UnsafeBufferPointer(rebasing: buffer[first..<count]))
      }
    }
  }

  private static let decodedTogether = 128

  /// Returns the index of the code at which decoding must begin in order to reach a column, and the column to start
  /// from; `nil` beyond the end of the track.
  @inline(__always)
  private func block(ofTrack track: SegmentFormat.Track, at column: Int) -> (next: Int, column: Int)? {
    let blocks = section(.blocks)
    let start = placeOfBlock(ofTrack: track, at: column)
    guard column < Int(track.columnCount), start + Format.blockSize <= blocks.count else { return nil }
    return (
      Int(blocks.loadUnaligned(fromByteOffset: start, as: UInt32.self)),
      Int(blocks.loadUnaligned(fromByteOffset: start + 4, as: UInt32.self))
    )
  }

  @inline(__always)
  private func placeOfBlock(ofTrack track: SegmentFormat.Track, at column: Int) -> Int {
    (Int(track.firstBlock) + max(0, column) / Format.blockColumns) * Format.blockSize
  }

  // MARK: Files that are not in memory

  // The following methods prefetch data. They have no effect if the segment is in memory.

  /// See `SegmentBytes.prepareForQuery()`.
  @discardableResult
  func prepareForQuery() -> Bool { bytes.prepareForQuery() }

  /// Prefetches the offsets of lists, unless empty lists are left out of the segment.
  func fetchStarts(ofLists lists: some Sequence<Int>) {
    guard bytes.isCold, sparse == nil else { return }
    bytes.fetch(
      lists.map { list in
        let start = listOffsetsStart + listOffsetWidth * list
        return start..<start + 2 * listOffsetWidth
      })
  }

  /// Prefetches lists. Their ranges are those that `list(_:)` returns.
  func fetch(_ lists: some Sequence<Range<Int>>) {
    guard bytes.isCold else { return }
    bytes.fetch(lists.map { $0.shifted(by: postings.lowerBound) })
  }

  /// Prefetches the landmarks in a range of columns of each track.
  func fetchLandmarks(_ places: some Collection<(track: SegmentFormat.Track, columns: Range<Int>)>) {
    guard bytes.isCold else { return }
    let blocks = sections[Format.Section.blocks.rawValue].lowerBound
    bytes.fetch(
      places.flatMap { track, columns in
        [columns.lowerBound, columns.upperBound + Format.blockColumns].map { column in
          let start = blocks + placeOfBlock(ofTrack: track, at: min(column, Int(track.columnCount)))
          return start..<start + Format.blockSize
        }
      })
    bytes.fetch(
      places.compactMap { track, columns in
        let codes = codes(of: track)
        guard let base = codes.baseAddress, let start = bytes.pointer.baseAddress?.distance(to: base) else {
          return nil
        }
        let first = block(ofTrack: track, at: columns.lowerBound)?.next ?? 0
        let end = block(ofTrack: track, at: columns.upperBound + Format.blockColumns)?.next ?? codes.count / 2
        return (2 * first..<2 * max(first, end)).clamped(to: 0..<codes.count).shifted(by: start)
      })
  }

  // MARK: Postings

  /// Returns the number of the list for a key and the first `contextBits` of a context.
  @inline(__always)
  func listNumber(ofKey key: Int, context: Int) -> Int { key << contextBits | context }

  /// Returns the range of a list within `postings`. An invalid range, as in a damaged file, is empty.
  @inline(__always)
  func list(_ number: Int) -> Range<Int> {
    guard let number = sparse == nil ? number : storedNumber(of: number) else { return 0..<0 }
    let start = listStart(number)
    let end = listStart(number + 1)
    guard 0 <= start, start <= end, end <= postings.count else { return 0..<0 }
    return start..<end
  }

  /// Returns the index of a list among the stored lists; `nil` if the list is not stored.
  @inline(__always)
  private func storedNumber(of list: Int) -> Int? {
    guard let sparse else { return list }
    let base = bytes.pointer.baseAddress.unsafelyUnwrapped
    func word(_ index: Int) -> UInt64 { base.loadUnaligned(fromByteOffset: sparse.bits &+ 8 &* index, as: UInt64.self) }
    let last = list / 64
    let bit: UInt64 = 1 &<< UInt64(truncatingIfNeeded: list)
    let bits = word(last)
    guard bits & bit != 0 else { return nil }
    let group = list / Format.rankGroup
    var number = Int(base.loadUnaligned(fromByteOffset: sparse.ranks &+ 4 &* group, as: UInt32.self))
    for index in group &* (Format.rankGroup / 64)..<last { number &+= word(index).nonzeroBitCount }
    number &+= (bits & (bit &- 1)).nonzeroBitCount
    return number < sparse.count ? number : nil
  }

  @inline(__always)
  private func listStart(_ list: Int) -> Int {
    let base = bytes.pointer.baseAddress.unsafelyUnwrapped
    let group = list / Format.listGroup
    let start =
      Int(truncatingIfNeeded: base.loadUnaligned(fromByteOffset: listBasesStart &+ 8 &* group, as: UInt64.self))
      & Int.max
    if listOffsetWidth == 2 {
      return start &+ Int(base.loadUnaligned(fromByteOffset: listOffsetsStart &+ 2 &* list, as: UInt16.self))
    }
    return start &+ Int(base.loadUnaligned(fromByteOffset: listOffsetsStart &+ 4 &* list, as: UInt32.self))
  }

  @inline(__always)
  func firstByte(of list: Range<Int>) -> UInt8 {
    bytes.pointer.load(fromByteOffset: postings.lowerBound + list.lowerBound, as: UInt8.self)
  }

  /// Calls `body` with each anchor column in a list, in ascending order, at most once per byte of the list.
  @inline(__always)
  func forEachPosting(in list: Range<Int>, _ body: (_ column: Int) -> Void) {
    let start = self.postings.lowerBound
    let postings = bytes.pointer.baseAddress.unsafelyUnwrapped + start
    var column = 0
    var offset = list.lowerBound
    // While eight bytes can be read, two differences of up to four bytes each are decoded at a time.
    let lastWord = min(list.upperBound, bytes.pointer.count - start - 8)
    while offset < lastWord {
      let word = postings.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
      // Each difference ends with the first byte whose high bit is not set.
      let ends = ~word & 0x8080_8080_8080_8080
      let first = UInt64(truncatingIfNeeded: ends.trailingZeroBitCount)
      let second = UInt64(truncatingIfNeeded: (ends & (ends &- 1)).trailingZeroBitCount)
      if first > 31 || second &- first > 32 { break }
      let both =
        word & (UInt64.max &>> (63 &- first))
        | (word &>> (first &+ 1) & (UInt64.max &>> (64 &- (second &- first)))) &<< 32
      let pairs = both & 0x007F_007F_007F_007F | (both &>> 1) & 0x3F80_3F80_3F80_3F80
      let differences = pairs & 0x3FFF_0000_3FFF | (pairs &>> 2) & 0xFFF_C000_0FFF_C000
      let middle = offset &+ Int(truncatingIfNeeded: (first &+ 1) &>> 3)
      guard middle <= list.upperBound else { return }
      column &+= Int(truncatingIfNeeded: differences & 0xFFFF_FFFF)
      body(column)
      offset = middle
      if middle == list.upperBound { return }
      let end = middle &+ Int(truncatingIfNeeded: (second &- first) &>> 3)
      guard end <= list.upperBound else { return }
      column &+= Int(truncatingIfNeeded: differences &>> 32)
      body(column)
      offset = end
    }
    // Decodes the rest of the list byte by byte, either after a difference of five bytes (2^28 columns or more) or near
    // the end of the file.
    var value = 0
    var shift = 0
    while offset < list.upperBound {
      let byte = Int(postings.load(fromByteOffset: offset, as: UInt8.self))
      offset &+= 1
      value |= (byte & 0x7F) << (shift & 63)
      if byte & 0x80 != 0 {
        shift += 7
      } else {
        column &+= value
        body(column)
        value = 0
        shift = 0
      }
    }
  }
}

extension Range<Int> {
  fileprivate func shifted(by distance: Int) -> Range<Int> { lowerBound + distance..<upperBound + distance }
}
