internal import Landmarks

/// The peaks with which an anchor may form pairs, strongest first.
struct AnchorTargets {
  private let columns: [Float]
  private let bands: [Float]
  /// Position of each peak in `order`.
  private let places: [Int]
  /// Indices of the peaks, strongest first.
  private let order: [Int]
  /// A bit set of the peaks near the anchor, by their position in `order`.
  private var near: [UInt64]
  private var word = 0

  /// - Parameter peaks: The peaks, ordered by column.
  init(_ peaks: [RankedPeaks.Peak], order: [Int]) {
    columns = peaks.map(\.column)
    bands = peaks.map(\.band)
    self.order = order
    var places = [Int](repeating: 0, count: peaks.count)
    for (place, index) in order.enumerated() { places[index] = place }
    self.places = places
    near = [UInt64](repeating: 0, count: peaks.count / 64 + 1)
  }

  private static let minGap: Float = 1.5
  private static let maxGap = Float(LandmarkPair.gaps.upperBound)
  private static let maxInterval = Float(LandmarkPair.intervals.upperBound)

  /// Starts to iterate over the targets of an anchor.
  mutating func begin(_ anchor: Int) {
    for index in near.indices { near[index] = 0 }
    word = 0
    let column = columns[anchor]
    let band = bands[anchor]
    let count = columns.count
    columns.withUnsafeBufferPointer { columns in
      bands.withUnsafeBufferPointer { bands in
        places.withUnsafeBufferPointer { places in
          near.withUnsafeMutableBufferPointer { near in
            // Peaks are ordered by whole columns, so their exact places may be out of order by a fraction of a column.
            var next = anchor + 1
            while next < count {
              let gap = columns[next] - column
              if gap > Self.maxGap + 1 { break }
              let isNear = abs(bands[next] - band) <= Self.maxInterval && gap >= Self.minGap && gap <= Self.maxGap
              let place = places[next]
              // This is branchless, because the branch would be unpredictable.
              near[place >> 6] |= (isNear ? 1 : 0) &<< UInt64(truncatingIfNeeded: place)
              next += 1
            }
          }
        }
      }
    }
  }

  /// Returns the index of the next target; `nil` if there is none.
  mutating func next() -> Int? {
    while word < near.count {
      let bits = near[word]
      if bits != 0 {
        near[word] = bits & (bits - 1)
        return order[word * 64 + bits.trailingZeroBitCount]
      }
      word += 1
    }
    return nil
  }
}
