/// A track that is heard, as it goes on from one answer to the next.
struct Hearing {
  /// The references that hold the recording: which one of them is the best may change from one answer to the next.
  private var references: Set<String>
  private(set) var last: SignatureMatch
  /// Seconds from the start of the stream to where it was heard first.
  let start: Double
  /// Seconds from the start of the stream to where it was heard last.
  private(set) var end: Double

  init(_ match: SignatureMatch) {
    references = Set(match.mediaItems.map(\.referenceIdentifier))
    last = match
    start = match.queryStart + match.heard.lowerBound
    end = match.queryStart + match.heard.upperBound
  }

  /// Seconds of silence or of something else after which a track that is heard again begins again.
  static let patience = 16.0

  /// Whether a match is of the same recording. Of very many copies an answer names a few, and other ones each time; but in
  /// all of them the same second plays.
  func goesOn(in match: SignatureMatch) -> Bool {
    guard match.queryStart + match.heard.lowerBound < end + Self.patience else { return false }
    if match.mediaItems.contains(where: { references.contains($0.referenceIdentifier) }) { return true }
    let expected = last.best.matchOffset + (match.queryStart - last.queryStart) * last.best.speed
    return match.queryStart < end && abs(match.best.matchOffset - expected) < Self.tolerance
  }

  mutating func extend(with match: SignatureMatch) {
    references.formUnion(match.mediaItems.map(\.referenceIdentifier))
    last = match
    end = match.queryStart + match.heard.upperBound
  }

  /// Whether the track was played to its end.
  var isComplete: Bool {
    let offset = last.best.matchOffset + (end - last.queryStart) * last.best.speed
    return offset > last.best.referenceDuration - Self.edge
  }

  /// Seconds.
  private static let tolerance = 0.25
  private static let edge = 2.0
}
