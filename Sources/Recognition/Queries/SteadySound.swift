internal import Landmarks

/// Steady parts of a spectrum: the mains' hum, a test tone, a held chord of an organ. A tone that goes on says nothing
/// of when, and so nothing of what.
enum SteadySound {
  /// Columns that are looked at together: one second.
  private static let length = 32
  /// The most that the level may change meanwhile: noise changes by more, and music too.
  private static let range = 3 * Int32(LandmarkSpectrum.levelsPerDecibel)

  /// Whether nothing changes for half a second before and after each place.
  /// - Parameter levels: Columns of `LandmarkSpectrum`, one after another.
  static func places(in levels: [Int32]) -> [Bool] {
    var isSteady = [Bool](repeating: false, count: levels.count)
    let bandCount = LandmarkSpectrum.bandCount
    let columnCount = levels.count / bandCount
    guard columnCount > length else { return isSteady }
    let lastStart = columnCount - length
    levels.withUnsafeBufferPointer { levels in
      for start in 0...lastStart {
        // The columns around which this second lies, or that are nearer to the edge.
        let first = start == 0 ? 0 : start + length / 2
        let end = start == lastStart ? columnCount : start + length / 2 + 1
        for band in 0..<bandCount where Self.isSteady(levels, from: start * bandCount + band) {
          for column in first..<end { isSteady[column * bandCount + band] = true }
        }
      }
    }
    return isSteady
  }

  /// Whether a band stays within the range. Two levels half a second apart mostly show that it does not.
  @inline(__always)
  private static func isSteady(_ levels: UnsafeBufferPointer<Int32>, from place: Int) -> Bool {
    let bandCount = LandmarkSpectrum.bandCount
    let first = levels[place]
    guard abs(first &- levels[place &+ bandCount * (length / 2)]) <= range else { return false }
    var (lowest, highest) = (first, first)
    for column in 1..<length {
      let level = levels[place &+ bandCount &* column]
      lowest = min(lowest, level)
      highest = max(highest, level)
      if highest &- lowest > range { return false }
    }
    return true
  }
}
