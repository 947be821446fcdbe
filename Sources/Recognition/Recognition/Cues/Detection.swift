/// A track detected in a stream, followed from one result to the next.
struct Detection {
  /// References that hold the recording; which of them is the best may change between results.
  private var references: Set<String>
  private(set) var last: SignatureMatch
  /// Start of the detection in the stream, in seconds.
  let start: Double
  /// End of the detection so far in the stream, in seconds.
  private(set) var end: Double
  /// True if it should be reported: a single window may match by chance, but hardly two in step.
  private(set) var isEstablished: Bool

  init(_ match: SignatureMatch) {
    references = Set(match.mediaItems.map(\.referenceIdentifier))
    last = match
    start = match.queryStart + match.heard.lowerBound
    end = match.queryStart + match.heard.upperBound
    isEstablished = Self.isSufficient(match)
  }

  /// True if a single match establishes the track.
  private static func isSufficient(_ match: SignatureMatch) -> Bool {
    match.heardDuration >= overlap
      || match.best.confidence >= clearConfidence && (match.fillsQuery || match.heardDuration >= clearDuration)
  }

  /// Longest interruption of a detection, in seconds; after it, the track starts again.
  static let maxGap = 16.0

  /// True if a match continues this detection. Among very many copies of a recording, each result names a few different
  /// ones, but all of them are at the same place.
  func continues(in match: SignatureMatch) -> Bool {
    guard match.queryStart + match.heard.lowerBound < end + Self.maxGap else { return false }
    if match.mediaItems.contains(where: { references.contains($0.referenceIdentifier) }) { return true }
    return match.queryStart < end && isInStep(match)
  }

  /// True if a match is at the place that the track must have reached.
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

  /// True if the track was played to its end.
  var isComplete: Bool {
    let offset = last.best.matchOffset + (end - last.queryStart) * last.best.speed
    return offset > last.best.referenceDuration - Self.edge
  }

  /// Overlap of two windows, in seconds: both contain all of any shorter part of a track.
  private static let overlap = StreamingMatcher.window - StreamingMatcher.step
  /// Seconds that establish a track at `clearConfidence`: a shared sample or loop is shorter or less clear. The first
  /// windows of a stream may be shorter.
  private static let clearDuration = 5.0
  private static let clearConfidence = 0.99
  /// Largest deviation from the expected place, in seconds.
  private static let tolerance = 0.25
  /// Seconds before the end of the reference that count as its end.
  private static let edge = 2.0
}
