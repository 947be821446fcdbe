/// A recognized media item, with its place in the reference.
public struct MatchedMediaItem: Codable, Hashable, Sendable {
  public var item: MediaItem
  /// The identifier of the reference that the item belongs to.
  public var referenceIdentifier: String
  /// The duration of the reference, in seconds.
  public var referenceDuration: Double
  /// Position of the query's first sample in the reference, in seconds. It is negative if the query starts before the
  /// reference.
  public var matchOffset: Double
  /// Number of seconds of audio since the start of the query; 0 for a query that is not live.
  public var elapsed: Double
  /// Playback speed, in seconds of the reference per second of the query. It is 1.04 if the clip is played 4% too fast.
  public var speed: Double
  /// Relative difference in frequency between the query and the reference. It is 0.04 if the clip is 4% higher.
  public var frequencySkew: Double
  /// The probability that the match is correct, 0 to 1.
  public var confidence: Double

  /// Current position of the audio in the reference, in seconds.
  public var predictedCurrentMatchOffset: Double { matchOffset + elapsed * speed }

  enum CodingKeys: String, CodingKey {
    case item, speed, confidence
    case referenceIdentifier = "reference"
    case referenceDuration = "reference_duration_s"
    case matchOffset = "match_offset_s"
    case elapsed = "elapsed_s"
    case frequencySkew = "frequency_skew"
  }
}

/// A track detected in a query: the media items of the best reference, followed by those of other references to the
/// same recording.
public struct SignatureMatch: Hashable, Sendable {
  /// The media items; never empty. If the reference has no media items, or none for this place, there is one empty
  /// item.
  public let mediaItems: [MatchedMediaItem]
  /// Start of the query, in seconds from the start of the stream; 0 for a single query.
  public let queryStart: Double
  /// The duration of the query, in seconds.
  public let queryDuration: Double
  /// The part of the query in which the reference is heard, in seconds from the start of the query. Other music may
  /// precede or follow it. The range is accurate to one second where the reference is loud and clear, and less accurate
  /// in noise.
  public let heard: Range<Double>

  public var best: MatchedMediaItem { mediaItems[0] }

  /// The length of `heard`, in seconds.
  var heardDuration: Double { heard.upperBound - heard.lowerBound }
  /// `true` if the query contains hardly anything except the track.
  var fillsQuery: Bool { heardDuration >= 0.85 * queryDuration }

  /// Returns the match after transforming all of its media items.
  package func map(_ change: (MatchedMediaItem) throws -> MatchedMediaItem) rethrows -> SignatureMatch {
    SignatureMatch(
      mediaItems: try mediaItems.map(change), queryStart: queryStart, queryDuration: queryDuration, heard: heard)
  }

  /// Minimum confidence of a reported match.
  public static let minimumConfidence = 0.86
}
