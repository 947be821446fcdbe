internal import MediaContainers

/// ID3v1 and ID3v1.1 (id3.org: ID3v1): fields of fixed length in Latin-1, padded with NULs or spaces.
enum ID3v1Tag {
  /// - Parameter bytes: 128 bytes, starting with `TAG`.
  static func read(_ bytes: [UInt8]) -> RawTag {
    var tag = RawTag(.id3v1)
    guard bytes.count == 128 else { return tag }
    func text(_ range: Range<Int>) -> String { TagValue.cleaned(bytes[range].prefix { $0 != 0 }.latin1) }
    // In version 1.1, the track number follows a NUL at the end of the comment.
    let track = bytes[125] == 0 ? bytes[126] : 0
    tag.add("title", text(3..<33))
    tag.add("artist", text(33..<63))
    tag.add("album", text(63..<93))
    // Zero means no year.
    if let year = Int(text(93..<97).prefix { $0.isNumber }), year > 0 { tag.add("date", String(year)) }
    tag.add("comment", text(97..<(track == 0 ? 127 : 125)))
    if track > 0 { tag.add("track", String(track)) }
    if let genre = GenreNames.name(Int(bytes[127])) { tag.add("genre", genre) }
    return tag
  }
}
