/// Subtracts from each level the mean of the box around it, column by column. This removes loudness, equalization and
/// steady background, and leaves only local peaks.
///
/// Boxes are cut off at the first and last band and column. Sums are integers, so the result does not depend on how
/// much audio came before.
package struct LandmarkWhitener {
  private let bandRadius: Int
  private let columnRadius: Int
  /// The last `2 * columnRadius + 2` columns, one row each.
  private var recent: [Int32]
  /// Sums over the columns of the box, by band.
  private var columnSums = [Int32](repeating: 0, count: LandmarkSpectrum.bandCount)
  /// Cumulative sums over the bands for one column of boxes.
  private var bandSums = [Int32](repeating: 0, count: LandmarkSpectrum.bandCount + 1)
  /// The latest whitened column, in dB.
  package private(set) var whitened = [Float](repeating: 0, count: LandmarkSpectrum.bandCount)
  private var count = 0
  private var whitenedCount = 0

  /// - Parameters:
  ///   - bandRadius: Bands on each side of the center of a box.
  ///   - columnRadius: Columns on each side of the center of a box.
  package init(bandRadius: Int, columnRadius: Int) {
    self.bandRadius = bandRadius
    self.columnRadius = columnRadius
    recent = [Int32](repeating: 0, count: (2 * columnRadius + 2) * LandmarkSpectrum.bandCount)
  }

  private func row(_ column: Int) -> Int { column % (2 * columnRadius + 2) * LandmarkSpectrum.bandCount }

  /// Processes the next column of levels.
  /// - Returns: `true` if `whitened` now contains a new column: the one that is `columnRadius` before this column.
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

  /// Produces the next of the columns that remain after the last input. Returns `false` if there is none.
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
