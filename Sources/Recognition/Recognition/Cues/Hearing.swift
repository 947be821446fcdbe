/// A track that is heard, as it goes on from one answer to the next.
struct Hearing {
  /// The references that hold the recording: which one of them is the best may change from one answer to the next.
  private var references: Set<String>
  private(set) var last: SignatureMatch
  /// Seconds from the start of the stream to where it was heard first.
  let start: Double
  /// Seconds from the start of the stream to where it was heard last.
  private(set) var end: Double
  /// Whether it is to be told: chance makes one window name a track for some seconds, but hardly two in step.
  private(set) var isEstablished: Bool

  init(_ match: SignatureMatch) {
    references = Set(match.mediaItems.map(\.referenceIdentifier))
    last = match
    start = match.queryStart + match.heard.lowerBound
    end = match.queryStart + match.heard.upperBound
    isEstablished = Self.isEnough(match)
  }

  /// Whether one answer establishes a track by itself.
  private static func isEnough(_ match: SignatureMatch) -> Bool {
    match.heardDuration >= overlap
      || match.best.confidence >= clearConfidence && (match.fillsQuery || match.heardDuration >= clearDuration)
  }

  /// Seconds of silence or of something else after which a track that is heard again begins again.
  static let patience = 16.0

  /// Whether a match is of the same recording. An answer names a few of very many copies, and other ones each time; but
  /// in all of them the same second plays.
  func goesOn(in match: SignatureMatch) -> Bool {
    guard match.queryStart + match.heard.lowerBound < end + Self.patience else { return false }
    if match.mediaItems.contains(where: { references.contains($0.referenceIdentifier) }) { return true }
    return match.queryStart < end && isInStep(match)
  }

  /// Whether a match has the track where it must be by now, as time goes.
  private func isInStep(_ match: SignatureMatch) -> Bool {
    let expected = last.best.matchOffset + (match.queryStart - last.queryStart) * last.best.speed
    return abs(match.best.matchOffset - expected) < Self.tolerance
  }

  mutating func extend(with match: SignatureMatch) {
    isEstablished = isEstablished || isInStep(match) || Self.isEnough(match)
    references.formUnion(match.mediaItems.map(\.referenceIdentifier))
    last = match
    end = match.queryStart + match.heard.upperBound
  }

  /// Whether the track was played to its end.
  var isComplete: Bool {
    let offset = last.best.matchOffset + (end - last.queryStart) * last.best.speed
    return offset > last.best.referenceDuration - Self.edge
  }

  /// Seconds that two windows have in common: any shorter part of a track is in both of them as a whole.
  private static let overlap = StreamingMatcher.window - StreamingMatcher.step
  /// Seconds of a track that establish it if they leave no doubt; a shared sample or loop is shorter or less clear. The first
  /// windows of a stream may be shorter than that.
  private static let clearDuration = 5.0
  private static let clearConfidence = 0.99
  /// Seconds.
  private static let tolerance = 0.25
  private static let edge = 2.0
}
