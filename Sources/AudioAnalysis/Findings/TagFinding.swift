/// The tags of a file under canonical names (after MusicBrainz Picard's table of tag mappings).
///
/// `fields` holds text values in file order; names are those of `TagField.all` plus, with the prefix `other:`, whatever
/// has no canonical name, under the key it has in the file (`other:TXXX:Rating`, `other:ENCODER`). `TagField.Kind` says
/// what the values look like, and `TagField.reportValue` how reports show them.
public struct TagFinding: AnalysisFinding {
  public struct Picture: Codable, Hashable, Sendable {
    /// As in ID3's APIC: `front cover`, `back cover`, `artist`, `other`, …
    public var type: String
    public var mime: String
    public var sizeBytes: Int

    public init(type: String, mime: String, sizeBytes: Int) {
      self.type = type
      self.mime = mime
      self.sizeBytes = sizeBytes
    }

    enum CodingKeys: String, CodingKey {
      case type, mime
      case sizeBytes = "size_bytes"
    }
  }

  /// Canonical name → values, in the order of the file; never an empty list.
  public var fields: [String: [String]]
  public var pictures: [Picture]
  public var hasLyrics: Bool
  /// Which tag formats were found: `id3v2.4`, `vorbis`, `mp4`, `apev2`, `asf`, `riff_info`, `id3v1`, …
  public var formats: [String]
  /// Sentences for a person: what was left out or looked wrong.
  public var remarks: [String]

  public init(
    fields: [String: [String]] = [:], pictures: [Picture] = [], hasLyrics: Bool = false, formats: [String] = [],
    remarks: [String] = []
  ) {
    self.fields = fields
    self.pictures = pictures
    self.hasLyrics = hasLyrics
    self.formats = formats
    self.remarks = remarks
  }

  enum CodingKeys: String, CodingKey {
    case fields, pictures, formats, remarks
    case hasLyrics = "has_lyrics"
  }
}
