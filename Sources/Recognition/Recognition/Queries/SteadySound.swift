internal import Landmarks

/// Steady parts of a spectrum: the mains' hum, a test tone, a held chord of an organ. A tone that goes on says nothing
/// of when, and so nothing of what.
enum SteadySound {
  /// Columns that are looked at together, one second, as a power of two.
  private static let columnsLog2 = 5
  /// The most that the level may change meanwhile: noise changes by more, and music too.
  private static let range = 3 * Int32(LandmarkSpectrum.levelsPerDecibel)

  /// Whether nothing changes for half a second before and after each place.
  /// - Parameter levels: Columns of `LandmarkSpectrum`, one after another.
  static func places(in levels: [Int32]) -> [Bool] {
    var isSteady = [Bool](repeating: false, count: levels.count)
    let bandCount = LandmarkSpectrum.bandCount
    let columnCount = levels.count / bandCount
    let length = 1 << columnsLog2
    guard columnCount > length else { return isSteady }
    // The highest and the lowest level from each column on: of 2, 4, 8 … columns.
    var highest = levels
    var lowest = levels
    highest.withUnsafeMutableBufferPointer { highest in
      lowest.withUnsafeMutableBufferPointer { lowest in
        for step in 0..<columnsLog2 {
          let distance = bandCount << step
          for place in 0..<levels.count - bandCount * ((2 << step) - 1) {
            highest[place] = max(highest[place], highest[place &+ distance])
            lowest[place] = min(lowest[place], lowest[place &+ distance])
          }
        }
        for column in 0..<columnCount {
          let first = min(max(column - length / 2, 0), columnCount - length) * bandCount
          for band in 0..<bandCount {
            isSteady[column * bandCount + band] = highest[first + band] &- lowest[first + band] <= range
          }
        }
      }
    }
    return isSteady
  }
}
