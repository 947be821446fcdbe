internal import Glibc

/// The bounds of sections: peaks of novelty, with the start and the end of the track.
struct SectionBounds {
  /// On each side of an edge, in seconds.
  private static let widths = [8.0, 16]
  private static let shortestSeconds = 6.0
  /// Least height of the novelty above its mean, in standard deviations.
  private static let leastHeight: Float = 0.2
  /// Least novelty, as a multiple of that of chance; noise reaches 1.3.
  private static let leastEvidence: Float = 1.8

  /// Numbers of edges between units, ascending, from the first to the last.
  let bounds: [Int]

  init(_ resemblance: Resemblance, units: BeatUnits) {
    let edgeCount = units.count + 1
    var novelty = [Float](repeating: 0, count: edgeCount)
    var evidence = novelty
    func add(_ values: [Float]) {
      let deviation = Self.spread(values).deviation
      guard deviation > 0 else { return }
      for index in novelty.indices { novelty[index] += values[index] / deviation }
    }
    let recurrences = resemblance.recurrences
    for recurrence in [recurrences.harmony, recurrences.timbre, recurrences.both] {
      for width in Self.widths {
        let (values, multiples) = recurrence.novelty(over: units.units(width))
        add(values)
        for index in evidence.indices { evidence[index] = max(evidence[index], multiples[index]) }
      }
    }
    add(Self.contrast(resemblance.timbre, over: units.units(Self.widths[1])))
    // At the ends of the track a section may be shorter.
    let distance = units.units(Self.shortestSeconds)
    for index in novelty.indices where min(index, units.count - index) < distance / 2 { novelty[index] = 0 }
    let (mean, deviation) = Self.spread(novelty)
    var found: [Int] = []
    for edge in novelty.indices.sorted(by: { (novelty[$1], $0) < (novelty[$0], $1) }) {
      if novelty[edge] < mean + Self.leastHeight * deviation || novelty[edge] <= 0 { break }
      let nearby = max(0, edge - 3)...min(edgeCount - 1, edge + 3)
      if nearby.contains(where: { novelty[$0] > novelty[edge] }) || evidence[edge] < Self.leastEvidence { continue }
      if found.allSatisfy({ abs($0 - edge) >= distance }) { found.append(edge) }
    }
    bounds = [0] + found.sorted() + [units.count]
  }

  /// How much vectors after each edge differ from those before it: the squared distance of their sums, weighted by
  /// nearness. The same as Foote's checkerboard kernel on the matrix of their products.
  private static func contrast(_ vectors: [SIMD16<Float>], over width: Int) -> [Float] {
    let weights = (0..<width).map { expf(-2 * powf((Float($0) + 0.5) / Float(width), 2)) }
    return (0...vectors.count).map { edge in
      var difference = SIMD16<Float>()
      for (distance, weight) in weights.enumerated() {
        if edge + distance < vectors.count { difference += weight * vectors[edge + distance] }
        if edge - distance > 0 { difference -= weight * vectors[edge - distance - 1] }
      }
      return (difference * difference).sum()
    }
  }

  private static func spread(_ values: [Float]) -> (mean: Float, deviation: Float) {
    let mean = values.reduce(0, +) / Float(max(values.count, 1))
    let variance = values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Float(max(values.count, 1))
    return (mean, variance.squareRoot())
  }
}
