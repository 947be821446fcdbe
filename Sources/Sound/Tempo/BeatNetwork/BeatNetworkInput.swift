/// The input of `BeatNetwork`. Each frame covers two columns and contains, for about every third of an octave, the rise
/// in the first column, the rise in the second, and the level relative to its mean.
struct BeatNetworkInput {
  /// Number of neighboring bands that are combined into a group.
  static let bandsPerGroup = 3
  private static let groupCount = BandSpectrogram.bandCount / bandsPerGroup
  /// Number of values per frame.
  static let width = 3 * groupCount
  static let framesPerSecond = OnsetEnvelopes.columnsPerSecond / 2
  /// Factor that brings the standard deviation of the rises near 1.
  private static let riseScale: Float = 4
  /// The mean rise, which is subtracted before scaling.
  private static let meanRise: Float = 0.05
  /// Factor that brings the standard deviation of the levels near 1.
  private static let levelScale: Float = 0.35

  let frameCount: Int
  /// All frames that the first layer of the network reads, including a frame of zeros before the first and after the
  /// last one.
  private(set) var paddedValues: [Float]
  static let padding = 1

  /// - Parameter columnCount: Number of columns. If it is odd, the last column is ignored.
  init(columnCount: Int) {
    frameCount = columnCount / 2
    paddedValues = [Float](repeating: 0, count: (frameCount + 2 * Self.padding) * Self.width)
    for frame in 0..<frameCount {
      let row = Self.row(frame)
      for place in 0..<2 * Self.groupCount { paddedValues[row + place] = -Self.riseScale * Self.meanRise }
    }
  }

  /// Returns the index of the first value of a frame in `paddedValues`.
  @inline(__always)
  private static func row(_ frame: Int) -> Int { (padding + frame) * width }

  subscript(frame: Int) -> ArraySlice<Float> { paddedValues[Self.row(frame)..<Self.row(frame + 1)] }

  /// - Parameters:
  ///   - levels: Log levels of the column's bands.
  ///   - rises: Rectified rises of the same bands.
  @inline(__always)
  mutating func add(column: Int, levels: UnsafePointer<Float>, rises: UnsafePointer<Float>) {
    guard column < 2 * frameCount else { return }
    let row = Self.row(column / 2)
    let rising = row + column % 2 * Self.groupCount
    let level = row + 2 * Self.groupCount
    paddedValues.withUnsafeMutableBufferPointer { values in
      for group in 0..<Self.groupCount {
        let band = group * Self.bandsPerGroup
        let rise = unsafe rises[band] + rises[band + 1] + rises[band + 2]
        unsafe values[rising + group] += Self.riseScale / Float(Self.bandsPerGroup) * rise
        unsafe values[level + group] += levels[band] + levels[band + 1] + levels[band + 2]
      }
    }
  }

  /// Subtracts the mean level of each group, and scales the levels. Call it after the last column.
  mutating func finish() {
    for place in 2 * Self.groupCount..<Self.width {
      var sum = 0.0
      for frame in 0..<frameCount { sum += Double(paddedValues[Self.row(frame) + place]) }
      let mean = Float(sum / Double(max(frameCount, 1)))
      for frame in 0..<frameCount {
        let index = Self.row(frame) + place
        paddedValues[index] = Self.levelScale / Float(Self.bandsPerGroup) * (paddedValues[index] - mean)
      }
    }
  }
}
