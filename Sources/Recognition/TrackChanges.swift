/// Tells of each track once, when it is recognised first: for a display, or a log of what was played.
///
///     var changes = TrackChanges()
///     for await result in session.results {
///       if let match = changes.new(in: result) { print(match.best.item.title ?? "?") }
///     }
public struct TrackChanges: Sendable {
  /// Where one track fades into the next, answers go to and fro between them: both stay here for a while.
  private var heard: [Hearing] = []

  /// Seconds without a track after which it is told of again.
  private static let patience = 16.0

  public init() {}

  /// The match, if it is of another track than those that were just heard.
  public mutating func new(in result: SessionResult) -> Match? {
    guard let match = result.match else { return nil }
    heard.removeAll { match.queryStart - $0.end >= Self.patience }
    if let index = heard.firstIndex(where: { $0.goesOn(in: match) }) {
      heard[index].extend(with: match)
      return nil
    }
    heard.append(Hearing(match))
    return match
  }
}
