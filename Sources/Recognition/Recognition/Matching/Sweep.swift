internal import CKernels
internal import Landmarks

/// Scores successive places of a track. Their distance is the number of displacements that are tried together.
///
/// From one place to the next, all landmarks move by the same number of columns, so their positions in the filter are
/// computed only once.
struct Sweep {
  private let filter: MatchedFilter
  /// Column of each landmark in the query at the first place.
  private var columns: [Int] = []
  /// Offset of each landmark in the filter at the first place.
  private var offsets: [Int] = []
  private var weights: [Int16] = []
  /// Prefix sums of the squared weights.
  private var squares = [0]
  /// Number of columns from the first place to the next one.
  private var shift = 0
  /// Range of the landmarks that are in the query at the next place without displacement.
  private var inner = 0..<0
  /// Range of the landmarks that are in the query at the next place at any displacement.
  private var outer = 0..<0

  /// - Parameters:
  ///   - points: The landmarks, ordered by column.
  ///   - placement: The first place.
  init(_ filter: MatchedFilter, _ points: MatchedFilter.Points, _ placement: MatchedFilter.Placement) {
    self.filter = filter
    columns.reserveCapacity(points.count)
    offsets.reserveCapacity(points.count)
    weights.reserveCapacity(points.count)
    squares.reserveCapacity(points.count + 1)
    var sum = 0
    for point in points {
      let place = filter.place(of: point, placement)
      guard (0..<filter.bandCount).contains(place.band) else { continue }
      columns.append(place.column)
      offsets.append(place.band * filter.stride + FilterRows.padding - MatchedFilter.lanes / 2 + place.column)
      let weight = cmatchedfilter_weight(point.strength)
      weights.append(weight)
      sum += Int(weight) * Int(weight)
      squares.append(sum)
    }
  }

  /// Returns z for the 16 displacements at the next place.
  @inline(__always)
  mutating func next() -> SIMD16<Float> {
    let margin = MatchedFilter.lanes / 2
    advance(&inner, to: shift..<shift + filter.columnCount)
    advance(&outer, to: shift - margin..<shift + filter.columnCount + margin)
    var sums = MatchedFilter.Sums.zero
    offsets.withUnsafeBufferPointer { offsets in
      weights.withUnsafeBufferPointer { weights in
        guard let first = offsets.baseAddress, let firstWeight = weights.baseAddress else { return }
        unsafe withUnsafeMutableBytes(of: &sums) { sums in
          unsafe cmatchedfilter_add_at(
            filter.values - shift, first + outer.lowerBound, firstWeight + outer.lowerBound, outer.count,
            sums.assumingMemoryBound(to: Int32.self).baseAddress)
        }
      }
    }
    shift += MatchedFilter.lanes
    return MatchedFilter.scores(
      sums, count: inner.count, squares: squares[inner.upperBound] - squares[inner.lowerBound])
  }

  /// Advances a range of landmarks to those whose columns are within the limits.
  private func advance(_ range: inout Range<Int>, to limits: Range<Int>) {
    var (first, end) = (range.lowerBound, range.upperBound)
    while end < columns.count, columns[end] < limits.upperBound { end += 1 }
    while first < end, columns[first] < limits.lowerBound { first += 1 }
    range = first..<end
  }
}
