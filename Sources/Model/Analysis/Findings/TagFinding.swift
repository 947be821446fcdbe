/// The tags of a file under canonical names (following MusicBrainz Picard's table of tag mappings).
///
/// `fields` contains text values in file order. The names are those in `TagField.all`; a tag without a canonical name
/// is named after its key in the file, with the prefix `other:` (`other:TXXX:Rating`, `other:ENCODER`). `TagField.Kind`
/// defines the format of the values, and `TagField.value` their representation in reports.
public struct TagFinding: DeclaredFinding {
  public struct Picture: DeclaredRecord {
    /// The picture type, as defined for ID3's APIC frame: `front cover`, `back cover`, `artist`, `other`, …
    public var type: String
    public var mime: String
    public var sizeBytes: Int

    public init(type: String, mime: String, sizeBytes: Int) {
      self.type = type
      self.mime = mime
      self.sizeBytes = sizeBytes
    }

    public init() { self.init(type: "", mime: "", sizeBytes: 0) }

    public static let summary = "An embedded picture."
    public static let fields: [FindingField<Picture>] = [
      .field("type", \.type, "What the picture shows, in ID3's terms: front cover, back cover, artist, other, …"),
      .field("mime", \.mime, "Media type.", nullIfEmpty: true),
      .field("size_bytes", \.sizeBytes, "Size in bytes."),
    ]
  }

  /// The lyrics of a song, or of a part of it.
  public struct Lyrics: DeclaredRecord {
    /// A line or phrase, and the time at which it begins.
    public struct Line: DeclaredRecord {
      /// Seconds from the start of the track.
      public var seconds: Double
      public var text: String

      public init(seconds: Double, text: String) {
        self.seconds = seconds
        self.text = text
      }

      public init() { self.init(seconds: 0, text: "") }

      public static let summary = "A line or phrase of lyrics."
      public static let form = RecordType.Form.tuple
      public static let fields: [FindingField<Line>] = [
        .field("time_s", \.seconds, "Start of the line in seconds from the start of the track."),
        .field("text", \.text, "Text of the line; empty for a pause."),
      ]
    }

    /// The language, usually as an ISO 639-2 code.
    public var language: String?
    public var description: String?
    /// The text as tagged, including LRC timestamps.
    public var text: String
    /// The lines, sorted by time; empty if the lyrics have no timestamps.
    public var lines: [Line]

    public init(language: String? = nil, description: String? = nil, text: String, lines: [Line] = []) {
      self.language = language
      self.description = description
      self.text = text
      self.lines = lines
    }

    public init() { self.init(text: "") }

    public static let summary = "Lyrics of the song."
    public static let fields: [FindingField<Lyrics>] = [
      .field("language", \.language, "Language of the lyrics, mostly an ISO 639-2 code."),
      .field("description", \.description, "Description of the lyrics in the tag."),
      .field("text", \.text, "The lyrics as the tag has them, including LRC timestamps."),
      .field("lines", \.lines, "Lines with their times; null if the lyrics have no times.", nullIfEmpty: true),
    ]
  }

  public struct Chapter: DeclaredRecord {
    public var startSeconds: Double
    /// The end; `nil` if the file does not state it, in which case the chapter ends where the next one starts.
    public var endSeconds: Double?
    public var title: String?

    public init(startSeconds: Double, endSeconds: Double? = nil, title: String? = nil) {
      self.startSeconds = startSeconds
      self.endSeconds = endSeconds
      self.title = title
    }

    public init() { self.init(startSeconds: 0) }

    public static let summary = "A chapter."
    public static let fields: [FindingField<Chapter>] = [
      .field("start_s", \.startSeconds, "Seconds from the start of the track."),
      .field("end_s", \.endSeconds, "End in seconds from the start of the track; null if the file does not give it."),
      .field("title", \.title, "Title of the chapter."),
    ]
  }

  /// The values by canonical name, in file order. Lists are never empty.
  public var fields: [String: [String]]
  public var pictures: [Picture]
  /// `true` if the file has lyrics, even if they are too long to be kept in `lyrics`.
  public var hasLyrics: Bool
  public var lyrics: [Lyrics]
  /// The chapters, sorted by start.
  public var chapters: [Chapter]
  /// The tag formats found: `id3v2.4`, `vorbis`, `mp4`, `apev2`, `asf`, `riff_info`, `id3v1`, …
  public var formats: [String]
  /// Sentences for people about tags that were left out or looked wrong.
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

  public init() { self.init(fields: [:]) }

  enum CodingKeys: String, CodingKey {
    case fields, pictures, lyrics, chapters, formats, remarks
    case hasLyrics = "has_lyrics"
  }

  /// Also decodes findings of version 1, which have neither lyrics nor chapters.
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
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(fields, forKey: .fields)
    try container.encode(pictures, forKey: .pictures)
    try container.encode(hasLyrics, forKey: .hasLyrics)
    try container.encode(lyrics, forKey: .lyrics)
    try container.encode(chapters, forKey: .chapters)
    try container.encode(formats, forKey: .formats)
    try container.encode(remarks, forKey: .remarks)
  }
}
