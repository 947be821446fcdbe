internal import CKernels
internal import DSP
internal import Landmarks
internal import Mathematics

/// The pairs of a query's peaks that are looked up in a catalog.
struct QueryPairs {
  /// Two peaks of a query, at fractional columns and bands.
  struct Pair {
    var column: Float
    var band: Float
    var interval: Float
    var gap: Float
    /// See `Rarity`.
    var rarity: Float
    /// Start of the anchor's targets in `targets`.
    var firstTarget: Int32
    /// End of the anchor's targets in `targets`.
    var endTarget: Int32
    /// Index of this pair's target in `targets`.
    var target: Int32
  }

  /// A peak relative to an anchor.
  struct Target {
    var interval: Float
    var gap: Float
    /// Rarity of the event that the peak is also a target of the anchor in the reference.
    var rarity: Float
  }

  /// The negative natural logarithm of the probability that a cell near a pair of the query contains a pair of the
  /// reference. It depends on each peak's rank in its one-second window and its third of the bands, on the number of
  /// stronger targets, and on the distance of the cell; the larger these are, the lower the probability.
  /// `Benchmarks/recognition/rarity.py` fits it by a Poisson regression on the cells of noisy clips. In clean clips,
  /// rank matters more, but these clips are found anyway.
  struct Rarity {
    let perAnchorRank: Float
    let perTargetRank: Float
    let perStrongerTarget: Float
    /// Increase for each cell width of the summed deviation in band, interval and gap.
    let perCell: Float

    static let fitted = Rarity(RecognitionResources.rarity)

    init(_ table: NumberTable) {
      perAnchorRank = Float(table.number("anchor_rank"))
      perTargetRank = Float(table.number("target_rank"))
      perStrongerTarget = Float(table.number("stronger_target"))
      perCell = Float(table.number("cell"))
    }

    /// Returns slightly less than the distance from a value, which may be negative, to the nearest cell.
    @inline(__always)
    static func minDistance(_ value: Float) -> Float {
      // All floats near 12,582,912 are whole, so adding and subtracting that number rounds to the nearest whole number.
      let nearest = value + 12_582_912 - 12_582_912
      return abs(value - nearest) - 0.001
    }
  }

  let pairs: [Pair]
  /// The targets of each anchor, strongest first.
  let targets: [Target]
  /// The column to which places refer: the center of the query.
  let center: Float
  /// Rarity at which pairs are dropped.
  let limit: Float
  /// The bands, intervals, gaps and rarities of all pairs, one row for each of the four, padded with pairs of infinite
  /// rarity.
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
        guard rarity + target.rarity + weights.perCell * Rarity.minDistance(target.interval) < limit else { continue }
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

  /// Calls `body` with the pairs in the layout that `cpaircells_find` expects.
  func withRows<R>(_ body: (cpaircells_pairs) -> R) -> R {
    rows.withUnsafeBufferPointer { rows in
      let length = Self.rowLength(pairs.count)
      func row(_ index: Int) -> UnsafePointer<Float>? { rows.baseAddress.map { $0 + index * length } }
      return body(cpaircells_pairs(axes: (row(0), row(1), row(2)), rarities: row(3), count: length))
    }
  }
}

/// The pairs of one query for each `Stage.limit`, created on first use.
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
