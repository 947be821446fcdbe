public import Text

/// Data that an app shows when a reference is recognized.
public struct MediaItem: Codable, Hashable, Sendable {
  /// A range of the reference, in seconds from its start.
  public struct TimeRange: Codable, Hashable, Sendable {
    public var start: Double
    public var end: Double

    public init(start: Double, end: Double) {
      self.start = start
      self.end = end
    }

    enum CodingKeys: String, CodingKey {
      case start = "start_s"
      case end = "end_s"
    }
  }

  /// A range of relative frequency differences: 0.02 means 2% higher than the reference.
  public struct FrequencySkewRange: Codable, Hashable, Sendable {
    public var lower: Double
    public var upper: Double

    public init(lower: Double, upper: Double) {
      self.lower = lower
      self.upper = upper
    }
  }

  public var title: String?
  public var subtitle: String?
  public var artist: String?
  public var album: String?
  /// The International Standard Recording Code (ISO 3901).
  public var isrc: String?
  /// The URL of a cover image.
  public var artworkURL: String?
  /// The URL of a web page about the item.
  public var webURL: String?
  public var genres: [String]
  /// A date in ISO 8601 format.
  public var creationDate: String?
  public var isExplicit: Bool?
  /// The parts of the reference that the item describes; empty if it describes the whole reference.
  public var timeRanges: [TimeRange]
  /// The frequency skews that the item describes; empty if it describes all of them.
  public var frequencySkewRanges: [FrequencySkewRange]
  /// Custom properties that the app defines.
  public var properties: [String: JSONValue]

  public init(
    title: String? = nil, subtitle: String? = nil, artist: String? = nil, album: String? = nil, isrc: String? = nil,
    artworkURL: String? = nil, webURL: String? = nil, genres: [String] = [], creationDate: String? = nil,
    isExplicit: Bool? = nil, timeRanges: [TimeRange] = [], frequencySkewRanges: [FrequencySkewRange] = [],
    properties: [String: JSONValue] = [:]
  ) {
    self.title = title
    self.subtitle = subtitle
    self.artist = artist
    self.album = album
    self.isrc = isrc
    self.artworkURL = artworkURL
    self.webURL = webURL
    self.genres = genres
    self.creationDate = creationDate
    self.isExplicit = isExplicit
    self.timeRanges = timeRanges
    self.frequencySkewRanges = frequencySkewRanges
    self.properties = properties
  }

  /// `true` if the item describes this place in its reference at this skew.
  func applies(at seconds: Double, skew: Double) -> Bool {
    let isInTime = timeRanges.isEmpty || timeRanges.contains { seconds >= $0.start && seconds < $0.end }
    let isInSkew = frequencySkewRanges.isEmpty || frequencySkewRanges.contains { skew >= $0.lower && skew <= $0.upper }
    return isInTime && isInSkew
  }

  enum CodingKeys: String, CodingKey {
    case title, subtitle, artist, album, isrc, genres, properties
    case artworkURL = "artwork_url"
    case webURL = "web_url"
    case creationDate = "creation_date"
    case isExplicit = "explicit"
    case timeRanges = "time_ranges"
    case frequencySkewRanges = "frequency_skew_ranges"
  }
}
