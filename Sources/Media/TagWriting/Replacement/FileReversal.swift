public import Analysis
internal import MediaContainers

/// Instructions for restoring a file, byte for byte, from its replacement: ranges of the replacement, and the bytes
/// that are missing from it.
public struct FileReversal: Hashable, Sendable {
  public enum Piece: Hashable, Sendable {
    /// Bytes that the new file contains.
    case kept(Range<Int>)
    case bytes([UInt8])
    case zeros(Int)
    /// Ogg pages that the new file contains with other numbers.
    case pages(Range<Int>, serial: UInt32, numberShift: UInt32)
  }

  /// The old file.
  public var old: FileDigest
  /// The replacement.
  public var new: FileDigest
  public var pieces: [Piece]

  public init(old: FileDigest, new: FileDigest, pieces: [Piece]) {
    self.old = old
    self.new = new
    self.pieces = pieces
  }

  /// Maximum number of bytes stored in the pieces themselves.
  private static let literalLimit = 64 << 10
  /// Maximum number of bytes of the old file that are compared with new bytes, in total.
  private static let comparisonLimit = 32 << 20

  /// - Parameter splice: The pieces of the new file.
  /// - Returns: `nil` if more than `literalLimit` bytes would have to be stored to restore the old file, or more than
  ///   `comparisonLimit` would have to be compared.
  static func of(
    _ splice: FileSplice, source: ByteSource, old: FileDigest, new: FileDigest
  ) throws(TagWriteError) -> FileReversal? {
    var kept: [(old: Range<Int>, piece: Piece)] = []
    var fresh: [(start: Int, bytes: [UInt8])] = []
    var position = 0
    for piece in splice.pieces {
      let place = position..<position + piece.size
      switch piece {
      case .original(let range): kept.append((range, .kept(place)))
      case .pages(let range, let serial, let shift):
        kept.append((range, .pages(place, serial: serial, numberShift: 0 &- shift)))
      case .bytes(let bytes): fresh.append((position, bytes))
      case .zeros, .joined: break
      }
      position = place.upperBound
    }
    // A range may occur twice, for example if a picture was copied from another tag.
    kept.sort { ($0.old.lowerBound, $1.old.upperBound) < ($1.old.lowerBound, $0.old.upperBound) }
    var parts: [(old: Range<Int>, piece: Piece)] = []
    var missing: [Range<Int>] = []
    position = 0
    for part in kept where part.old.upperBound > position {
      guard part.old.lowerBound >= position else { return nil }
      if part.old.lowerBound > position { missing.append(position..<part.old.lowerBound) }
      parts.append(part)
      position = part.old.upperBound
    }
    if position < source.size { missing.append(position..<source.size) }
    guard missing.reduce(0, { $0 + $1.count }) <= comparisonLimit else { return nil }
    let matcher = missing.isEmpty ? nil : ByteMatcher(fresh)
    for range in missing {
      guard let bytes = try? source.bytes(at: range.lowerBound, count: range.count), bytes.count == range.count else {
        throw TagWriteError(.changed, "The file was truncated while it was being copied.")
      }
      var start = range.lowerBound
      for piece in matcher?.pieces(of: bytes) ?? [] {
        parts.append((start..<start + piece.size, piece))
        start += piece.size
      }
    }
    parts.sort { $0.old.lowerBound < $1.old.lowerBound }
    let reversal = FileReversal(old: old, new: new, pieces: parts.map(\.piece))
    let literalCount = reversal.pieces.reduce(0) { sum, piece in
      if case .bytes(let bytes) = piece { sum + bytes.count } else { sum }
    }
    return literalCount <= literalLimit ? reversal : nil
  }

  /// The pieces of the old file: ranges of the new file, and stored bytes.
  var splice: FileSplice {
    var splice = FileSplice()
    for piece in pieces {
      switch piece {
      case .kept(let range): splice.add(range)
      case .bytes(let bytes): splice.add(bytes)
      case .zeros(let count): splice.add(zeros: count)
      case .pages(let range, let serial, let shift): splice.add(pages: range, serial: serial, numberShift: shift)
      }
    }
    return splice
  }

  /// `true` if all pieces are within the new file and their sizes add up to the size of the old file.
  var isConsistent: Bool {
    pieces.allSatisfy { piece in
      switch piece {
      case .kept(let range), .pages(let range, _, _): range.lowerBound >= 0 && range.upperBound <= new.size
      case .bytes: true
      case .zeros(let count): (0...old.size).contains(count)
      }
    } && pieces.reduce(0) { $0 + $1.size } == old.size
  }
}

extension FileReversal.Piece {
  fileprivate var size: Int {
    switch self {
    case .kept(let range), .pages(let range, _, _): range.count
    case .bytes(let bytes): bytes.count
    case .zeros(let count): count
    }
  }
}

/// The size of a file, and a digest of its bytes (XXH3-128).
public struct FileDigest: Hashable, Sendable {
  public var size: Int
  public var digest: ContentID

  public init(size: Int, digest: ContentID) {
    self.size = size
    self.digest = digest
  }

  init(_ source: ByteSource) throws(TagWriteError) {
    var whole = FileSplice()
    whole.add(0..<source.size)
    self.init(size: source.size, digest: try whole.digest(from: source))
  }
}
