internal import CTagLib

/// Tags at the end of a file: ID3v1 last, APEv2 before it, Lyrics3 between them.
struct TrailingTags {
  var apev2: RawTag?
  var id3v1: RawTag?

  private static let id3v1Size = 128
  private static let footerSize = 32

  init(of source: ByteSource) throws(TagReadError) {
    var end = source.size
    let last = try source.bytes(at: max(0, end - Self.id3v1Size), count: Self.id3v1Size)
    if last.count == Self.id3v1Size, last.has("TAG") {
      var tag = RawTag(.id3v1)
      TagBlock(kind: CTAGLIB_ID3V1, bytes: last).parse(into: &tag)
      tag.entries.removeAll { $0.key == "genre" }
      if let genre = TagValue.genreName(Int(last[127])) { tag.entries.append(RawTag.Entry(key: "genre", value: genre)) }
      id3v1 = tag
      end -= Self.id3v1Size
      // Lyrics3v2 (id3.org): its size in six digits, then its mark.
      let mark = try source.bytes(at: end - 15, count: 15)
      if mark.has("LYRICS200", at: 6), let size = Int(String(decoding: mark.prefix(6), as: UTF8.self)), size < end {
        end -= size + 15
      }
    }
    apev2 = try Self.apev2(endingAt: end, in: source)
  }

  /// The APEv2 tag (wiki.hydrogenaud.io: APEv2 specification) whose footer ends at `end`.
  private static func apev2(endingAt end: Int, in source: ByteSource) throws(TagReadError) -> RawTag? {
    let footer = try source.bytes(at: end - footerSize, count: footerSize)
    guard footer.count == footerSize, footer.has("APETAGEX") else { return nil }
    var tag = RawTag(.apev2)
    // Items and footer, without the header.
    let size = Int(footer[12...].littleEndian())
    guard size >= footerSize, size <= end, size <= TagBlock.maximumSize else {
      tag.remarks.append("The APEv2 tag claims an impossible size of \(size) bytes and was not read.")
      return tag
    }
    TagBlock(kind: CTAGLIB_APEV2, bytes: try source.bytes(at: end - size, count: size)).parse(into: &tag)
    return tag
  }

  /// An APEv2 tag in front of the audio: the same, with the header first.
  static func leadingAPEv2(of source: ByteSource, at offset: Int) throws(TagReadError) -> RawTag? {
    let header = try source.bytes(at: offset, count: footerSize)
    guard header.count == footerSize, header.has("APETAGEX") else { return nil }
    var tag = RawTag(.apev2)
    let size = Int(header[12...].littleEndian())
    guard size >= footerSize, size <= source.size - offset, size <= TagBlock.maximumSize else { return nil }
    let items = try source.bytes(at: offset + footerSize, count: size - footerSize)
    TagBlock(kind: CTAGLIB_APEV2, bytes: items + header).parse(into: &tag)
    return tag
  }
}
