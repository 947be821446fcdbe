internal import CKernels
internal import DSP
internal import Mathematics
internal import Landmarks

/// The pairs of a query's peaks, to be looked up in a catalog.
struct QueryPairs {
  /// Two peaks of a query, at places between columns and bands.
  struct Pair {
    var column: Float
    var band: Float
    var interval: Float
    var gap: Float
    /// See `Rarity`.
    var rarity: Float
    /// Its anchor's targets, in `targets`, and which of them this pair's is.
    var firstTarget: Int32
    var endTarget: Int32
    var target: Int32
  }

  /// A peak as seen from an anchor.
  struct Target {
    var interval: Float
    var gap: Float
    /// Rarity of its being among the anchor's targets in the reference.
    var rarity: Float
  }

  /// How rarely a cell near a pair of the query holds a pair of the reference, as the negative natural logarithm of the
  /// share that do: the weaker the two peaks in their second and third of the bands, the more stronger targets there
  /// are and the farther the cell, the fewer. A Poisson regression on the cells of clips in noise, by
  /// `Benchmarks/recognition/rarity.py`: in clean clips rank says more, but those are found anyway.
  struct Rarity {
    let perAnchorRank: Float
    let perTargetRank: Float
    let perStrongerTarget: Float
    /// For each cell's width that band, interval and gap are off, together.
    let perCell: Float

    static let fitted = Rarity(RecognitionResources.rarity)

    init(_ table: NumberTable) {
      perAnchorRank = Float(table.number("anchor_rank"))
      perTargetRank = Float(table.number("target_rank"))
      perStrongerTarget = Float(table.number("stronger_target"))
      perCell = Float(table.number("cell"))
    }

    /// A little less than the distance of a value, which may be negative, from the nearest cell.
    @inline(__always)
    static func leastDistance(_ value: Float) -> Float {
      // To add and take away a number from which on floats are whole leaves the nearest whole one.
      let nearest = value + 12_582_912 - 12_582_912
      return abs(value - nearest) - 0.001
    }
  }

  let pairs: [Pair]
  /// Each anchor's targets, the strongest first.
  let targets: [Target]
  /// The column that places are told for.
  let center: Float
  /// Rarity from which on pairs are left out.
  let limit: Float
  /// Band, interval, gap and rarity of all pairs, one row each, filled up with pairs too rare for anything.
  private let rows: [Float]

  init(_ peaks: RankedPeaks, columnCount: Int, limit: Float) {
    center = Float(columnCount) / 2
    self.limit = limit
    let weights = Rarity.fitted
    let (peaks, order) = peaks.ofRanks { weights.perAnchorRank * Float($0) < limit }
    var near = AnchorTargets(peaks, order: order)
    var pairs: [Pair] = []
    var targets: [Target] = []
    pairs.reserveCapacity(8 * peaks.count)
    targets.reserveCapacity(8 * peaks.count)
    for index in peaks.indices {
      let anchor = peaks[index]
      let rarity = weights.perAnchorRank * Float(anchor.rank)
      let left = limit - rarity
      let first = targets.count
      var stronger: Float = 0
      near.begin(index)
      while stronger < left, let next = near.next() {
        let target = peaks[next]
        let targetRarity = weights.perTargetRank * Float(target.rank) + stronger
        stronger += weights.perStrongerTarget
        guard targetRarity < left else { continue }
        targets.append(
          Target(interval: target.band - anchor.band, gap: target.column - anchor.column, rarity: targetRarity))
      }
      for index in first..<targets.count {
        let target = targets[index]
        guard rarity + target.rarity + weights.perCell * Rarity.leastDistance(target.interval) < limit else { continue }
        pairs.append(
          Pair(
            column: anchor.column, band: anchor.band, interval: target.interval, gap: target.gap,
            rarity: rarity + target.rarity, firstTarget: Int32(first), endTarget: Int32(targets.count),
            target: Int32(index)))
      }
    }
    self.targets = targets
    self.pairs = pairs
    let length = Self.rowLength(pairs.count)
    rows = [Float](unsafeUninitializedCapacity: Self.rowCount * length) { rows, count in
      rows.initialize(repeating: .infinity)
      count = rows.count
      for (index, pair) in pairs.enumerated() {
        rows[index] = pair.band
        rows[length + index] = pair.interval
        rows[2 * length + index] = pair.gap
        rows[3 * length + index] = pair.rarity
      }
    }
  }

  private static let rowCount = Int(CPAIRCELLS_AXES) + 1

  private static func rowLength(_ count: Int) -> Int {
    (count + Int(CPAIRCELLS_LANES) - 1) / Int(CPAIRCELLS_LANES) * Int(CPAIRCELLS_LANES)
  }

  /// Calls `body` with the pairs as `cpaircells_find` reads them.
  func withRows<R>(_ body: (cpaircells_pairs) -> R) -> R {
    rows.withUnsafeBufferPointer { rows in
      let length = Self.rowLength(pairs.count)
      func row(_ index: Int) -> UnsafePointer<Float>? { rows.baseAddress.map { $0 + index * length } }
      return body(cpaircells_pairs(axes: (row(0), row(1), row(2)), rarities: row(3), count: length))
    }
  }
}

/// The pairs of one query for the limits of the stages, each made when it is first asked for.
struct PairsByLimit {
  private let query: RecognitionQuery
  private var made: [QueryPairs] = []

  init(_ query: RecognitionQuery) { self.query = query }

  subscript(limit: Float) -> QueryPairs {
    mutating get {
      if let pairs = made.first(where: { $0.limit == limit }) { return pairs }
      let pairs = QueryPairs(query.peaks, columnCount: query.columnCount, limit: limit)
      made.append(pairs)
      return pairs
    }
  }
}
