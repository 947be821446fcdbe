internal import Platform
internal import SystemPackage

/// The requested length of a playlist.
package enum PlaylistLength: Sendable, Hashable {
  /// All candidates.
  case all
  case tracks(Int)
  case seconds(Double)
}

/// Chooses tracks until the requested length is reached: from the start of a list, or as a chain of tracks.
struct PlaylistChoice {
  /// The candidates in order of preference: most similar first, or shuffled.
  let tracks: [PlaylistTrack]
  let sequence: TrackSequence
  /// `true` to choose a chain of tracks with smooth transitions instead of the first tracks in the list.
  let wantsChain: Bool

  /// Maximum deviation from the requested duration, in seconds. If it is exceeded, at most one track is exchanged.
  private static let tolerance = 5.0
  /// Maximum number of tracks that are tried as a replacement.
  private static let maxTrials = 2000

  /// Returns the indices of the chosen tracks.
  func chosen(_ length: PlaylistLength) -> [Int] {
    switch length {
    case .all: return wantsChain ? sequence.chain(Array(tracks.indices)) : Array(tracks.indices)
    case .tracks(let count): return started { $0.count < count }
    case .seconds(let seconds):
      return fitted(started { duration(of: $0) < seconds }, to: seconds)
    }
  }

  /// Chooses tracks while `shouldContinue` returns `true`.
  private func started(while shouldContinue: ([Int]) -> Bool) -> [Int] {
    if wantsChain { return sequence.chain(Array(tracks.indices), while: shouldContinue) }
    var taken: [Int] = []
    for index in sequence.spaced(Array(tracks.indices)) {
      guard shouldContinue(taken) else { break }
      taken.append(index)
    }
    return taken
  }

  private func duration(of indices: [Int]) -> Double {
    indices.reduce(0) { $0 + (tracks[$1].duration ?? 0) }
  }

  /// Drops the last track if the duration is then closer to the requested one. Then exchanges at most one track,
  /// weighing the remaining deviation against the loss of order.
  private func fitted(_ taken: [Int], to seconds: Double) -> [Int] {
    var taken = taken
    func excess(_ indices: [Int]) -> Double { duration(of: indices) - seconds }
    if taken.count > 1, abs(excess(taken.dropLast())) < abs(excess(taken)) { taken.removeLast() }
    let excess = excess(taken)
    guard abs(excess) > Self.tolerance else { return taken }
    let present = Set(taken)
    var best: (position: Int, track: Int, score: Double)?
    for track in tracks.indices.lazy.filter({ !present.contains($0) }).prefix(Self.maxTrials) {
      for (position, old) in taken.enumerated() {
        let left = abs(excess - (tracks[old].duration ?? 0) + (tracks[track].duration ?? 0))
        guard left < abs(excess) else { continue }
        // The cost of a deviation is 1 per 10 s. A jump also costs 1, and so does a replacement that ranks lower by as
        // many places as the playlist has tracks.
        let score = left / 10 + loss(of: taken, at: position, track)
        if score < best?.score ?? abs(excess) / 10 + 1 { best = (position, track, score) }
      }
    }
    if let best { taken[best.position] = best.track }
    return taken
  }

  /// Returns the cost of replacing the track at a position.
  private func loss(of taken: [Int], at position: Int, _ track: Int) -> Double {
    guard wantsChain else { return Double(max(0, track - taken[position])) / Double(max(1, taken.count)) }
    func cost(_ track: Int) -> Float {
      (position > 0 ? sequence.cost(taken[position - 1], track) : 0)
        + (position + 1 < taken.count ? sequence.cost(track, taken[position + 1]) : 0)
    }
    let around = taken[max(0, position - sequence.spacing)...min(taken.count - 1, position + sequence.spacing)]
    let isRepeat = around.contains { $0 != taken[position] && sequence.isRepeat($0, track) }
    return Double(cost(track) - cost(taken[position])) + (isRepeat ? 10 : 0)
  }
}
