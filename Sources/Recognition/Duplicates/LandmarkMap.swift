internal import Landmarks

/// The landmarks of a signature by band.
struct LandmarkMap: Sendable {
  static let bandCount = Landmark.bandCount

  let columnCount: Int
  /// In order of column.
  let landmarks: [Landmark]
  /// The columns of all bands, one band after the other, ascending within each.
  let columns: [Int32]
  /// Where in `columns` each band begins; one more at the end.
  let starts: [Int]
  /// Where landmarks are: a bit for each column, in words of 64, one band after the other.
  private let bits: [UInt64]
  private let wordsPerBand: Int

  init(_ signature: Signature) {
    let landmarks = signature.landmarks
    columnCount = signature.columnCount
    self.landmarks = landmarks
    var counts = [Int](repeating: 0, count: Self.bandCount + 1)
    for landmark in landmarks { counts[landmark.band + 1] += 1 }
    for band in 0..<Self.bandCount { counts[band + 1] += counts[band] }
    starts = counts
    var columns = [Int32](repeating: 0, count: landmarks.count)
    let words = columnCount / 64 + 1
    var bits = [UInt64](repeating: 0, count: words * Self.bandCount)
    for landmark in landmarks {
      columns[counts[landmark.band]] = Int32(landmark.column)
      counts[landmark.band] += 1
      bits[landmark.band * words + landmark.column / 64] |= 1 << UInt64(landmark.column % 64)
    }
    self.columns = columns
    self.bits = bits
    wordsPerBand = words
  }

  func has(_ column: Int, band: Int) -> Bool {
    guard column >= 0, column < columnCount, band >= 0, band < Self.bandCount else { return false }
    return bits[band * wordsPerBand + column / 64] >> UInt64(column % 64) & 1 == 1
  }
}
