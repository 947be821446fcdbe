/// The ranges of tags before and after the audio of a file: ID3v2, APE, ID3v1, Lyrics3.
///
/// Decoders skip these ranges; the tag reader reads them.
package enum TagRegions {
  package enum Kind: Hashable, Sendable {
    case id3v2
    case ape
    case id3v1
    /// `TAG+`, before ID3v1.
    case extendedID3v1
    /// Version 1 ends with `LYRICSEND`, version 2 with its size and `LYRICS200`.
    case lyrics3(version: Int)
  }

  package struct Region: Hashable, Sendable {
    package var kind: Kind
    package var bytes: Range<Int>
  }

  /// The tags at the start of a file.
  package struct Leading: Hashable, Sendable {
    /// The tags in file order, including a broken one.
    package var regions: [Region]
    /// Offset of the end of all tags.
    package var end: Int
    /// `true` if the last tag claims an unknown version, or reaches past the end of the file. `end` is then the end of
    /// its header.
    package var isBroken: Bool
  }

  /// Maximum number of consecutive tags; real files have up to three.
  private static let limit = 100_000

  package static func leading(in source: ByteSource) throws(FileReadError) -> Leading {
    var result = Leading(regions: [], end: 0, isBroken: false)
    while result.regions.count < limit {
      let start = result.end
      if let header = try ID3v2Header(at: start, in: source) {
        result.regions.append(Region(kind: .id3v2, bytes: start..<min(header.end, source.size)))
        guard header.isKnown, header.end <= source.size else {
          result.isBroken = true
          result.end = start + ID3v2Header.size
          break
        }
        result.end = header.end
      } else if let header = APEFooter(try source.bytes(at: start, count: APEFooter.size)),
        header.itemByteCount + 2 * APEFooter.size <= source.size - start
      {
        result.end = start + header.itemByteCount + 2 * APEFooter.size
        result.regions.append(Region(kind: .ape, bytes: start..<result.end))
      } else {
        break
      }
    }
    return result
  }

  /// Finds the tags at the end of a file, last tag first.
  ///
  /// - Parameter start: Start of the audio. A tag cannot begin before it.
  package static func trailing(in source: ByteSource, behind start: Int) throws(FileReadError) -> [Region] {
    var regions: [Region] = []
    var end = source.size
    while regions.count < limit, let region = try lastTag(before: end, behind: start, in: source) {
      regions.append(region)
      end = region.bytes.lowerBound
    }
    return regions
  }

  /// Start of the first tag at the end of a file; the size of the file if there is none.
  ///
  /// - Parameter start: Start of the audio.
  package static func startOfTrailing(in source: ByteSource, behind start: Int) throws(FileReadError) -> Int {
    try trailing(in: source, behind: start).last?.bytes.lowerBound ?? source.size
  }

  static let id3v1Size = 128
  private static let extendedID3v1Size = 227
  /// Maximum size of a Lyrics3 tag of version 1, in bytes: at most 5,100 bytes of text, between marks of 11 and 9
  /// bytes.
  private static let lyrics3Size = 5_120

  private static func lastTag(
    before end: Int, behind start: Int, in source: ByteSource
  ) throws(FileReadError) -> Region? {
    func region(_ kind: Kind, _ size: Int) -> Region? {
      size <= end - start ? Region(kind: kind, bytes: end - size..<end) : nil
    }
    let windowStart = max(start, end - 160)
    let window = end > windowStart ? try source.bytes(at: windowStart, count: end - windowStart) : []
    func has(_ text: String, _ distance: Int) -> Bool { window.has(text, at: window.count - distance) }
    if has("TAG", 128), !has("APETAGEX", 131) { return region(.id3v1, id3v1Size) }
    // An extended tag is always followed by an ID3v1 tag.
    if end + id3v1Size <= source.size, end - extendedID3v1Size >= start,
      try source.bytes(at: end - extendedID3v1Size, count: 4).has("TAG+"),
      try source.bytes(at: end, count: 3).has("TAG")
    {
      return region(.extendedID3v1, extendedID3v1Size)
    }
    if has("APETAGEX", APEFooter.size) {
      guard let footer = APEFooter(Array(window.suffix(APEFooter.size))) else { return nil }
      return region(.ape, footer.itemByteCount + APEFooter.size * (footer.hasHeader ? 2 : 1))
    }
    if has("LYRICS200", 9) {
      let digits = String(decoding: window.dropLast(9).suffix(6), as: UTF8.self)
      return Int(digits).flatMap { $0 > 0 ? region(.lyrics3(version: 2), $0 + 15) : nil }
    }
    if has("LYRICSEND", 9) {
      let searchStart = max(start, end - lyrics3Size)
      let bytes = try source.bytes(at: searchStart, count: end - searchStart)
      return bytes.indices.last { bytes[$0] == 0x4C && bytes.has("LYRICSBEGIN", at: $0) }
        .flatMap { region(.lyrics3(version: 1), bytes.count - $0) }
    }
    if has("3DI", 10), window.suffix(4).allSatisfy({ $0 < 0x80 }) {
      let size = ID3v2Header.syncsafe(window.suffix(4)) + 2 * ID3v2Header.size
      guard let found = region(.id3v2, size) else { return nil }
      return try source.bytes(at: found.bytes.lowerBound, count: 3).has("ID3") ? found : nil
    }
    return nil
  }
}
