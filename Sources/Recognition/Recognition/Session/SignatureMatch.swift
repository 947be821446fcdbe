/// A media item that was recognized, and where.
public struct MatchedMediaItem: Codable, Hashable, Sendable {
  public var item: MediaItem
  /// The reference of the catalog that it belongs to.
  public var referenceIdentifier: String
  /// Seconds of the reference.
  public var referenceDuration: Double
  /// Seconds from the start of the reference to where the query's first sample lies; negative if it began before it.
  public var matchOffset: Double
  /// Seconds from the start of the query to now, as audio goes; 0 for a query that did not come live.
  public var elapsed: Double
  /// Seconds of the reference that go by in one second of the query: 1.04 if the clip is played 4% fast.
  public var speed: Double
  /// Relative difference of frequency between query and reference: 0.04 if the clip is 4% higher.
  public var frequencySkew: Double
  /// Probability that the match is right.
  public var confidence: Double

  /// The present place of the audio in the reference, in seconds.
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

/// A track that is heard in a query: the media items of the best reference, then those of other references that hold the
/// same recording.
public struct SignatureMatch: Hashable, Sendable {
  /// Never empty. A reference without media items, or with none for this place, gives an empty item.
  public let mediaItems: [MatchedMediaItem]
  /// Seconds from the start of the stream to the start of the query; 0 for a single query.
  public let queryStart: Double
  /// Seconds.
  public let queryDuration: Double
  /// In which part of the query the reference is heard, in seconds from its start: before and after it there may be
  /// other music. Within a second where it is loud and clear, less well in noise.
  public let heard: Range<Double>

  public var best: MatchedMediaItem { mediaItems[0] }

  /// Seconds of the query in which the reference is heard.
  var heardDuration: Double { heard.upperBound - heard.lowerBound }
  /// Whether the query holds hardly anything else.
  var fillsQuery: Bool { heardDuration >= 0.85 * queryDuration }

  /// The same with other media items, one for each.
  package func map(_ change: (MatchedMediaItem) throws -> MatchedMediaItem) rethrows -> SignatureMatch {
    SignatureMatch(
      mediaItems: try mediaItems.map(change), queryStart: queryStart, queryDuration: queryDuration, heard: heard)
  }

  /// A less likely match is none.
  public static let leastConfidence = 0.86
}
