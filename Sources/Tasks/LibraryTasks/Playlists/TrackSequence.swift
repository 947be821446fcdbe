internal import Foundation

/// Orders tracks for smooth transitions: similar tempo, key and energy, and no artist repeated too soon.
///
/// First, a greedy chain is built. It is then improved as in the traveling salesman problem: 2-opt reverses a stretch
/// (Croes, 1958), and or-opt moves a stretch of up to three tracks (Or, 1976), while that lowers the cost. The work is
/// bounded by a number of comparisons rather than by time, so the result depends only on the tracks and their order.
struct TrackSequence {
  /// The traits that are compared, in contiguous memory.
  private struct Traits {
    /// Base-2 logarithm of the tempo, in octaves; NaN if unknown.
    var tempo: Float
    /// Index on the Camelot wheel; −1 if unknown.
    var key: Int
    /// The energy; NaN if unknown.
    var energy: Float
    /// A number that is the same for tracks by the same artist; −1 if unknown.
    var artist: Int
  }

  private let traits: [Traits]
  private let artistCount: Int
  /// The costs of pairs of wheel indices, 24 × 24.
  private let keyCosts: [Float]
  /// Minimum number of other tracks between two tracks by the same artist.
  let spacing: Int

  /// Cost of repeating an artist too soon, which is more than the cost of any jump.
  private static let repeatCost: Float = 10
  /// Maximum number of comparisons for 2-opt and or-opt together. A comparison takes a few nanoseconds.
  private static let maxComparisons = 40_000_000

  init(_ tracks: [PlaylistTrack], spacing: Int) {
    var artists: [String: Int] = [:]
    traits = tracks.map { track in
      let artist = track.artist.map { name in
        let folded = name.lowercased()
        if let number = artists[folded] { return number }
        artists[folded] = artists.count
        return artists.count - 1
      }
      return Traits(
        tempo: track.bpm.flatMap { $0 > 0 ? Float(log2($0)) : nil } ?? .nan,
        key: track.key.flatMap { WheelPosition($0) }?.index ?? -1, energy: track.energy.map { Float($0) } ?? .nan,
        artist: artist ?? -1)
    }
    artistCount = artists.count
    let places = (0..<24).compactMap { WheelPosition("\($0 / 2 + 1)\($0 % 2 == 0 ? "A" : "B")") }
    keyCosts = places.flatMap { first in
      places.map { Transition.keyCost(steps: Transition.keySteps(first, $0)) }
    }
    self.spacing = spacing
  }

  /// Returns the cost of the transition between two tracks. It is symmetric.
  func cost(_ first: Int, _ second: Int) -> Float {
    let (a, b) = (traits[first], traits[second])
    var cost: Float = 0
    let octaves = abs(a.tempo - b.tempo)
    if octaves.isNaN {
      cost += Transition.unknownCost
    } else {
      let folded = abs(octaves - octaves.rounded())
      // Same as `Transition.tempoCost`, except that e^x - 1 is approximated by its series up to the cap.
      let x = folded * 0.693_147_2
      cost += min(3, x * (1 + x * (0.5 + x * 0.166_667)) * (100 / 6)) + (octaves > 0.5 ? 0.25 : 0)
    }
    cost += a.key < 0 || b.key < 0 ? Transition.unknownCost : keyCosts[a.key * 24 + b.key]
    let energies = abs(a.energy - b.energy)
    cost += energies.isNaN ? 0 : energies * 0.5
    return cost
  }

  // MARK: - Artists

  func isRepeat(_ first: Int, _ second: Int) -> Bool {
    traits[first].artist >= 0 && traits[first].artist == traits[second].artist
  }

  /// Returns the number of pairs of tracks by the same artist with fewer than `spacing` tracks between them.
  func repeatCount(in order: some RandomAccessCollection<Int>) -> Int {
    let order = Array(order)
    var count = 0
    for index in order.indices {
      for other in index + 1..<max(index + 1, min(order.count, index + 1 + spacing))
      where isRepeat(order[index], order[other]) {
        count += 1
      }
    }
    return count
  }

  /// Returns `true` if the artist of `track` is among those of the last `spacing` tracks.
  func repeats(_ track: Int, after order: [Int]) -> Bool {
    order.suffix(spacing).contains { isRepeat($0, track) }
  }

  // MARK: - Orders

  /// Keeps the order of a list as far as possible while spacing artists: repeatedly takes the first remaining track
  /// that is not a repeat. Artists whose tracks must be spread over all remaining positions take precedence.
  func spaced(_ list: [Int]) -> [Int] {
    guard spacing > 0 else { return list }
    var left = [Int](repeating: 0, count: artistCount)
    for track in list where traits[track].artist >= 0 { left[traits[track].artist] += 1 }
    var rest = list
    var order: [Int] = []
    while !rest.isEmpty {
      // The artists with `most` remaining tracks need (most - 1) · (spacing + 1) + artists.count positions, plus up to
      // `spacing` before the first one.
      let most = left.max() ?? 0
      let artists = left.indices.filter { left[$0] == most }
      let isCrowded = most > 1 && (most - 1) * (spacing + 1) + artists.count + spacing >= rest.count
      let crowded = isCrowded ? Set(artists) : []
      let fitting = rest.indices.lazy.filter { !repeats(rest[$0], after: order) }
      let index =
        (crowded.isEmpty ? nil : fitting.first { crowded.contains(traits[rest[$0]].artist) }) ?? fitting.first ?? 0
      let track = rest.remove(at: index)
      if traits[track].artist >= 0 { left[traits[track].artist] -= 1 }
      order.append(track)
    }
    return order
  }

