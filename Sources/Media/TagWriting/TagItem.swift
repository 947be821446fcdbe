/// A text in a tag, under the key of its format.
public struct TagItem: Hashable, Codable, Sendable {
  /// `id3v2`, `apev2`, `vorbis`, `mp4` or `asf`.
  public var tag: String
  /// The key in the tag, such as `TBPM`, `TXXX:REPLAYGAIN_TRACK_GAIN`, `initialkey` or `tmpo`.
  public var key: String
  /// Empty if the tag has no such item.
  public var values: [String]

  public init(tag: String, key: String, values: [String]) {
    self.tag = tag
    self.key = key
    self.values = values
  }
}
