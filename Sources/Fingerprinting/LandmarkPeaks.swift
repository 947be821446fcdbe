/// Finds the local maxima of a whitened spectrum, column by column.
///
/// A peak is positive and no smaller than anything within `radius` bands and columns of it; of equals the earliest counts.
public struct LandmarkPeaks {
  /// A local maximum with its neighbours, from which its place between bands and columns can be told.
  public struct Peak: Sendable {
    public var column: Int
    public var band: Int
    /// dB over the surroundings.
    public var strength: Float
    /// Places of the vertices of the parabolas through the peak and its neighbours in the column before and after, and in
    /// the band below and above: −0.5 to 0.5.
    public var columnOffset: Float
    public var bandOffset: Float
  }

  private static let bandCount = LandmarkSpectrum.bandCount
  private let radius: Int
  /// The last `2 * radius + 1` whitened columns, padded by `radius` on both sides, and their maxima over neighbouring bands.
  private var columns: [[Float]]
  private var maxima: [[Float]]
  private var count = 0

  public init(radius: Int) {
    self.radius = radius
    let padded = [Float](repeating: -.infinity, count: Self.bandCount + 2 * radius)
    columns = Array(repeating: padded, count: 2 * radius + 1)
    maxima = Array(repeating: [Float](repeating: -.infinity, count: Self.bandCount), count: 2 * radius + 1)
  }

  /// Takes the next whitened column and appends the peaks of the column `radius` earlier, from low to high bands.
  public mutating func push(_ whitened: [Float], into peaks: inout [Peak]) {
    let slot = count % (2 * radius + 1)
    for band in 0..<Self.bandCount {
      columns[slot][radius + band] = whitened[band]
      maxima[slot][band] = whitened[band]
    }
    for distance in 1...radius {
      for band in 0..<Self.bandCount {
        let neighbours = max(columns[slot][radius + band - distance], columns[slot][radius + band + distance])
        maxima[slot][band] = max(maxima[slot][band], neighbours)
      }
    }
    count += 1
    if count > radius { find(in: count - 1 - radius, into: &peaks) }
  }

  /// Appends the peaks of the last columns.
  public mutating func finish(into peaks: inout [Peak]) {
    let first = max(0, count - radius)
    let last = count
    for column in first..<last {
      // What follows the end is below everything.
      let slot = count % (2 * radius + 1)
      for band in 0..<Self.bandCount { maxima[slot][band] = -.infinity }
      for band in 0..<Self.bandCount { columns[slot][radius + band] = -.infinity }
      count += 1
      find(in: column, into: &peaks)
    }
  }

  private func find(in column: Int, into peaks: inout [Peak]) {
    let length = 2 * radius + 1
    let here = column % length
    for band in 0..<Self.bandCount {
      let value = columns[here][radius + band]
      guard value > 0, value >= maxima[here][band] else { continue }
      var isPeak = true
      for distance in 1...radius {
        let before = (column + length - distance) % length
        let after = (column + distance) % length
        if maxima[before][band] >= value || maxima[after][band] > value {
          isPeak = false
          break
        }
      }
      guard isPeak else { continue }
      let before = columns[(column + length - 1) % length][radius + band]
      let after = columns[(column + 1) % length][radius + band]
      let below = columns[here][radius + band - 1]
      let above = columns[here][radius + band + 1]
      peaks.append(
        Peak(
          column: column, band: band, strength: value, columnOffset: Self.vertex(before, value, after),
          bandOffset: Self.vertex(below, value, above)))
    }
  }

  /// Where the parabola through three values at −1, 0 and 1 has its vertex; 0 at an edge.
  private static func vertex(_ left: Float, _ centre: Float, _ right: Float) -> Float {
    let curvature = left - 2 * centre + right
    guard left.isFinite, right.isFinite, curvature < 0 else { return 0 }
    return min(max(0.5 * (left - right) / curvature, -0.5), 0.5)
  }
}
