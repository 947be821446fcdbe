internal import Platform
internal import SystemPackage

/// How long a playlist becomes.
package enum PlaylistLength: Sendable, Hashable {
  /// All tracks there are.
  case all
  case tracks(Int)
  case seconds(Double)
}

/// Takes as many tracks of a list as a playlist wants, of those that come first.
struct PlaylistChoice {
  /// In the order in which they are wanted: nearest first, or at random.
  let tracks: [PlaylistTrack]
  let sequence: TrackSequence
  /// The tracks are to follow each other well, so a chain of near ones is wanted and not the first of the list.
  let wantsChain: Bool

  /// Seconds by which a playlist may be too long or too short without a track being exchanged for that.
  private static let tolerance = 5.0
  /// Tracks that are tried in place of another one.
  private static let trialLimit = 2000

  /// Indices of tracks.
  func chosen(_ length: PlaylistLength) -> [Int] {
    switch length {
    case .all: return wantsChain ? sequence.chain(Array(tracks.indices)) : Array(tracks.indices)
    case .tracks(let count): return started { $0.count < count }
    case .seconds(let seconds):
      return fitted(started { duration(of: $0) < seconds }, to: seconds)
    }
  }

  /// Takes tracks as long as `goesOn`.
  private func started(while goesOn: ([Int]) -> Bool) -> [Int] {
    if wantsChain { return sequence.chain(Array(tracks.indices), while: goesOn) }
    var taken: [Int] = []
    for index in sequence.spaced(Array(tracks.indices)) {
      guard goesOn(taken) else { break }
      taken.append(index)
    }
    return taken
  }

  private func duration(of indices: [Int]) -> Double {
    indices.reduce(0) { $0 + (tracks[$1].duration ?? 0) }
  }

  /// Leaves the last track out if that comes nearer to a length, and then exchanges one track for another, such that
  /// the length is nearly right and what is lost in order is little.
  private func fitted(_ taken: [Int], to seconds: Double) -> [Int] {
    var taken = taken
    func excess(_ indices: [Int]) -> Double { duration(of: indices) - seconds }
    if taken.count > 1, abs(excess(taken.dropLast())) < abs(excess(taken)) { taken.removeLast() }
    let excess = excess(taken)
    guard abs(excess) > Self.tolerance else { return taken }
    let present = Set(taken)
    var best: (position: Int, track: Int, score: Double)?
    for track in tracks.indices.lazy.filter({ !present.contains($0) }).prefix(Self.trialLimit) {
      for (position, old) in taken.enumerated() {
        let left = abs(excess - (tracks[old].duration ?? 0) + (tracks[track].duration ?? 0))
        guard left < abs(excess) else { continue }
        // Ten seconds are worth as much as a jump, or as a place as many tracks further down the list.
        let score = left / 10 + loss(of: taken, at: position, track)
        if score < best?.score ?? abs(excess) / 10 + 1 { best = (position, track, score) }
      }
    }
    if let best { taken[best.position] = best.track }
    return taken
  }

  /// The loss if another track takes a place.
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
