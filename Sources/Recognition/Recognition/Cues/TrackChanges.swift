/// Reports each track once when it begins and once when it has ended, for a display or for a log of the tracks that
/// were played. A track that is heard for only a few seconds must be in two results to be reported.
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
    /// The match that established the track if it began, or the last match if it ended.
    public var match: SignatureMatch
    /// Start of the track in the stream, in seconds.
    public var start: Double
    /// End of the track so far, in seconds from the start of the stream.
    public var end: Double
  }

  private struct Track {
    var detection: Detection
    /// `true` once the start of the track has been reported.
    var hasBegun = false
    var hasEnded = false

    func change(_ kind: Change.Kind) -> Change {
      Change(kind: kind, match: detection.last, start: detection.start, end: detection.end)
    }
  }

  /// Tracks that may continue. Windows still report a track for a few seconds after its end.
  private var tracks: [Track] = []

  /// Number of seconds without a match after which a track counts as ended, provided it was played to its end or
  /// another track has begun.
  private static let pause = 6.0
  /// Number of additional seconds for which a track that has ended must be heard to count as begun again.
  private static let minGrowth = 2.0

  public init() {}

  /// Returns the changes that follow from the next result of a stream.
  public mutating func next(_ result: RecognitionSession.Result) -> [Change] {
    var changes: [Change] = []
    for match in result.matches {
      let index: Int
      if let known = tracks.firstIndex(where: { $0.detection.continues(in: match) }) {
        index = known
        if !tracks[index].hasEnded {
          tracks[index].detection.extend(with: match)
        } else if match.queryStart + match.heard.upperBound > tracks[index].detection.end + Self.minGrowth {
          tracks[index] = Track(detection: Detection(match))
        }
      } else {
        index = tracks.count
        tracks.append(Track(detection: Detection(match)))
      }
      guard !tracks[index].hasBegun, !tracks[index].hasEnded, tracks[index].detection.isEstablished else { continue }
      tracks[index].hasBegun = true
      changes.append(tracks[index].change(.began))
    }
    guard let now = result.end else { return changes }
    return end(now) + changes
  }

  /// Ends the stream. Returns a change for each track that ends with it.
  public mutating func finish() -> [Change] {
    defer { tracks.removeAll() }
    return tracks.filter { $0.hasBegun && !$0.hasEnded }.map { $0.change(.ended) }
  }

  private mutating func end(_ now: Double) -> [Change] {
    var changes: [Change] = []
    for index in tracks.indices where !tracks[index].hasEnded {
      let detection = tracks[index].detection
      let isFollowed = tracks[(index + 1)...].contains {
        $0.hasBegun && $0.detection.start > detection.end - Self.minGrowth
      }
      let isLikely = detection.isComplete || isFollowed
      if now - detection.end >= (isLikely ? Self.pause : Detection.maxGap) {
        tracks[index].hasEnded = true
        if tracks[index].hasBegun { changes.append(tracks[index].change(.ended)) }
      }
    }
    tracks.removeAll { $0.hasEnded && now - $0.detection.end >= Detection.maxGap }
    return changes
  }
}
