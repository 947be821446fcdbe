internal import CTagLib

/// Tags at the end of a file: ID3v1 last, APEv2 before it, Lyrics3 between them.
struct TrailingTags {
  var apev2: RawTag?
  var id3v1: RawTag?

  private static let id3v1Size = 128

  init(of source: ByteSource) throws(TagReadError) {
    var end = source.size
    let last = try source.bytes(at: end - Self.id3v1Size, count: Self.id3v1Size)
    if last.has("TAG") {
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
    apev2 = try APEv2Tag(in: source, endingAt: end)?.read()
  }
}
