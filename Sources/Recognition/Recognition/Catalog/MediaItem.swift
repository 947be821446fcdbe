public import Text

/// The item that a reference signature stands for: the data an app shows when it is recognized.
public struct MediaItem: Codable, Hashable, Sendable {
  /// Seconds from the start of the reference.
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

  /// Relative differences of frequency: 0.02 means 2% faster than the reference.
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
  /// International Standard Recording Code (ISO 3901).
  public var isrc: String?
  /// Address of a picture.
  public var artworkURL: String?
  /// Address of a page about the item.
  public var webURL: String?
  public var genres: [String]
  /// ISO 8601.
  public var creationDate: String?
  public var isExplicit: Bool?
  /// The parts of the reference the item stands for; all of it if there are none.
  public var timeRanges: [TimeRange]
  /// The skews for which the item is meant; all if there are none.
  public var frequencySkewRanges: [FrequencySkewRange]
  /// Anything else an app wants back.
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

  /// Whether the item is meant at a place and skew of its reference.
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
