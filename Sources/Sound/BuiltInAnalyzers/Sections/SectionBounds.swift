internal import Mathematics

/// The section boundaries. They divide the track where the novelty is highest, with a preference for lengths that are
/// multiples of four bars, as in pop songs (regularity: Sargent, Bimbot & Vincent, IEEE/ACM Transactions on Audio,
/// Speech, and Language Processing 25(2), 2017).
struct SectionBounds {
  /// Window lengths on each side of an edge, in seconds.
  private static let widths = [8.0, 16]
  private static let minSeconds = 6.0
  /// Length of a section, in seconds, above which its length has a cost: one standard deviation of novelty per
  /// additional length of this size.
  private static let longSeconds = 30.0
  /// Minimum novelty, as a multiple of the value expected by chance; noise reaches 1.3.
  private static let minEvidence: Float = 1.8
  /// Price of a boundary, which is subtracted from its value. The value is its novelty above the mean, in standard
  /// deviations.
  private static let price: Float = 1.1
  /// Bonus added to the value of a boundary at a peak.
  private static let peakWorth: Float = 0.6
  /// Bonus added to the value of a boundary: `start` where a bar begins, otherwise `other`.
  private static let barWorth: (start: Float, other: Float) = (0.75, -0.25)
  /// Cost of a section whose length is not a multiple of four bars, but of two bars, of one bar, or of neither.
  private static let lengthCost: (twoBars: Float, oneBar: Float, other: Float) = (0.75, 1.5, 3)
  /// Factor that reduces the cost at the ends of the track, because a song may be cut there.
  private static let costAtEnds: Float = 0.3

  /// Indices of the edges between units that are boundaries, ascending, from the first edge to the last.
  let bounds: [Int]

  /// - Parameter downbeats: Times in seconds, ascending; empty if unknown.
  init(_ resemblance: Resemblance, units: BeatUnits, downbeats: [Double]) {
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
    let bars = BarStarts(of: units, downbeats: downbeats, harmony: resemblance)
    let (mean, deviation) = Self.spread(novelty)
    let worths = novelty.indices.map { edge -> Float? in
      guard evidence[edge] >= Self.minEvidence, deviation > 0 else { return nil }
      let nearby = max(0, edge - 2)...min(edgeCount - 1, edge + 2)
      let isPeak = nearby.allSatisfy { novelty[$0] <= novelty[edge] }
      let bar = (bars?.isBarStart).map { $0[edge] ? Self.barWorth.start : Self.barWorth.other } ?? 0
      return (novelty[edge] - mean) / deviation - Self.price + (isPeak ? Self.peakWorth : 0) + bar
    }
    bounds = Self.division(
      worths,
      costs: Self.costs(upTo: units.count, barLength: bars?.barLength, longLength: units.units(Self.longSeconds)),
      minLength: units.units(Self.minSeconds))
  }

  /// Returns the cost of a section by its length in units.
  private static func costs(upTo count: Int, barLength: Int?, longLength: Int) -> [Float] {
    (0...count).map { length in
      let excess = Float(max(0, length - longLength)) / Float(longLength)
      guard let barLength else { return excess }
      if length % (4 * barLength) == 0 { return excess }
      if length % (2 * barLength) == 0 { return excess + lengthCost.twoBars }
      return excess + (length % barLength == 0 ? lengthCost.oneBar : lengthCost.other)
    }
  }

  /// Finds the boundaries with the largest sum of values minus costs, by dynamic programming.
  ///
  /// - Parameters:
  ///   - worths: The value of each edge; `nil` if no section can begin there.
  ///   - minLength: Minimum length of a section in units. Half of it is enough at the ends of the track.
  private static func division(_ worths: [Float?], costs: [Float], minLength: Int) -> [Int] {
    let last = worths.count - 1
    var best = [Float](repeating: -.infinity, count: last + 1)
    var before = [Int](repeating: 0, count: last + 1)
    best[0] = 0
    for end in stride(from: 1, through: last, by: 1) {
      guard let worth = end == last ? 0 : worths[end] else { continue }
      for start in 0..<end where best[start] > -.infinity {
        let length = end - start
        let isAtEnd = start == 0 || end == last
        guard length >= (isAtEnd ? minLength / 2 : minLength) || length == last else { continue }
        let sum = best[start] + worth - (isAtEnd ? costAtEnds : 1) * costs[length]
        if sum > best[end] { (best[end], before[end]) = (sum, start) }
      }
    }
    var bounds = [last]
    while let first = bounds.last, first > 0 { bounds.append(before[first]) }
    return bounds.reversed()
  }

  /// Returns the difference between the vectors before and after each edge: the squared distance between their sums,
  /// weighted by proximity. This is equivalent to Foote's checkerboard kernel on the matrix of their products.
  private static func contrast(_ vectors: [SIMD16<Float>], over width: Int) -> [Float] {
    let weights = (0..<width).map { exp(-2 * pow((Float($0) + 0.5) / Float(width), 2)) }
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
