/// A page of an Ogg file (RFC 3533, section 6).
package struct OggPage: Hashable, Sendable {
  package var offset: Int
  /// The expected start of the next page.
  package var end: Int
  package var serial: UInt32
  package var number: UInt32
  /// Granule position.
  package var position: Int64
  /// `true` if the page begins with the rest of a packet.
  package var isContinued: Bool
  package var isFirst: Bool
  package var isLast: Bool

  /// Offset of the checksum from the start of the page.
  package static let checksumPosition = 22
}

/// Reads the pages of an Ogg file in one sequential pass.
package struct OggPageReader {
  private let source: ByteSource
  private let acceptsDamaged: Bool
  private let junkLimit: Int
  private var buffer: [UInt8]
  /// Offset in the file of the buffer's first byte.
  private var bufferOffset: Int
  private var filled = 0
  /// Index in the buffer at which the next page starts.
  private var cursor = 0
  private var pageStart = 0
  private var lacing = 0..<0
  private var body = 0..<0
  package private(set) var junkByteCount = 0
  /// Number of pages with a wrong checksum.
  package private(set) var damagedPageCount: Int64 = 0

  private static let headerSize = 27
  /// A header, 255 lacing values, 255 segments of 255 bytes.
  private static let maxPageSize = headerSize + 255 + 255 * 255
  /// Number of bytes per read: large for all pages, small for lenient readers, which need only the first ones.
  private static let step = (all: 1 << 17, first: 1 << 15)

  /// Creates a reader that returns only complete pages with the right checksum; no decoder accepts others.
  package init(_ source: ByteSource, at offset: Int) {
    self.init(source, at: offset, acceptsDamaged: false, junkLimit: .max)
  }

  /// Creates a reader that also returns pages that are cut off or have a wrong checksum: text is still readable in
  /// damaged pages.
  ///
  /// - Parameter junkLimit: Maximum number of junk bytes between two pages; if there are more, reading ends.
  package init(leniently source: ByteSource, at offset: Int, junkLimit: Int) {
    self.init(source, at: offset, acceptsDamaged: true, junkLimit: junkLimit)
  }

  private init(_ source: ByteSource, at offset: Int, acceptsDamaged: Bool, junkLimit: Int) {
    self.source = source
    self.acceptsDamaged = acceptsDamaged
    self.junkLimit = junkLimit
    bufferOffset = offset
    buffer = [UInt8](repeating: 0, count: Self.maxPageSize + (acceptsDamaged ? Self.step.first : Self.step.all))
  }

  /// Calls `use` with the lacing values and the body of the page read last.
  package func withContents<Result>(
    _ use: (_ lacing: UnsafeRawBufferPointer, _ body: UnsafeRawBufferPointer) -> Result
  ) -> Result {
    buffer.withUnsafeBytes {
      use(UnsafeRawBufferPointer(rebasing: $0[lacing]), UnsafeRawBufferPointer(rebasing: $0[body]))
    }
  }

  /// The page read last, with 0 in place of its checksum, and the offset of its body in the page.
  package var pageWithoutChecksum: (bytes: [UInt8], body: Int) {
    var page = Array(buffer[pageStart..<body.upperBound])
    page.replaceSubrange(OggPage.checksumPosition..<OggPage.checksumPosition + 4, with: repeatElement(0, count: 4))
    return (page, body.lowerBound - pageStart)
  }

  /// Returns the next page; `nil` at the end. Bytes that do not belong to any page are skipped and counted.
  package mutating func next() throws(FileReadError) -> OggPage? {
    var junk = 0
    while try isFilled(Self.headerSize), junk <= junkLimit {
      if let page = try page() {
        return page
      }
      let searchedFrom = cursor
      cursor += 1
      while cursor < filled && buffer[cursor] != 0x4F { cursor += 1 }
      junk += cursor - searchedFrom
      junkByteCount += cursor - searchedFrom
    }
    junkByteCount += filled - cursor
    return nil
  }

  /// Makes sure that the buffer has `count` bytes from the cursor on; returns `false` if the file ends before that.
  private mutating func isFilled(_ count: Int) throws(FileReadError) -> Bool {
    guard filled - cursor < count else { return true }
    let offset = bufferOffset + filled
    guard offset < source.size else { return false }
    let kept = filled - cursor
    let wanted = min(buffer.count, max(count, kept + (acceptsDamaged ? Self.step.first : Self.step.all)))
    var failure: FileReadError?
    let got = buffer.withUnsafeMutableBytes { bytes in
      guard let base = bytes.baseAddress else { return 0 }
      base.copyMemory(from: base + cursor, byteCount: kept)
      do throws(FileReadError) {
        return try source.read(into: UnsafeMutableRawBufferPointer(rebasing: bytes[kept..<wanted]), at: offset)
      } catch {
        failure = error
        return 0
      }
    }
    if let failure { throw failure }
    bufferOffset += cursor
    cursor = 0
    filled = kept + got
    return filled >= count
  }

  /// Reads the page at the cursor and moves past it; `nil` if there is none.
  private mutating func page() throws(FileReadError) -> OggPage? {
    // The capture pattern, and version 0.
    guard buffer[cursor] == 0x4F, buffer[cursor + 1] == 0x67, buffer[cursor + 2] == 0x67, buffer[cursor + 3] == 0x53,
      buffer[cursor + 4] == 0
    else { return nil }
    let segmentCount = Int(buffer[cursor + 26])
    guard try isFilled(Self.headerSize + segmentCount) else { return nil }
    let lacingStart = cursor + Self.headerSize
    let size = buffer[lacingStart..<lacingStart + segmentCount].reduce(Self.headerSize + segmentCount) { $0 + Int($1) }
    let isWhole = try isFilled(size)
    guard acceptsDamaged || isWhole else { return nil }
    guard acceptsDamaged || checksumIsRight(size) else {
      damagedPageCount += 1
      return nil
    }
    pageStart = cursor
    lacing = pageStart + Self.headerSize..<pageStart + Self.headerSize + segmentCount
    body = lacing.upperBound..<min(pageStart + size, filled)
    cursor = body.upperBound
    let header = buffer[pageStart..<lacing.lowerBound]
    let flags = header[pageStart + 5]
    return OggPage(
      offset: bufferOffset + pageStart, end: bufferOffset + pageStart + size,
      serial: header.littleEndian(UInt32.self, at: 14) ?? 0, number: header.littleEndian(UInt32.self, at: 18) ?? 0,
      position: header.littleEndian(Int64.self, at: 6) ?? 0, isContinued: flags & 1 != 0, isFirst: flags & 2 != 0,
      isLast: flags & 4 != 0)
  }

  private func checksumIsRight(_ size: Int) -> Bool {
    buffer.withUnsafeBytes { bytes in
      OggChecksum.isRight(UnsafeRawBufferPointer(rebasing: bytes[cursor..<cursor + size]))
    }
  }
}
