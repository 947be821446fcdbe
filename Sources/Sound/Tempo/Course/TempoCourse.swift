internal import Analysis
internal import Mathematics

/// The path of tempi through the stretches of a track. For each stretch, dynamic programming (Viterbi 1967) finds the
/// option that best fits the evidence of the stretch and the tempi of its neighbors.
struct TempoCourse {
  /// Log-probability that the tempo changes from one stretch to the next.
  private static let change = -4.0
  /// Log-probability that the tempo changes by a factor of 2 or 3, which is usually a misreading.
  private static let octaveChange = -9.0

  struct Step {
    let reading: StretchReading
    let option: StretchReading.Option
  }

  private(set) var steps: [Step] = []

  init(_ readings: [StretchReading]) {
    struct Node {
      var option: StretchReading.Option
      var score: Double
      var origin: Int?
    }
    var layers: [(reading: StretchReading, nodes: [Node])] = []
    for reading in readings {
      guard case .pulse(let options) = reading.outcome else { continue }
      let nodes = options.map { option in
        let own = log(max(Self.worth(of: option, among: options), 1e-9))
        var node = Node(option: option, score: own, origin: nil)
        var best = -Double.infinity
        for (index, earlier) in (layers.last?.nodes ?? []).enumerated() {
          let score = earlier.score + Self.transition(from: earlier.option.bpm, to: option.bpm)
          if score > best { (best, node.origin, node.score) = (score, index, own + score) }
        }
        return node
      }
      layers.append((reading, nodes))
    }
    guard let last = layers.last?.nodes else { return }
    var index = last.indices.max { last[$0].score < last[$1].score }
    for layer in layers.reversed() {
      guard let current = index else { break }
      steps.append(Step(reading: layer.reading, option: layer.nodes[current].option))
      index = layer.nodes[current].origin
    }
    steps.reverse()
  }

  /// Returns the weight of an option: the total probability of all options with the same tempo, times the ratio of the
  /// option's probability to the highest one among them. The tempo is decided first, then the beats.
  private static func worth(of option: StretchReading.Option, among options: [StretchReading.Option]) -> Double {
    let same = options.filter { abs($0.bpm / option.bpm - 1) < 0.04 }
    let sum = same.reduce(0) { $0 + $1.probability }
    let best = same.map(\.probability).max() ?? 0
    return best > 0 ? sum * option.probability / best : 0
  }

  private static func transition(from: Double, to: Double) -> Double {
    let ratio = to > from ? to / from : from / to
    if ratio < 1.04 { return 0 }
    return abs(ratio / 2 - 1) < 0.04 || abs(ratio / 3 - 1) < 0.04 ? octaveChange : change
  }

  /// The beats of all steps. Where two stretches overlap, the beats of the earlier one are used up to the middle of the
  /// overlap.
  var beats: [Double] {
    var result: [Double] = []
    for (index, step) in steps.enumerated() {
      var range = -Double.infinity...Double.infinity
      if index > 0 {
        let previous = steps[index - 1].reading
        range = max(step.reading.start, (previous.start + previous.duration + step.reading.start) / 2)...(.infinity)
      }
      if index + 1 < steps.count {
        let next = steps[index + 1].reading
        let end = step.reading.start + step.reading.duration
        range = range.lowerBound...max(range.lowerBound, min(end, (end + next.start) / 2))
      }
      let shortest = 0.5 * 60 / step.option.bpm
      for beat in step.option.beats where range.contains(beat) {
        // At the boundary, both grids may contain the same beat.
        if let last = result.last, beat - last < shortest { continue }
        result.append(beat)
      }
    }
    return result
  }

  /// Returns the downbeats; `nil` if those of any step are uncertain.
  func downbeats(among beats: [Double]) -> [Double]? {
    var starts: Set<Double> = []
    for step in steps {
      guard let own = step.option.downbeats else { return nil }
      starts.formUnion(own)
    }
    return beats.filter(starts.contains)
  }
}
