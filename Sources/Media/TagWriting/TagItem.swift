/// A text item of a tag, with its key in that tag's format.
public struct TagItem: Hashable, Codable, Sendable {
  /// The tag format: `id3v2`, `apev2`, `vorbis`, `mp4` or `asf`.
  public var tag: String
  /// The key in this format, such as `TBPM`, `TXXX:REPLAYGAIN_TRACK_GAIN`, `initialkey` or `tmpo`.
  public var key: String
  /// The values; empty if the tag has no such item.
  public var values: [String]

  public init(tag: String, key: String, values: [String]) {
    self.tag = tag
    self.key = key
    self.values = values
  }
}
