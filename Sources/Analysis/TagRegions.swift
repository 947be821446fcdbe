/// Where tags stand in front of and behind the audio of a file: ID3v2, APEv2, ID3v1, Lyrics3.
///
/// Decoding cuts them off and tag reading reads them. Both take them from here, so that they agree on where a tag ends.
public enum TagRegions {
  public enum Kind: Hashable, Sendable {
    case id3v2
    case apev2
    case id3v1
    /// `TAG+`, in front of ID3v1.
    case extendedID3v1
    /// Version 1 ends with `LYRICSEND`, version 2 with its size and `LYRICS200`.
    case lyrics3(version: Int)
  }

  public struct Region: Hashable, Sendable {
    public var kind: Kind
    public var bytes: Range<Int64>
  }

  /// The tags at the start of a file.
  public struct Leading: Hashable, Sendable {
    /// In the order of the file, a broken one included.
    public var regions: [Region]
    /// The offset where the file goes on after them.
    public var end: Int64
    /// The last tag claims an unknown version, or to reach past the end of the file: `end` is that of its header.
    public var isBroken: Bool
  }

  /// Reads up to that many bytes at an offset.
  public typealias Reading<Failure: Error> = (_ offset: Int64, _ count: Int) throws(Failure) -> [UInt8]

  /// Tags one after the other; real files have three.
  private static let limit = 100_000

  public static func leading<Failure: Error>(
    fileSize: Int64, _ read: Reading<Failure>
  ) throws(Failure) -> Leading {
    var result = Leading(regions: [], end: 0, isBroken: false)
    while result.regions.count < limit {
      let start = result.end
      if let header = try ID3v2Header(at: start, fileSize: fileSize, read) {
        result.regions.append(Region(kind: .id3v2, bytes: start..<min(header.end, fileSize)))
        guard header.isKnown, header.end <= fileSize else {
          result.isBroken = true
          result.end = start + ID3v2Header.size
          break
        }
        result.end = header.end
      } else if let size = try apeSize(of: read(start, apeEndSize)), size <= fileSize - start - Int64(apeEndSize) {
        // The size leaves out the header.
        result.end = start + size + Int64(apeEndSize)
        result.regions.append(Region(kind: .apev2, bytes: start..<result.end))
      } else {
        break
      }
    }
    return result
  }

  /// The tags at the end of a file, the last one first.
  ///
  /// - Parameter start: Where the audio begins. What claims to reach to before it is no tag.
  public static func trailing<Failure: Error>(
    behind start: Int64, fileSize: Int64, _ read: Reading<Failure>
  ) throws(Failure) -> [Region] {
    var regions: [Region] = []
    var end = fileSize
    while regions.count < limit, let region = try lastTag(before: end, behind: start, fileSize: fileSize, read) {
      regions.append(region)
      end = region.bytes.lowerBound
    }
    return regions
  }

  /// Of the header as of the footer.
  private static let apeEndSize = 32
  private static let id3v1Size: Int64 = 128
  private static let extendedID3v1Size: Int64 = 227
  /// Of version 1: the text has at most 5,100 bytes, between marks of 11 and 9.
  private static let lyrics3Size = 5_120

  private static func lastTag<Failure: Error>(
    before end: Int64, behind start: Int64, fileSize: Int64, _ read: Reading<Failure>
  ) throws(Failure) -> Region? {
    func region(_ kind: Kind, _ size: Int64) -> Region? {
      size <= end - start ? Region(kind: kind, bytes: end - size..<end) : nil
    }
    let windowStart = max(start, end - 160)
    let window = end > windowStart ? try read(windowStart, Int(end - windowStart)) : []
    func has(_ text: String, _ distance: Int) -> Bool {
      distance <= window.count && window[(window.count - distance)...].starts(with: text.utf8)
    }
    if has("TAG", 128), !has("APETAGEX", 131) { return region(.id3v1, id3v1Size) }
    // Only an ID3v1 tag follows it.
    if end + id3v1Size <= fileSize, end - extendedID3v1Size >= start,
      try read(end - extendedID3v1Size, 4).starts(with: "TAG+".utf8), try read(end, 3).starts(with: "TAG".utf8)
    {
      return region(.extendedID3v1, extendedID3v1Size)
    }
    if has("APETAGEX", apeEndSize) {
      let footer = Array(window.suffix(apeEndSize))
      guard let size = apeSize(of: footer) else { return nil }
      // Bit 31 of the flags: there is a header, which the size leaves out.
      return region(.apev2, size + (footer[23] & 0x80 != 0 ? Int64(apeEndSize) : 0))
    }
    if has("LYRICS200", 9) {
      let digits = String(decoding: window.dropLast(9).suffix(6), as: UTF8.self)
      return Int64(digits).flatMap { $0 > 0 ? region(.lyrics3(version: 2), $0 + 15) : nil }
    }
    if has("LYRICSEND", 9) {
      let searchStart = max(start, end - Int64(lyrics3Size))
      let bytes = try read(searchStart, Int(end - searchStart))
      return bytes.indices.last { bytes[$0] == 0x4C && bytes[$0...].starts(with: "LYRICSBEGIN".utf8) }
        .flatMap { region(.lyrics3(version: 1), Int64(bytes.count - $0)) }
    }
    if has("3DI", 10), window.suffix(4).allSatisfy({ $0 < 0x80 }) {
      let size = ID3v2Header.syncsafe(window.suffix(4)) + 2 * ID3v2Header.size
      guard let found = region(.id3v2, size) else { return nil }
      return try read(found.bytes.lowerBound, 3).starts(with: "ID3".utf8) ? found : nil
    }
    return nil
  }

