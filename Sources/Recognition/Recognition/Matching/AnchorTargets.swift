internal import Landmarks

/// The peaks that an anchor may form pairs with, the strongest first.
struct AnchorTargets {
  private let columns: [Float]
  private let bands: [Float]
  /// The place of each peak in the order by strength, and the peaks in this order.
  private let places: [Int]
  private let order: [Int]
  /// Peaks near the anchor, by their places.
  private var near: [UInt64]
  private var word = 0

  /// - Parameter peaks: In order of column.
  init(_ peaks: [RankedPeaks.Peak], order: [Int]) {
    columns = peaks.map(\.column)
    bands = peaks.map(\.band)
    self.order = order
    var places = [Int](repeating: 0, count: peaks.count)
    for (place, index) in order.enumerated() { places[index] = place }
    self.places = places
    near = [UInt64](repeating: 0, count: peaks.count / 64 + 1)
  }

  private static let shortest: Float = 1.5
  private static let longest = Float(LandmarkPair.gaps.upperBound)
  private static let widest = Float(LandmarkPair.intervals.upperBound)

  /// Begins with the targets of another anchor.
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
            // Peaks are in order of whole columns: by the fraction of one they may be out of it.
            var next = anchor + 1
            while next < count {
              let gap = columns[next] - column
              if gap > Self.longest + 1 { break }
              let isNear = abs(bands[next] - band) <= Self.widest && gap >= Self.shortest && gap <= Self.longest
              let place = places[next]
              // Without a branch, which no processor could predict.
              near[place >> 6] |= (isNear ? 1 : 0) &<< UInt64(truncatingIfNeeded: place)
              next += 1
            }
          }
        }
      }
    }
  }

  /// The next target's index, if there is one.
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
