internal import CKernels
internal import Landmarks
internal import Mathematics

/// Verifies places in a track against a query: overlays the landmarks of the track on the query's whitened spectrum,
/// and sums the spectrum's values at the landmarks.
///
/// Landmarks are weighted by strength, because values at stronger landmarks are higher on average, whatever the noise.
/// z is the weighted sum divided by the square root of the sum of the squared weights. For landmarks of another track,
/// z is roughly normally distributed.
struct MatchedFilter {
  /// The position of a track's landmarks in the query.
  struct Placement {
    /// Column of the track at the center of the query.
    var center: Float
    /// Number of track columns per query column. It is above 1 if the clip is faster than the track.
    var slope: Float
    /// Number of bands by which the clip is higher than the track.
    var shift: Int

    /// `true` if the clip is played at the speed and pitch of the track.
    var isNeutral: Bool { abs(slope - 1) < 0.004 && shift == 0 }

    /// The same place at the speed and pitch of the track.
    var neutral: Placement { Placement(center: center, slope: 1, shift: 0) }

    /// Converts the placement to one in a query that is a part of the current query.
    func moved(fromColumnCount whole: Int, to part: Range<Int>) -> Placement {
      let distance = Float(part.lowerBound + part.upperBound - whole) / 2
      return Placement(center: center + slope * distance, slope: slope, shift: shift)
    }

    /// Converts the placement to one in the query of which the current query is a part.
    func moved(from part: Range<Int>, toColumnCount whole: Int) -> Placement {
      let distance = Float(part.lowerBound + part.upperBound - whole) / 2
      return Placement(center: center - slope * distance, slope: slope, shift: shift)
    }

    /// `true` if the slope and the shift are consistent with a change in speed, tempo or pitch.
    var isConsistent: Bool {
      abs(Float(shift) - Float(LandmarkSpectrum.bandsPerOctave) * log2(slope)) <= 1 || abs(shift) <= 1
        || abs(slope - 1) <= 0.01
    }
  }

  /// A landmark in the layout of `cmatchedfilter_landmark`.
  typealias Point = PackedLandmark

  /// The filter's value at a landmark.
  struct Value {
    /// Column of the query.
    var column: Int
    var value: Float
  }

  /// Number of displacements that are tried together: −8 to 7 columns.
  static let lanes = Int(CMATCHEDFILTER_LANES)
  /// Minimum number of landmarks for a score.
  static let minimumCount = 15

  let values: UnsafePointer<Int16>
  let stride: Int
  let columnCount: Int
  let bandCount = LandmarkSpectrum.bandCount

  /// - Parameter values: The values of the rows. The memory must outlive this instance.
  private init(_ rows: FilterRows, values: UnsafePointer<Int16>) {
    self.values = values
    stride = rows.stride
    columnCount = rows.columnCount
  }

  /// Calls `body` with a filter for a query's spectrum. Returns `nil` if the spectrum has no columns.
  static func with<R>(_ rows: FilterRows, _ body: (MatchedFilter) -> R) -> R? {
    rows.values.withUnsafeBufferPointer { values in
      guard let base = values.baseAddress, rows.columnCount > 0 else { return nil }
      return body(MatchedFilter(rows, values: base))
    }
  }

  /// Returns the filter's values at the landmarks that a placement puts inside the query, in the order of `points`.
  func values(_ points: UnsafeBufferPointer<Point>, _ placement: Placement) -> [Value] {
    points.compactMap { point in
      let place = place(of: point, placement)
      guard (0..<bandCount).contains(place.band), (0..<columnCount).contains(place.column) else { return nil }
      return Value(column: place.column, value: value(column: place.column, band: place.band))
    }
  }

  /// Returns z for 16 displacements of the query against the track. Lane 8 is the one without displacement.
  func scores(_ points: UnsafeBufferPointer<Point>, _ placement: Placement) -> SIMD16<Float> {
    let inverse = 1 / placement.slope
    let origin = Float(columnCount) / 2 - placement.center * inverse + 0.5
    var rows = cmatchedfilter_rows(
      values: values + FilterRows.padding, row_step: stride, column_count: Int32(columnCount),
      band_count: Int32(bandCount))
    var lines = cmatchedfilter_placement(inverse: inverse, origin: origin, shift: Int32(placement.shift))
    var score = cmatchedfilter_score()
    points.withMemoryRebound(to: cmatchedfilter_landmark.self) { points in
      unsafe cmatchedfilter_add(&rows, points.baseAddress, points.count, &lines, &score)
    }
    return Self.scores(unsafeBitCast(score.sums, to: Sums.self), count: Int(score.count), squares: Int(score.squares))
  }

  typealias Sums = SIMD16<Int32>

  /// Returns z for each lane.
  /// - Parameters:
  ///   - count: Number of landmarks within the query when there is no displacement.
  ///   - squares: Sum of the squared weights of these landmarks.
  static func scores(_ sums: Sums, count: Int, squares: Int) -> SIMD16<Float> {
    guard count >= minimumCount else { return .zero }
    return SIMD16<Float>(sums) * (1 / (FilterRows.steps * Float(squares).squareRoot()))
  }

  /// Returns the range of track columns that may be in the query, at this or a neighboring placement.
  func reach(of placement: Placement) -> ClosedRange<Float> {
    let reach = (Float(columnCount) / 2 * 1.02 + Float(Self.lanes)) * placement.slope
    return placement.center - reach...placement.center + reach
  }

  /// Returns the place of a landmark in the query.
  func place(of point: Point, _ placement: Placement) -> (column: Int, band: Int) {
    let column = (Float(point.column) - placement.center) / placement.slope + Float(columnCount) / 2
    return ((column + 0.5).floor, Int(point.band) + placement.shift)
  }

  /// Returns the value of the query's spectrum at a place, in units of a standard deviation divided by
  /// `FilterRows.steps`.
  func value(column: Int, band: Int) -> Float { Float(values[band * stride + FilterRows.padding + column]) }

  /// Returns the best z near a placement, and the placement where it is reached.
  @inline(__always)
  func best(_ points: UnsafeBufferPointer<Point>, _ placement: Placement) -> (z: Float, placement: Placement) {
    best(of: scores(points, placement), placement)
  }

  /// Returns the best z of 16 displacements, and the placement displaced accordingly.
  @inline(__always)
  func best(of scores: SIMD16<Float>, _ placement: Placement) -> (z: Float, placement: Placement) {
    var lane = 0
    for other in 1..<Self.lanes where scores[other] > scores[lane] { lane = other }
    var moved = placement
    moved.center -= Float(lane - Self.lanes / 2) * placement.slope
    return (scores[lane], moved)
  }

  /// Returns the best z at a shift of 3 to 12 bands up or down. It is high if any music with this rhythm would fit.
  func bestShifted(_ points: UnsafeBufferPointer<Point>, _ placement: Placement) -> Float {
    var best: Float = 0
    for distance in 3...12 {
      for sign in [-1, 1] {
        var shifted = placement
        shifted.shift += sign * distance
        best = max(best, scores(points, shifted).max())
      }
    }
    return best
  }
}