  /// Bytes of an APEv2 tag without its header, as header and footer give them.
  private static func apeSize(of footer: [UInt8]) -> Int64? {
    guard footer.count == apeEndSize, footer.starts(with: "APETAGEX".utf8) else { return nil }
    let size = footer[12..<16].reversed().reduce(Int64(0)) { $0 << 8 | Int64($1) }
    return size >= apeEndSize ? size : nil
  }
}

/// The header of an ID3v2 tag, and where the tag ends (id3.org: ID3v2.4, section 3.1).
public struct ID3v2Header: Hashable, Sendable {
  /// The minor version: 2, 3 or 4.
  public var version: Int
  public var flags: UInt8
  /// Bytes between header and footer.
  public var bodySize: Int64
  /// The offset after the tag and its footer; it may lie past the end of the file.
  public var end: Int64
  /// The size has bits set that must be zero.
  public var hasOddSize = false
  /// False for versions that nobody has defined.
  public var isKnown: Bool

  /// Bytes of the header, and of the footer.
  public static let size: Int64 = 10

  /// The header at `offset`; `nil` if there is none.
  public init?<Failure: Error>(
    at offset: Int64, fileSize: Int64, _ read: TagRegions.Reading<Failure>
  ) throws(Failure) {
    let header = try read(offset, Int(Self.size))
    guard header.count == Self.size, header.starts(with: "ID3".utf8) else { return nil }
    version = Int(header[3])
    flags = header[5]
    isKnown = version <= 4 && header[4] != 0xFF
    let sizes = header[6..<10]
    bodySize = Self.syncsafe(sizes)
    if sizes.contains(where: { $0 >= 0x80 }) {
      hasOddSize = true
      // Either the writer knew nothing of seven bits to a byte, or the eighth bits mean nothing: what follows tells.
      let plain = sizes.reduce(Int64(0)) { $0 << 8 | Int64($1) }
      let plainEnd = offset + Self.size + plain
      if plainEnd == fileSize {
        bodySize = plain
      } else if Self.isStart(try read(plainEnd, 16)) {
        bodySize = plain
      }
    }
    end = offset + Self.size + bodySize
    // The flag that announces the footer says less than the footer itself.
    if try read(end, 3).starts(with: "3DI".utf8) { end = min(end + Self.size, fileSize) }
  }

  /// Seven bits to a byte, whatever the eighth is.
  public static func syncsafe(_ bytes: ArraySlice<UInt8>) -> Int64 {
    bytes.reduce(0) { $0 << 7 | Int64($1 & 0x7F) }
  }

  /// Whether audio, or another tag, may start with these bytes.
  private static func isStart(_ bytes: [UInt8]) -> Bool {
    if bytes.count > 1, bytes[0] == 0xFF, bytes[1] >= 0xE0 { return true }
    let marks = [
      "ID3", "APETAGEX", "fLaC", "OggS", "RIFF", "RF64", "BW64", "FORM", "FRM8", "DSD ", "MAC ", "wvpk", "TTA1", "MP+",
      "MPCK", "tBaK", "OFR ",
    ]
    return marks.contains { bytes.starts(with: $0.utf8) } || bytes.dropFirst(4).starts(with: "ftyp".utf8)
  }
}
