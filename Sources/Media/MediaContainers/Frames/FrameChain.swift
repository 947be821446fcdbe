/// A chain of consecutive frames, each of which leads to the start of the next.
///
/// A header alone proves little: its few fixed bits occur by chance in any large enough file, and jump tables of
/// programs even have runs of such bits. Frames that follow each other at the stated distances hardly ever do so by
/// chance.
struct FrameChain<Header: FrameHeader> {
  let source: ByteSource
  /// Maximum offset at which the stream may end.
  let end: Int

  /// Number of frames that must follow a frame found in an unexpected place. In 40,000 programs, libraries, pictures
  /// and documents, at most three frames followed by chance.
  private static var proof: Int { 5 }
  /// Number of bytes at the end that are searched first for the last frames. In every format, they contain many frames.
  private static var tailLength: Int { 1 << 17 }
  /// Number of bytes without a frame after which a stream counts as ended: decoders give up there, too.
  private static var gapLimit: Int { 8 << 20 }

  /// Reads the header at `offset`; `nil` if there is none.
  func header(at offset: Int) throws(FileReadError) -> Header? {
    guard offset < end else { return nil }
    return Header(try source.bytes(at: offset, count: min(Header.size, end - offset))[...])
  }

  // MARK: Searching

  /// Finds the first frame from `start` on that is followed by `proof` other frames, or by fewer that end exactly where
  /// the stream ends; `nil` if there is none.
  ///
  /// - Parameters:
  ///   - limit: Number of bytes from `start` on in which the frame must begin.
  ///   - previous: A frame of the same stream. A frame that continues it needs only one frame after it, or none if it
  ///     is the last.
  func firstFrame(
    from start: Int, limit: Int, after previous: Header? = nil
  ) throws(FileReadError) -> (offset: Int, header: Header)? {
    let stop = min(end, start + limit)
    var position = start
    var length = 1 << 12
    while position < stop {
      // Holes of sparse files contain no headers.
      let data = try source.startOfData(from: position)
      if data >= position + length {
        position = data
        continue
      }
      let chunk = Chunk(start: position, bytes: try bytes(from: position, count: length + Self.margin))
      guard chunk.bytes.count >= Header.size else { return nil }
      var index = 0
      while let found = chunk.nextHeader(Header.self, from: index, to: min(length, stop - position)) {
        if try isFollowed(found.header, at: position + found.index, after: previous, in: chunk) {
          return (position + found.index, found.header)
        }
        index = found.index + 1
      }
      position += length
      length = min(length * 4, 1 << 18)
    }
    return nil
  }

  /// Number of bytes read after the searched bytes, because they usually contain the frames that follow.
  private static var margin: Int { 1 << 13 }

  private func bytes(from offset: Int, count: Int) throws(FileReadError) -> [UInt8] {
    try source.bytes(at: offset, count: min(count, end - offset))
  }

  private func isFollowed(
    _ header: Header, at offset: Int, after previous: Header?, in chunk: Chunk
  ) throws(FileReadError) -> Bool {
    let isExpected = previous.map { header.continues($0) } ?? false
    guard isExpected || header.isDistinctive else { return false }
    var position = offset + header.length
    for count in 0..<(isExpected ? 1 : Self.proof) {
      if position == end { return isExpected || count > 0 }
      var next = chunk.header(Header.self, at: position)
      if next == nil { next = try self.header(at: position) }
      guard let next, next.continues(header) else { return false }
      position += next.length
    }
    return true
  }

  // MARK: Walking

  /// Determines the end of the stream that starts with `first` at `start`. If the last `tailLength` bytes contain
  /// frames, reads only these bytes.
  func ending(from start: Int, _ first: Header) throws(FileReadError) -> TruncationCheck {
    let tail = end - Self.tailLength
    if tail > start, let found = try firstFrame(from: tail, limit: Self.tailLength) {
      return try walk(from: found.offset, found.header)
    }
    return try walk(from: start, first)
  }

  /// Visits each frame, and determines the end of the stream.
  ///
  /// - Parameters:
  ///   - visit: Called with each frame.
  ///   - skip: Called with the range of other data between two frames.
  func walk(
    from start: Int, _ first: Header, visit: (Header) -> Void = { _ in },
    skip: (Range<Int>) throws(FileReadError) -> Void = { _ in }
  ) throws(FileReadError) -> TruncationCheck {
    var position = start
    var previous = first
    while true {
      if let header = try header(at: position), header.continues(previous) {
        visit(header)
        guard header.length <= end - position else { return TruncationCheck(cutAt: end) }
        position += header.length
        previous = header
        continue
      }
      if try isCutHeader(at: position, after: previous) { return TruncationCheck(cutAt: end) }
      guard position < end, let next = try firstFrame(from: position, limit: Self.gapLimit, after: previous) else {
        return try TruncationCheck(behind: position, to: end, in: source)
      }
      if next.offset > position { try skip(position..<next.offset) }
      position = next.offset
      previous = next.header
    }
  }

  /// `true` if the stream ends within a header. A single byte is not enough evidence.
  private func isCutHeader(at offset: Int, after previous: Header) throws(FileReadError) -> Bool {
    guard (2..<Header.size).contains(end - offset),
      let word = try source.bytes(at: offset, count: 2).bigEndian(UInt16.self)
    else { return false }
    return previous.isContinued(by: word)
  }
}

/// A range of the file in memory.
private struct Chunk {
  var start: Int
  var bytes: [UInt8]

  /// Reads the header at a file offset; `nil` if there is none, or it is not completely in the chunk.
  func header<Header: FrameHeader>(_ type: Header.Type, at offset: Int) -> Header? {
    let index = offset - start
    guard index >= 0, index + Header.size <= bytes.count else { return nil }
    return Header(bytes[index..<index + Header.size])
  }

  /// Finds the first header that starts at or after index `start` and before index `stop`; `nil` if there is none.
  func nextHeader<Header: FrameHeader>(
    _ type: Header.Type, from start: Int, to stop: Int
  ) -> (index: Int, header: Header)? {
    var index = start
    let last = min(stop, bytes.count - Header.size + 1)
    while index < last {
      let sync = bytes.withUnsafeBufferPointer { bytes in
        (index..<last).first { Header.isSync(UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1])) }
      }
      guard let sync else { return nil }
      if let header = Header(bytes[sync..<min(sync + Header.size, bytes.count)]) { return (sync, header) }
      index = sync + 1
    }
    return nil
  }
}
