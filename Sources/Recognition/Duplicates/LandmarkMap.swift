internal import Landmarks

/// The landmarks of a signature, indexed by band.
struct LandmarkMap: Sendable {
  static let bandCount = Landmark.bandCount

  let columnCount: Int
  /// Ordered by column.
  let landmarks: [Landmark]
  /// Columns of the landmarks, band by band, ascending within each band.
  let columns: [Int32]
  /// Start of each band in `columns`, followed by the end of the last band.
  let starts: [Int]
  /// Bitmap of the landmarks, band by band: one bit per column, in 64-bit words.
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
