/// Finds the local maxima of a whitened spectrum, column by column.
///
/// A peak is positive, and no smaller than any value within `radius` bands and columns. Of equal values in different
/// columns, only the earliest is a peak.
package struct LandmarkPeaks {
  /// A local maximum with sub-bin offsets, interpolated from its neighbors.
  package struct Peak: Sendable {
    package var column: Int
    package var band: Int
    /// Level above the local mean, in dB.
    package var strength: Float
    /// Vertex of the parabola through the peak and its neighbors in the previous and next columns, −0.5 to 0.5.
    package var columnOffset: Float
    /// Vertex of the parabola through the peak and its neighbors in the bands below and above, −0.5 to 0.5.
    package var bandOffset: Float

    package init(column: Int, band: Int, strength: Float, columnOffset: Float, bandOffset: Float) {
      self.column = column
      self.band = band
      self.strength = strength
      self.columnOffset = columnOffset
      self.bandOffset = bandOffset
    }
  }

  private static let bandCount = LandmarkSpectrum.bandCount
  private let radius: Int
  private let rowLength: Int
  /// The last `2 * radius + 1` whitened columns, one row each, padded by `radius` on both sides.
  private var columns: [Float]
  /// Maxima over the neighboring bands for each column in `columns`, in rows of `bandCount` values.
  private var maxima: [Float]
  /// Maxima of the previous columns, at least 0, by band.
  private var earlier = [Float](repeating: 0, count: LandmarkSpectrum.bandCount)
  /// Maxima of the current and following columns, by band.
  private var later = [Float](repeating: 0, count: LandmarkSpectrum.bandCount)
  private var count = 0

  package init(radius: Int) {
    self.radius = radius
    rowLength = Self.bandCount + 2 * radius
    columns = [Float](repeating: -.infinity, count: rowLength * (2 * radius + 1))
    maxima = [Float](repeating: -.infinity, count: Self.bandCount * (2 * radius + 1))
  }

  /// Processes the next whitened column, and appends the peaks of the column that is `radius` earlier, from low to high
  /// bands.
  package mutating func push(_ whitened: [Float], into peaks: inout [Peak]) {
    let row = slot(count) * rowLength
    let maximaRow = slot(count) * Self.bandCount
    Self.copy(whitened, from: 0, to: &columns, at: row + radius)
    Self.copy(columns, from: row, to: &maxima, at: maximaRow)
    for distance in 1...2 * radius { Self.raise(&maxima, at: maximaRow, to: columns, from: row + distance) }
    count += 1
    if count > radius { find(in: count - 1 - radius, into: &peaks) }
  }

  /// Appends the peaks of the last columns.
  package mutating func finish(into peaks: inout [Peak]) {
    for column in max(0, count - radius)..<count {
      // Values after the end are lower than all others.
      let row = slot(count) * rowLength
      let maximaRow = slot(count) * Self.bandCount
      for index in row..<row + rowLength { columns[index] = -.infinity }
      for index in maximaRow..<maximaRow + Self.bandCount { maxima[index] = -.infinity }
      count += 1
      find(in: column, into: &peaks)
    }
  }

  private static func copy(_ source: [Float], from start: Int, to target: inout [Float], at place: Int) {
    let source = source.span
    var target = target.mutableSpan
    for band in 0..<bandCount { target[place + band] = source[start + band] }
  }

  /// Raises each value of a row to the corresponding value of another row if that is greater.
  private static func raise(_ target: inout [Float], at place: Int, to source: [Float], from start: Int) {
    let source = source.span
    var target = target.mutableSpan
    for band in 0..<bandCount {
      let value = source[start + band]
      let old = target[place + band]
      target[place + band] = value > old ? value : old
    }
  }

  private func slot(_ column: Int) -> Int { column % (2 * radius + 1) }

  private mutating func find(in column: Int, into peaks: inout [Peak]) {
    // Rows before the first column are still -∞, lower than all others.
    let first = column + radius + 1
    for band in 0..<Self.bandCount { earlier[band] = 0 }
    for row in first..<first + radius { Self.raise(&earlier, at: 0, to: maxima, from: slot(row) * Self.bandCount) }
    Self.copy(maxima, from: slot(column) * Self.bandCount, to: &later, at: 0)
    for row in column + 1...column + radius {
      Self.raise(&later, at: 0, to: maxima, from: slot(row) * Self.bandCount)
    }
    let row = slot(column) * rowLength + radius
    let before = slot(column + 2 * radius) * rowLength + radius
    let after = slot(column + 1) * rowLength + radius
    for band in 0..<Self.bandCount where columns[row + band] > earlier[band] && columns[row + band] >= later[band] {
      let value = columns[row + band]
      peaks.append(
        Peak(
          column: column, band: band, strength: value,
          columnOffset: Self.vertex(columns[before + band], value, columns[after + band]),
          bandOffset: Self.vertex(columns[row + band - 1], value, columns[row + band + 1])))
    }
  }

  /// Returns the vertex of the parabola through three values at −1, 0 and 1, limited to ±0.5; 0 if an outer value is
  /// missing or all three are equal.
  private static func vertex(_ left: Float, _ center: Float, _ right: Float) -> Float {
    let curvature = left - 2 * center + right
    guard left.isFinite, right.isFinite, curvature < 0 else { return 0 }
    return min(max(0.5 * (left - right) / curvature, -0.5), 0.5)
  }
}
