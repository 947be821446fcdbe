internal import Fingerprinting
internal import Glibc

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
    var targets: Range<Int>
    var target: Int
  }

  /// A peak as seen from an anchor.
  struct Target {
    var interval: Float
    var gap: Float
    /// Of its being among the anchor's targets in the reference.
    var rarity: Float
  }

  /// How rarely a cell near a pair of the query holds a pair of the reference, as the negative natural logarithm of the
  /// share that do: the weaker the two peaks in their second and third of the bands, the more stronger targets there
  /// are and the farther the cell, the fewer. A Poisson regression on two million cells of clips in noise of 0 and
  /// -5 dB: in clean clips rank says more, but those are found anyway.
  enum Rarity {
    static let perAnchorRank: Float = 0.1
    static let perTargetRank: Float = 0.066
    static let perStrongerTarget: Float = 0.093
    /// For each cell's width that band, interval and gap are off, together.
    static let perCell: Float = 1.42

    /// A little less than the distance of a value, which may be negative, from the nearest cell.
    @inline(__always)
    static func leastDistance(_ value: Float) -> Float {
      let shifted = value + 128
      return abs(shifted - Float(Int32(shifted + 0.5))) - 0.001
    }
  }

  let pairs: [Pair]
  /// Each anchor's targets, the strongest first.
  let targets: [Target]
  /// The column that places are told for.
  let centre: Float
  /// What is rarer is not looked up.
  let limit: Float

  /// - Parameters:
  ///   - limit: Greatest rarity.
  ///   - isSharp: Whether the peaks are those of the sharpened spectrum.
  init(_ query: Query, limit: Float, isSharp: Bool = false) {
    self.limit = limit
    centre = Float(query.columnCount) / 2
    let peaks = (isSharp ? query.sharpPeaks() : query.peaks).filter { Rarity.perAnchorRank * Float($0.rank) < limit }
    // Targets come out strongest first if they are bits of a set in that order. The bits of a positive floating-point
    // number, read as an integer, are in its order.
    let order = peaks.indices.map { UInt64(~peaks[$0].strength.bitPattern) << 32 | UInt64($0) }.sorted()
      .map { Int($0 & 0xFFFF_FFFF) }
    var places = [Int](repeating: 0, count: peaks.count)
    for (place, index) in order.enumerated() { places[index] = place }
    var near = [UInt64](repeating: 0, count: peaks.count / 64 + 1)
    let columns = peaks.map(\.column)
    let bands = peaks.map(\.band)
    var pairs: [Pair] = []
    var targets: [Target] = []
    let longest = Float(LandmarkPair.gaps.upperBound)
    let widest = Float(LandmarkPair.intervals.upperBound)
    for index in peaks.indices {
      let anchor = peaks[index]
      let left = limit - Rarity.perAnchorRank * Float(anchor.rank)
      // Peaks are in order of whole columns: by the fraction of one they may be out of it.
      var next = index + 1
      while next < columns.count {
        let gap = columns[next] - anchor.column
        if gap > longest + 1 { break }
        if abs(bands[next] - anchor.band) <= widest, gap >= 1.5, gap <= longest {
          near[places[next] >> 6] |= 1 &<< UInt64(truncatingIfNeeded: places[next])
        }
        next += 1
      }
      let first = targets.count
      var stronger: Float = 0
      for word in near.indices where near[word] != 0 {
        var bits = near[word]
        near[word] = 0
        while bits != 0, stronger < left {
          let target = peaks[order[word * 64 + bits.trailingZeroBitCount]]
          bits &= bits - 1
          let rarity = Rarity.perTargetRank * Float(target.rank) + stronger
          stronger += Rarity.perStrongerTarget
          guard rarity < left else { continue }
          targets.append(
            Target(interval: target.band - anchor.band, gap: target.column - anchor.column, rarity: rarity))
        }
      }
      for index in first..<targets.count {
        let target = targets[index]
        let rarity = Rarity.perAnchorRank * Float(anchor.rank) + target.rarity
        guard rarity + Rarity.perCell * Rarity.leastDistance(target.interval) < limit else { continue }
        pairs.append(
          Pair(
            column: anchor.column, band: anchor.band, interval: target.interval, gap: target.gap, rarity: rarity,
            targets: first..<targets.count, target: index))
      }
    }
    self.targets = targets
    self.pairs = pairs
  }
}