  /// Returns a chain that starts with the first track of `list` and continues with the nearest remaining track while
  /// `shouldContinue` returns `true`.
  func chain(_ list: [Int], while shouldContinue: ([Int]) -> Bool = { _ in true }) -> [Int] {
    guard let first = list.first else { return [] }
    var rest = Array(list.dropFirst())
    var order = [first]
    while !rest.isEmpty, shouldContinue(order) {
      let last = order[order.count - 1]
      let recent = order.suffix(spacing)
      var best = 0
      var least = Float.infinity
      for (index, track) in rest.enumerated() {
        var cost = cost(last, track)
        guard cost < least else { continue }
        if traits[track].artist >= 0, recent.contains(where: { isRepeat($0, track) }) { cost += Self.repeatCost }
        if cost < least { (best, least) = (index, cost) }
      }
      order.append(rest[best])
      rest.swapAt(best, rest.count - 1)
      rest.removeLast()
    }
    return order
  }

  /// Returns the same tracks in a better order, if one is found.
  func improved(_ list: [Int]) -> [Int] {
    let order = exchanged(list)
    let count = repeatCount(in: order)
    if count == 0 { return order }
    // Exchanges alone may not lead to an order without repeats, so the spaced order is improved as well.
    let apart = exchanged(spaced(order))
    return repeatCount(in: apart) < count ? apart : order
  }

  /// Returns the list after improving it by 2-opt and or-opt.
  private func exchanged(_ list: [Int]) -> [Int] {
    var order = list
    guard order.count > 2 else { return order }
    // Maximum distance, in positions, between compared tracks.
    let rounds = 8
    let window = max(10, min(order.count, Self.maxComparisons / (rounds * 4 * order.count)))
    for _ in 0..<rounds {
      let turned = turnStretches(&order, window: window)
      let moved = moveTracks(&order, window: window)
      if !turned, !moved { break }
    }
    return order
  }

  /// Minimum gain. Smaller gains are rounding errors.
  private static let minGain: Float = 1e-4

  private func edge(_ order: [Int], _ first: Int, _ second: Int) -> Float {
    first < 0 || second >= order.count ? 0 : cost(order[first], order[second])
  }

  /// Improves the order by 2-opt.
  /// - Returns: `true` if the order improved.
  private func turnStretches(_ order: inout [Int], window: Int) -> Bool {
    var isBetter = false
    for start in 0..<order.count - 1 {
      for end in start + 1..<min(order.count, start + window) {
        let before = edge(order, start - 1, start) + edge(order, end, end + 1)
        let after =
          (start > 0 ? cost(order[start - 1], order[end]) : 0)
          + (end + 1 < order.count ? cost(order[start], order[end + 1]) : 0)
        guard before - after > Self.minGain else { continue }
        if change(&order, start...end, gain: before - after, { $0.reverse() }) { isBetter = true }
      }
    }
    return isBetter
  }

  /// Improves the order by or-opt.
  /// - Returns: `true` if the order improved.
  private func moveTracks(_ order: inout [Int], window: Int) -> Bool {
    var isBetter = false
    for length in 1...3 where length < order.count {
      for start in 0...order.count - length {
        for target in max(0, start - window)...min(order.count - length, start + window) where target != start {
          let end = start + length - 1
          // The stretch moves between the tracks currently at `left` and `right`.
          let (left, right) = target < start ? (target - 1, target) : (target + length - 1, target + length)
          let before = edge(order, start - 1, start) + edge(order, end, end + 1) + edge(order, left, right)
          let joined = start > 0 && end + 1 < order.count ? cost(order[start - 1], order[end + 1]) : 0
          let after =
            joined + (left >= 0 ? cost(order[left], order[start]) : 0)
            + (right < order.count ? cost(order[end], order[right]) : 0)
          guard before - after > Self.minGain else { continue }
          let range = min(start, target)...max(end, target + length - 1)
          let pivot = target < start ? start - range.lowerBound : length
          if change(&order, range, gain: before - after, { $0.rotate(toStartAt: pivot) }) {
            isBetter = true
            break
          }
        }
      }
    }
    return isBetter
  }

  /// Changes a stretch, unless the change adds artist repeats that cost at least `gain`.
  /// - Returns: `true` if the stretch was changed.
  private func change(
    _ order: inout [Int], _ range: ClosedRange<Int>, gain: Float, _ body: (inout [Int]) -> Void
  ) -> Bool {
    let around = max(0, range.lowerBound - spacing)...min(order.count - 1, range.upperBound + spacing)
    let old = Array(order[range])
    let repeatsBefore = spacing > 0 ? repeatCount(in: order[around]) : 0
    var new = old
    body(&new)
    order.replaceSubrange(range, with: new)
    let repeatsAfter = spacing > 0 ? repeatCount(in: order[around]) : 0
    if Float(repeatsAfter - repeatsBefore) * Self.repeatCost < gain { return true }
    order.replaceSubrange(range, with: old)
    return false
  }
}

extension Array {
  fileprivate mutating func rotate(toStartAt pivot: Int) {
    self = Array(self[pivot...]) + self[..<pivot]
  }
}
