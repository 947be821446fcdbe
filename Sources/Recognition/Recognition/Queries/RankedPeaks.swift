internal import Landmarks

/// The peaks of a query's spectrum, ranked by strength.
struct RankedPeaks {
  /// A peak at a fractional column and band.
  struct Peak {
    var column: Float
    var band: Float
    var strength: Float
    /// Rank among the peaks of the same second in the same third of the bands; 0 for the strongest.
    var rank: Int
  }

  /// The peaks, ordered by column, then band.
  let peaks: [Peak]
  /// Indices in `peaks`, strongest first. Earlier peaks win ties.
  let order: [Int]
  /// The original peaks, in the same order as `peaks`.
  let found: [LandmarkPeaks.Peak]

  init(_ found: [LandmarkPeaks.Peak]) {
    self.found = found
    // When read as integers, the bits of positive floating-point numbers have the same order as the numbers.
    order = found.indices.map { UInt64(~found[$0].strength.bitPattern) << 32 | UInt64($0) }.sorted()
      .map { Int($0 & 0xFFFF_FFFF) }
    var peaks = found.map {
      Peak(
        column: Float($0.column) + $0.columnOffset, band: Float($0.band) + $0.bandOffset, strength: $0.strength,
        rank: 0)
    }
    let thirds = LandmarkQuota.thirdCount
    var counts = [Int](repeating: 0, count: (LandmarkQuota.second(of: found.last?.column ?? 0) + 1) * thirds)
    for index in order {
      let group =
        LandmarkQuota.second(of: found[index].column) * thirds + LandmarkQuota.third(of: found[index].band)
      peaks[index].rank = counts[group]
      counts[group] += 1
    }
    self.peaks = peaks
  }

  /// Returns the peaks in a range of columns, which are renumbered from the start of the range.
  func part(_ columns: Range<Int>) -> RankedPeaks {
    RankedPeaks(
      found.filter { columns.contains($0.column) }.map {
        var peak = $0
        peak.column -= columns.lowerBound
        return peak
      })
  }

  /// Returns the peaks except those whose column and band are taken.
  func without(_ isTaken: (Int, Int) -> Bool) -> RankedPeaks {
    RankedPeaks(found.filter { !isTaken($0.column, $0.band) })
  }

  /// Returns the peaks with selected ranks, and their order.
  func ofRanks(_ isWanted: (Int) -> Bool) -> (peaks: [Peak], order: [Int]) {
    var kept: [Peak] = []
    var indices = [Int](repeating: -1, count: peaks.count)
    for index in peaks.indices where isWanted(peaks[index].rank) {
      indices[index] = kept.count
      kept.append(peaks[index])
    }
    return (kept, order.compactMap { indices[$0] < 0 ? nil : indices[$0] })
  }
}
