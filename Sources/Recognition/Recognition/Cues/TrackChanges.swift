/// Tells of each track once when it begins and once when it has ended: for a display, or a log of what was played.
/// A track that is heard for some seconds only has to be in two answers.
///
///     var changes = TrackChanges()
///     for await result in session.results {
///       for change in changes.next(result) where change.kind == .began {
///         print(change.match.best.item.title ?? "?")
///       }
///     }
public struct TrackChanges: Sendable {
  public struct Change: Sendable {
    public enum Kind: String, Sendable {
      case began, ended
    }

    public var kind: Kind
    /// The first that was heard of the track, or the last.
    public var match: SignatureMatch
    /// Seconds from the start of the stream to where the track is heard first.
    public var start: Double
    /// Seconds from the start of the stream to where it was heard last.
    public var end: Double
  }

  private struct Track {
    var hearing: Hearing
    /// Whether it was told that it began.
    var hasBegun = false
    var hasEnded = false

    func change(_ kind: Change.Kind) -> Change {
      Change(kind: kind, match: hearing.last, start: hearing.start, end: hearing.end)
    }
  }

  /// Tracks that may go on. Windows report one that has ended for some seconds more.
  private var tracks: [Track] = []

  /// Seconds without a track after which it has ended, if it was at its end or another one has begun.
  private static let pause = 6.0
  /// Seconds more that a track that had ended must be heard, to have begun again.
  private static let leastGrowth = 2.0

  public init() {}

  /// The changes with the next result of a stream.
  public mutating func next(_ result: RecognitionSession.Result) -> [Change] {
    var changes: [Change] = []
    for match in result.matches {
      let index: Int
      if let known = tracks.firstIndex(where: { $0.hearing.goesOn(in: match) }) {
        index = known
        if !tracks[index].hasEnded {
          tracks[index].hearing.extend(with: match)
        } else if match.queryStart + match.heard.upperBound > tracks[index].hearing.end + Self.leastGrowth {
          tracks[index] = Track(hearing: Hearing(match))
        }
      } else {
        index = tracks.count
        tracks.append(Track(hearing: Hearing(match)))
      }
      guard !tracks[index].hasBegun, !tracks[index].hasEnded, tracks[index].hearing.isEstablished else { continue }
      tracks[index].hasBegun = true
      changes.append(tracks[index].change(.began))
    }
    guard let now = result.end else { return changes }
    return end(now) + changes
  }

  /// The tracks that end with the stream.
  public mutating func finish() -> [Change] {
    defer { tracks.removeAll() }
    return tracks.filter { $0.hasBegun && !$0.hasEnded }.map { $0.change(.ended) }
  }

  private mutating func end(_ now: Double) -> [Change] {
    var changes: [Change] = []
    for index in tracks.indices where !tracks[index].hasEnded {
      let hearing = tracks[index].hearing
      let isFollowed = tracks[(index + 1)...].contains {
        $0.hasBegun && $0.hearing.start > hearing.end - Self.leastGrowth
      }
      let isLikely = hearing.isComplete || isFollowed
      if now - hearing.end >= (isLikely ? Self.pause : Hearing.patience) {
        tracks[index].hasEnded = true
        if tracks[index].hasBegun { changes.append(tracks[index].change(.ended)) }
      }
    }
    tracks.removeAll { $0.hasEnded && now - $0.hearing.end >= Hearing.patience }
    return changes
  }
}
