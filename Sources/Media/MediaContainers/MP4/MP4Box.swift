/// A box of an MP4 or QuickTime file (ISO/IEC 14496-12, section 4.2).
package struct MP4Box: Hashable, Sendable {
  /// Four characters of ISO 8859-1, as in `©nam`.
  package var name: String
  package var start: Int
  package var body: Int
  /// End of the box, clamped to the enclosing box.
  package var end: Int
  /// Number of bytes claimed beyond the enclosing box.
  package var missingByteCount = 0

  /// Maximum number of boxes examined on one level.
  private static let limit = 100_000

  /// Creates a box that stands for the whole file from `start` on.
  package init(file source: ByteSource, from start: Int) {
    (name, self.start, body, end) = ("", start, start, max(start, source.size))
  }

  /// Reads the box at `position` inside a box that ends at `end`; `nil` if there is none, or it is smaller than its
  /// header.
  ///
  /// - Parameter allowsInnerOpenEnds: `true` if a size of 0 also means "to the end" inside other boxes, as in FFmpeg.
  ///   The standard allows it only at the end of the file.
  package init?(
    at position: Int, end: Int, in source: ByteSource, allowsInnerOpenEnds: Bool = false
  ) throws(FileReadError) {
    guard position <= end - 8 else { return nil }
    let header = try source.bytes(at: position, count: 16)
    guard let size = header.bigEndian(UInt32.self), header.count >= 8 else { return nil }
    (name, start, body, self.end) = (header[4..<8].latin1, position, position + 8, end)
    switch size {
    case 0: guard allowsInnerOpenEnds || end == source.size else { return nil }
    case 1:
      guard let size = header.bigEndian(Int64.self, at: 8), size >= 16, position <= end - 16 else { return nil }
      body += 8
      missingByteCount = max(0, Int(size) - (end - position))
      self.end = position + min(Int(size), end - position)
    case 8...:
      missingByteCount = max(0, Int(size) - (end - position))
      self.end = position + min(Int(size), end - position)
    default: return nil
    }
  }

  /// Finds the first child with the given name; `nil` if there is none.
  ///
  /// - Parameter start: Offset to start from; `nil` for the first child.
  package func child(
    _ name: String, in source: ByteSource, from start: Int? = nil
  ) throws(FileReadError) -> MP4Box? {
    var position = if let start { start } else { try firstChild(in: source) }
    for _ in 0..<Self.limit {
      guard let box = try MP4Box(at: position, end: end, in: source) else { return nil }
      if box.name == name { return box }
      position = box.end
    }
    return nil
  }

  /// Finds the box at the end of a path of names; `nil` if one of the boxes is missing.
  package func descendant(_ path: String..., in source: ByteSource) throws(FileReadError) -> MP4Box? {
    var box = self
    for name in path {
      guard let child = try box.child(name, in: source) else { return nil }
      box = child
    }
    return box
  }

  /// Start of the first child. In MP4 files, a version and flags precede the children of `meta`; in QuickTime files,
  /// the first child `hdlr` follows immediately.
  package func firstChild(in source: ByteSource) throws(FileReadError) -> Int {
    guard name == "meta" else { return body }
    return try source.bytes(at: body + 4, count: 4).has("hdlr") ? body : body + 4
  }

  /// Time units per second, and the duration in these units, from `mvhd` or `mdhd`, which begin alike; 0 if missing.
  package func times(in source: ByteSource) throws(FileReadError) -> (timescale: Int64, duration: Int64) {
    let header = try source.bytes(at: body, count: 32)
    let isLong = header.first == 1
    let timescale = header.bigEndian(UInt32.self, at: isLong ? 20 : 12) ?? 0
    let duration =
      isLong ? header.bigEndian(Int64.self, at: 24) : header.bigEndian(UInt32.self, at: 16).map { Int64($0) }
    return (Int64(timescale), duration ?? 0)
  }
}
