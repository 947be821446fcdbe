public import Landmarks

/// A cell of the index that a query's pair may fall into. `Benchmarks/recognition/rarity.py` fits `QueryPairs.Rarity`
/// to such cells.
@_spi(Measuring) public struct PairCell: Sendable {
  public var anchorRank: Int
  public var targetRank: Int
  /// Number of stronger targets of the same anchor.
  public var strongerTargetCount: Int
  /// Sum of the deviations in band, interval and gap, in units of a cell's width.
  public var distance: Float
  /// Number of the reference's pairs in this cell whose anchors are at the expected column.
  public var referencePairCount: Int
}

extension RecognitionQuery {
  /// Returns the cells looked up by the stage `thorough`, which searches at true speed. Each has the number of matching
  /// pairs in the reference.
  ///
  /// - Parameters:
  ///   - landmarks: All landmarks of the reference.
  ///   - start: Column of the reference at which the query begins.
  @_spi(Measuring) public func pairCells(of landmarks: [Landmark], from start: Float) -> [PairCell] {
    let limit = Matcher.stages.map(\.limit).max()!
    let rarity = QueryPairs.Rarity.fitted
    var referenceColumns: [Int: [Float]] = [:]
    LandmarkPair.forEach(in: landmarks) { key, _, column in referenceColumns[key, default: []].append(Float(column)) }

    var cells: [PairCell] = []
    let (peaks, order) = peaks.ofRanks { rarity.perAnchorRank * Float($0) < limit }
    var near = AnchorTargets(peaks, order: order)
    for index in peaks.indices {
      let anchor = peaks[index]
      let place = start + anchor.column
      var strongerTargetCount = 0
      near.begin(index)
      while let next = near.next() {
        let target = peaks[next]
        let (interval, gap) = (target.band - anchor.band, target.column - anchor.column)
        let ofRanks =
          rarity.perAnchorRank * Float(anchor.rank) + rarity.perTargetRank * Float(target.rank)
          + rarity.perStrongerTarget * Float(strongerTargetCount)
        for cellBand in ProbeList.cells(anchor.band, within: 0...LandmarkSpectrum.bandCount - 1) {
          for cellInterval in ProbeList.cells(interval, within: LandmarkPair.intervals) {
            for cellGap in ProbeList.cells(gap, within: LandmarkPair.gaps) {
              let distance =
                abs(anchor.band - Float(cellBand)) + abs(interval - Float(cellInterval)) + abs(gap - Float(cellGap))
              guard ofRanks + rarity.perCell * distance < limit else { continue }
              let key = LandmarkPair.key(band: cellBand, interval: cellInterval, gap: cellGap)
              cells.append(
                PairCell(
                  anchorRank: anchor.rank, targetRank: target.rank, strongerTargetCount: strongerTargetCount,
                  distance: distance,
                  referencePairCount: referenceColumns[key]?.count { abs($0 - place) <= Self.placeTolerance } ?? 0))
            }
          }
        }
        strongerTargetCount += 1
      }
    }
    return cells
  }

  /// Tolerance for the column of a pair's anchor. The search adds the votes of neighboring bins, which are two columns
  /// wide.
  private static let placeTolerance: Float = 1.5
}
