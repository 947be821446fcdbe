/// Takes from each level the mean of a box around it, column by column, so loudness, equalization and a steady
/// background drop out and only what stands out locally is left.
///
/// Boxes are cut off at the first and last band and column. Sums are whole numbers: the result does not depend on how
/// long the signal has been running.
package struct LandmarkWhitener {
  private let bandRadius: Int
  private let columnRadius: Int
  /// The last `2 * columnRadius + 2` columns, one row each.
  private var recent: [Int32]
  /// Sums over the columns of the box, per band.
  private var columnSums = [Int32](repeating: 0, count: LandmarkSpectrum.bandCount)
  /// Sums over the bands below each, for one column of boxes.
  private var bandSums = [Int32](repeating: 0, count: LandmarkSpectrum.bandCount + 1)
  /// The whitened column that was made last, in dB.
  package private(set) var whitened = [Float](repeating: 0, count: LandmarkSpectrum.bandCount)
  /// Columns taken so far.
  private var count = 0
  /// Whitened columns made so far.
  private var whitenedCount = 0

  /// - Parameters:
  ///   - bandRadius: The box reaches this many bands up and down.
  ///   - columnRadius: The box reaches this many columns back and forth.
  package init(bandRadius: Int, columnRadius: Int) {
    self.bandRadius = bandRadius
    self.columnRadius = columnRadius
    recent = [Int32](repeating: 0, count: (2 * columnRadius + 2) * LandmarkSpectrum.bandCount)
  }

  private func row(_ column: Int) -> Int { column % (2 * columnRadius + 2) * LandmarkSpectrum.bandCount }

  /// Takes the next column of levels.
  /// - Returns: Whether another whitened column has become complete, the one `columnRadius` earlier; it is in `whitened`.
  package mutating func push(_ levels: Span<Int32>) -> Bool {
    let row = row(count)
    for band in 0..<LandmarkSpectrum.bandCount {
      recent[row + band] = levels[band]
      columnSums[band] &+= levels[band]
    }
    let first = count - 2 * columnRadius
    if first > 0 { dropColumn(first - 1) }
    count += 1
    guard count > columnRadius else { return false }
    whiten(columns: count - max(0, first))
    return true
  }

  /// After the last column: makes the next whitened column, if there is one left.
  package mutating func drain() -> Bool {
    guard whitenedCount < count else { return false }
    let first = whitenedCount - columnRadius
    if first > 0 { dropColumn(first - 1) }
    whiten(columns: count - max(0, first))
    return true
  }

  private mutating func dropColumn(_ column: Int) {
    let row = row(column)
    for band in 0..<LandmarkSpectrum.bandCount { columnSums[band] &-= recent[row + band] }
  }

  private mutating func whiten(columns: Int) {
    let bandCount = LandmarkSpectrum.bandCount
    for band in 0..<bandCount { bandSums[band + 1] = bandSums[band] &+ columnSums[band] }
    let row = row(whitenedCount)
    for band in 0..<bandCount {
      let low = max(0, band - bandRadius)
      let high = min(bandCount, band + bandRadius + 1)
      let mean = Float(bandSums[high] &- bandSums[low]) / Float((high - low) * columns)
      whitened[band] = (Float(recent[row + band]) - mean) * (1 / LandmarkSpectrum.levelsPerDecibel)
    }
    whitenedCount += 1
  }
}
