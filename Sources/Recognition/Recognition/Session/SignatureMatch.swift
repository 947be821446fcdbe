/// A recognized media item, with its place in the reference.
public struct MatchedMediaItem: Codable, Hashable, Sendable {
  public var item: MediaItem
  /// Identifier of the reference that the item belongs to.
  public var referenceIdentifier: String
  /// Duration of the reference, in seconds.
  public var referenceDuration: Double
  /// Position of the query's first sample in the reference, in seconds; negative if the query starts before the
  /// reference.
  public var matchOffset: Double
  /// Number of seconds of audio since the start of the query; 0 if the query is not live.
  public var elapsed: Double
  /// Playback speed, in seconds of the reference per second of the query: 1.04 if the clip is played 4% fast.
  public var speed: Double
  /// Relative difference in frequency between query and reference: 0.04 if the clip is 4% higher.
  public var frequencySkew: Double
  /// Probability that the match is correct, 0 to 1.
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

/// A track detected in a query: the media items of the best reference, followed by the media items of other references
/// with the same recording.
public struct SignatureMatch: Hashable, Sendable {
  /// Never empty. A reference without media items, or with none for this place, yields an empty item.
  public let mediaItems: [MatchedMediaItem]
  /// Start of the query in the stream, in seconds; 0 for a single query.
  public let queryStart: Double
  /// Duration of the query, in seconds.
  public let queryDuration: Double
  /// Part of the query in which the reference is heard, in seconds from the start of the query; other music may precede
  /// or follow it. Accurate to one second where the reference is loud and clear, and less accurate in noise.
  public let heard: Range<Double>

  public var best: MatchedMediaItem { mediaItems[0] }

  /// Length of `heard`, in seconds.
  var heardDuration: Double { heard.upperBound - heard.lowerBound }
  /// True if the query contains hardly anything but the track.
  var fillsQuery: Bool { heardDuration >= 0.85 * queryDuration }

  /// Returns the match with all its media items transformed.
  package func map(_ change: (MatchedMediaItem) throws -> MatchedMediaItem) rethrows -> SignatureMatch {
    SignatureMatch(
      mediaItems: try mediaItems.map(change), queryStart: queryStart, queryDuration: queryDuration, heard: heard)
  }

  /// Minimum confidence of a reported match.
  public static let minimumConfidence = 0.86
}
