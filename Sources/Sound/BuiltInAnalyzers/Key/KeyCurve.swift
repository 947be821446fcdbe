internal import Mathematics

/// The likeliest key of each segment, where changes of key have a cost (Viterbi).
struct KeyCurve {
  /// Number of segments judged together: a segment, the previous one, and the next two, which is 16 s.
  private static let window = 4
  /// Penalty for a change of key, in log probability.
  private static let penalty = 8.0
  /// Probability added to that of every key, so that no key is impossible.
  private static let minProbability = 1e-4

  /// The key of each segment, 0 to 23, with C major at 0 and C minor at 12.
  let keys: [Int]

  init(_ sums: KeySums, network: KeyNetwork) {
    let count = sums.segments.count
    guard count > 0 else {
      keys = []
      return
    }
    // Each segment counts only once, although it is part of several windows. Longer segments count for more.
    let share = Double(sums.framesPerSegment / KeySums.framesPerSegment) / Double(Self.window)
    var scores = [Double](repeating: 0, count: 24)
    var steps: [[Int]] = []
    for segment in 0..<count {
      let nearby = max(0, segment - 1)..<min(count, segment + Self.window - 1)
      let chances = Self.chances(network.decide(sums.sum(nearby).means).keys)
      let best = scores.indices.max { scores[$0] < scores[$1] } ?? 0
      var from = Array(0..<24)
      var next = scores
      for key in 0..<24 {
        if scores[key] < scores[best] - Self.penalty {
          from[key] = best
          next[key] = scores[best] - Self.penalty
        }
        next[key] += share * log(chances[key] + Self.minProbability)
      }
      scores = next
      steps.append(from)
    }
    var path = [scores.indices.max { scores[$0] < scores[$1] } ?? 0]
    for from in steps.dropFirst().reversed() { path.append(from[path[path.count - 1]]) }
    keys = path.reversed()
  }

  /// Returns the softmax of the log-odds.
  static func chances(_ logits: [Double]) -> [Double] {
    let highest = logits.max() ?? 0
    let shares = logits.map { exp($0 - highest) }
    let sum = shares.reduce(0, +)
    return shares.map { $0 / sum }
  }

  /// The key of most segments.
  var main: Int {
    var counts = [Int](repeating: 0, count: 24)
    for key in keys { counts[key] += 1 }
    return counts.indices.max { counts[$0] < counts[$1] } ?? 0
  }
}
