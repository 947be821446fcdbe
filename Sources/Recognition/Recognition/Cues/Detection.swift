/// A track that was detected in a stream and is followed from one result to the next.
struct Detection {
  /// The references to the recording. The best match among them may differ between results.
  private var references: Set<String>
  private(set) var last: SignatureMatch
  /// Start of the detection in the stream, in seconds.
  let start: Double
  /// End of the detection so far, in seconds from the start of the stream.
  private(set) var end: Double
  /// `true` if the track should be reported. A single window may match by chance, but two windows in step hardly ever
  /// do.
  private(set) var isEstablished: Bool

  init(_ match: SignatureMatch) {
    references = Set(match.mediaItems.map(\.referenceIdentifier))
    last = match
    start = match.queryStart + match.heard.lowerBound
    end = match.queryStart + match.heard.upperBound
    isEstablished = Self.isSufficient(match)
  }

  /// Returns whether a single match is enough to establish the track.
  private static func isSufficient(_ match: SignatureMatch) -> Bool {
    match.heardDuration >= overlap
      || match.best.confidence >= clearConfidence && (match.fillsQuery || match.heardDuration >= clearDuration)
  }

  /// Maximum length of an interruption, in seconds. After a longer one, the track counts as a new detection.
  static let maxGap = 16.0

  /// Returns whether a match continues this detection. If a catalog contains very many copies of a recording, each
  /// result names only a few of them, and different ones each time, but all at the same place.
  func continues(in match: SignatureMatch) -> Bool {
    guard match.queryStart + match.heard.lowerBound < end + Self.maxGap else { return false }
    if match.mediaItems.contains(where: { references.contains($0.referenceIdentifier) }) { return true }
    return match.queryStart < end && isInStep(match)
  }

  /// Returns whether a match is at the place that the track should have reached.
  private func isInStep(_ match: SignatureMatch) -> Bool {
    let expected = last.best.matchOffset + (match.queryStart - last.queryStart) * last.best.speed
    return abs(match.best.matchOffset - expected) < Self.tolerance
  }

  mutating func extend(with match: SignatureMatch) {
    isEstablished = isEstablished || isInStep(match) || Self.isSufficient(match)
    references.formUnion(match.mediaItems.map(\.referenceIdentifier))
    last = match
    end = match.queryStart + match.heard.upperBound
  }

  /// `true` if the track was played to its end.
  var isComplete: Bool {
    let offset = last.best.matchOffset + (end - last.queryStart) * last.best.speed
    return offset > last.best.referenceDuration - Self.edge
  }

  /// Overlap of two successive windows, in seconds. A part of a track that is shorter than the overlap can be entirely
  /// within both windows.
  private static let overlap = StreamingMatcher.window - StreamingMatcher.step
  /// Minimum length of a match that establishes a track at `clearConfidence`, in seconds. A shared sample or loop is
  /// shorter or less clear. A match that fills its window, as in the first windows of a stream, may be shorter.
  private static let clearDuration = 5.0
  private static let clearConfidence = 0.99
  /// Maximum deviation from the expected place, in seconds.
  private static let tolerance = 0.25
  /// Number of seconds at the end of the reference that count as its end.
  private static let edge = 2.0
}
