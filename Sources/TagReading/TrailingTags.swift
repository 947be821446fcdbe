internal import Analysis
internal import CTagLib

/// ID3v2 and APEv2 tags at the start of a file.
struct LeadingTags {
  /// At most one: the first that holds anything.
  var id3v2: [RawTag] = []
  var apev2: [RawTag] = []
  var remarks: [String] = []
  /// Where the file goes on after them.
  let end: Int

  init(of source: ByteSource) throws(TagReadError) {
    let leading = try TagRegions.leading(in: source)
    end = Int(leading.end)
    var unreadCount = 0
    for region in leading.regions {
      let start = Int(region.bytes.lowerBound)
      if region.kind == .apev2 {
        if let tag = try APEv2Tag(in: source, startingAt: start) { apev2.append(try tag.read()) }
      } else if let tag = try ID3v2Tag(in: source, at: start) {
        if id3v2.first?.isEmpty ?? true { id3v2 = [try tag.read()] } else { unreadCount += 1 }
      } else {
        remarks.append("There is an ID3v2 tag of an unknown version at byte \(start); it was not read.")
      }
    }
    if unreadCount > 0 {
      remarks.append(
        "The file has \(unreadCount + 1) ID3v2 tags one after the other; the first one counts, the rest was not read.")
    }
  }
}

/// Tags at the end of a file, in whatever order they stand there: APEv2, ID3v2 (2.4 only), ID3v1, Lyrics3.
struct TrailingTags {
  /// In order of precedence.
  var tags: [RawTag] { apev2 + id3v2 + id3v1 }
  /// Tags that count after those in front of the audio, too.
  private(set) var lastResorts: [RawTag] = []
  private(set) var remarks: [String] = []
  private var apev2: [RawTag] = []
  private var id3v2: [RawTag] = []
  private var id3v1: [RawTag] = []

  private static let id3v1Size = 128

  /// - Parameter start: where the audio begins.
  init(of source: ByteSource, behind start: Int) throws(TagReadError) {
    let regions = try TagRegions.trailing(in: source, behind: start)
    for region in regions {
      let bytes = Int(region.bytes.lowerBound)..<Int(region.bytes.upperBound)
      switch region.kind {
      case .id3v1: id3v1.append(try Self.id3v1(in: source, at: bytes.lowerBound))
      case .apev2:
        if let tag = try APEv2Tag(in: source, endingAt: bytes.upperBound) { apev2.append(try tag.read()) }
      case .id3v2:
        if let tag = try ID3v2Tag(in: source, at: bytes.lowerBound) { id3v2.append(try tag.read()) }
      case .lyrics3(let version):
        lastResorts.append(try Lyrics3Tag.read(from: source, bytes, version: version))
      case .extendedID3v1:
        remarks.append("The extended ID3v1 tag (TAG+) was not read.")
      }
    }
    try remarkOnDamage(in: source, before: regions.last.map { Int($0.bytes.lowerBound) } ?? source.size)
  }

  /// What ends like a tag and cannot be one is named.
  private mutating func remarkOnDamage(in source: ByteSource, before end: Int) throws(TagReadError) {
    if try source.bytes(at: end - 32, count: 32).has("APETAGEX") {
      remarks.append("The APEv2 tag claims an impossible size and was not read.")
    }
    let mark = try source.bytes(at: end - 9, count: 9)
    if mark.has("LYRICS200") || mark.has("LYRICSEND") {
      remarks.append("The Lyrics3 tag claims an impossible size, or has no start; it was not read.")
    }
  }

  private static func id3v1(in source: ByteSource, at offset: Int) throws(TagReadError) -> RawTag {
    var tag = RawTag(.id3v1)
    let bytes = try source.bytes(at: offset, count: id3v1Size)
    guard bytes.count == id3v1Size else { return tag }
    TagBlock(kind: CTAGLIB_ID3V1, bytes: bytes).parse(into: &tag)
    tag.entries.removeAll { $0.key == "genre" }
    if let genre = TagValue.genreName(Int(bytes[127])) { tag.entries.append(RawTag.Entry(key: "genre", value: genre)) }
    return tag
  }
}

/// Lyrics3 (id3.org: Lyrics3, Lyrics3v2): the words alone in version 1, fields with a name and a size in version 2.
enum Lyrics3Tag {
  private static let begin = "LYRICSBEGIN"
  private static let endMarkSize = 9

  static func read(
    from source: ByteSource, _ place: Range<Int>, version: Int
  ) throws(TagReadError) -> RawTag {
    var tag = RawTag(.lyrics3)
    let bytes = try source.bytes(at: place.lowerBound, count: min(place.count, TagBlock.maximumTextSize))
    guard bytes.count == place.count, bytes.has(begin) else {
      tag.remarks.append("The Lyrics3 tag is damaged or larger than any real one, and was not read.")
      return tag
    }
    var rest = bytes.dropFirst(begin.utf8.count).dropLast(endMarkSize)
    if version == 1 {
      tag.entries.append(RawTag.Entry(key: "lyrics", value: rest.latin1))
      return tag
    }
    // The size of the tag stands behind the fields.
    rest = rest.dropLast(6)
    while rest.count >= 8, tag.entries.count < TagBlock.maximumValueCount {
      let id = rest.prefix(3).latin1
      guard let size = Int(rest.dropFirst(3).prefix(5).latin1), size >= 0, size <= rest.count - 8 else {
        tag.remarks.append("The Lyrics3 tag is damaged; a part of it was not read.")
        break
      }
      let text = rest.dropFirst(8).prefix(size).latin1
      rest = rest.dropFirst(8 + size)
      switch id {
      case "LYR": tag.entries.append(RawTag.Entry(key: "lyrics", value: text))
      case "ETT": tag.entries.append(RawTag.Entry(key: "title", value: text))
      case "EAR": tag.entries.append(RawTag.Entry(key: "artist", value: text))
      case "EAL": tag.entries.append(RawTag.Entry(key: "album", value: text))
      case "INF": tag.entries.append(RawTag.Entry(key: "comment", value: text))
      // Which fields there are.
      case "IND": break
      default: tag.entries.append(RawTag.Entry(key: id, value: text))
      }
    }
    return tag
  }
}
