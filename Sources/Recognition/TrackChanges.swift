/// Tells of each track once, when it is recognised first: for a display, or a log of what was played.
///
///     var changes = TrackChanges()
///     for await result in session.results {
///       if let match = changes.new(in: result) { print(match.best.item.title ?? "?") }
///     }
public struct TrackChanges: Sendable {
  private struct Heard {
    /// The references that hold the recording: which one of them is the best may change from one answer to the next.
    var references: Set<String>
    /// Seconds from the start of the stream.
    var end: Double
  }

  /// Where one track fades into the next, answers go to and fro between them: both stay here for a while.
  private var heard: [Heard] = []

  /// Seconds without a track after which it is told of again.
  private static let patience = 16.0

  public init() {}

  /// The match, if it is of another track than those that were just heard.
  public mutating func new(in result: SessionResult) -> Match? {
    guard let match = result.match else { return nil }
    heard.removeAll { match.queryStart - $0.end >= Self.patience }
    let references = Set(match.mediaItems.map(\.referenceIdentifier))
    let end = match.queryStart + match.queryDuration
    if let index = heard.firstIndex(where: { !$0.references.isDisjoint(with: references) }) {
      heard[index].references.formUnion(references)
      heard[index].end = end
      return nil
    }
    heard.append(Heard(references: references, end: end))
    return match
  }
}
