internal import MediaContainers

/// Lyrics3 tags (id3.org: Lyrics3, Lyrics3v2). Version 1 contains only the lyrics; version 2 has fields with names and
/// sizes.
enum Lyrics3Tag {
  private static let begin = "LYRICSBEGIN"
  private static let endMarkSize = 9

  static func read(
    from source: ByteSource, _ place: Range<Int>, version: Int
  ) throws(FileReadError) -> RawTag {
    var tag = RawTag(.lyrics3)
    let bytes = try source.bytes(at: place.lowerBound, count: min(place.count, TagLimits.textSize))
    guard bytes.count == place.count, bytes.has(begin) else {
      tag.remarks.append("The Lyrics3 tag is damaged or larger than any real one, and was not read.")
      return tag
    }
    var rest = bytes.dropFirst(begin.utf8.count).dropLast(endMarkSize)
    if version == 1 {
      tag.add("lyrics", rest.latin1)
      return tag
    }
    // The size of the tag follows the fields.
    rest = rest.dropLast(6)
    while rest.count >= 8, !tag.isFull {
      let id = rest.prefix(3).latin1
      guard let size = Int(rest.dropFirst(3).prefix(5).latin1), size >= 0, size <= rest.count - 8 else {
        tag.remarks.append("The Lyrics3 tag is damaged; a part of it was not read.")
        break
      }
      let text = rest.dropFirst(8).prefix(size).latin1
      rest = rest.dropFirst(8 + size)
      switch id {
      case "LYR": tag.add("lyrics", text)
      case "ETT": tag.add("title", text)
      case "EAR": tag.add("artist", text)
      case "EAL": tag.add("album", text)
      case "INF": tag.add("comment", text)
      // This field lists the fields that are present.
      case "IND": break
      default: tag.add(id, text)
      }
    }
    return tag
  }
}
