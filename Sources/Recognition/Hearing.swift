/// A track that is heard, as it goes on from one answer to the next.
struct Hearing {
  /// The references that hold the recording: which one of them is the best may change from one answer to the next.
  private(set) var references: Set<String>
  private(set) var last: Match

  /// Seconds from the start of the stream.
  var end: Double { last.queryStart + last.queryDuration }

  init(_ match: Match) {
    references = Set(match.mediaItems.map(\.referenceIdentifier))
    last = match
  }

  /// Whether a match is of the same recording. Of very many copies an answer names a few, and other ones each time; but in
  /// all of them the same second plays.
  func goesOn(in match: Match) -> Bool {
    if match.mediaItems.contains(where: { references.contains($0.referenceIdentifier) }) { return true }
    let expected = last.best.matchOffset + (match.queryStart - last.queryStart) * last.best.speed
    return match.queryStart < end && abs(match.best.matchOffset - expected) < Self.tolerance
  }

  mutating func extend(with match: Match) {
    references.formUnion(match.mediaItems.map(\.referenceIdentifier))
    last = match
  }

  /// Seconds.
  private static let tolerance = 0.25
}
