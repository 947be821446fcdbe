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

  /// The words of a song, or of one part of them.
  public struct Lyrics: Codable, Hashable, Sendable {
    /// A line or a phrase, and when it begins.
    public struct Line: Codable, Hashable, Sendable {
      /// From the start of the track.
      public var seconds: Double
      public var text: String

      public init(seconds: Double, text: String) {
        self.seconds = seconds
        self.text = text
      }

      enum CodingKeys: String, CodingKey {
        case text
        case seconds = "time_s"
      }
    }

    /// Mostly an ISO 639-2 code.
    public var language: String?
    public var description: String?
    /// As the tag has it, times of LRC included.
    public var text: String
    /// Ascending by time; empty if the lyrics have no times.
    public var lines: [Line]

    public init(language: String? = nil, description: String? = nil, text: String, lines: [Line] = []) {
      self.language = language
      self.description = description
      self.text = text
      self.lines = lines
    }
  }

  public struct Chapter: Codable, Hashable, Sendable {
    public var startSeconds: Double
    /// `nil` if the file does not say; then it ends where the next one starts.
    public var endSeconds: Double?
    public var title: String?

    public init(startSeconds: Double, endSeconds: Double? = nil, title: String? = nil) {
      self.startSeconds = startSeconds
      self.endSeconds = endSeconds
      self.title = title
    }

    enum CodingKeys: String, CodingKey {
      case title
      case startSeconds = "start_s"
      case endSeconds = "end_s"
    }
  }

  /// Canonical name → values, in the order of the file; never an empty list.
  public var fields: [String: [String]]
  public var pictures: [Picture]
  /// There are lyrics, even if they are too long to be kept in `lyrics`.
  public var hasLyrics: Bool
  public var lyrics: [Lyrics]
  /// Ascending by start.
  public var chapters: [Chapter]
  /// Which tag formats were found: `id3v2.4`, `vorbis`, `mp4`, `apev2`, `asf`, `riff_info`, `id3v1`, …
  public var formats: [String]
  /// Sentences for a person: what was left out or looked wrong.
  public var remarks: [String]

  public init(
    fields: [String: [String]] = [:], pictures: [Picture] = [], hasLyrics: Bool = false, lyrics: [Lyrics] = [],
    chapters: [Chapter] = [], formats: [String] = [], remarks: [String] = []
  ) {
    self.fields = fields
    self.pictures = pictures
    self.hasLyrics = hasLyrics
    self.lyrics = lyrics
    self.chapters = chapters
    self.formats = formats
    self.remarks = remarks
  }

  enum CodingKeys: String, CodingKey {
    case fields, pictures, lyrics, chapters, formats, remarks
    case hasLyrics = "has_lyrics"
  }

  /// Findings of version 1 have neither lyrics nor chapters.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    fields = try container.decode([String: [String]].self, forKey: .fields)
    pictures = try container.decode([Picture].self, forKey: .pictures)
    hasLyrics = try container.decode(Bool.self, forKey: .hasLyrics)
    lyrics = try container.decodeIfPresent([Lyrics].self, forKey: .lyrics) ?? []
    chapters = try container.decodeIfPresent([Chapter].self, forKey: .chapters) ?? []
    formats = try container.decode([String].self, forKey: .formats)
    remarks = try container.decode([String].self, forKey: .remarks)
  }
}
