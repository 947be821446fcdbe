internal import Landmarks

/// Detects the steady parts of a spectrum: mains hum, a test tone, a held organ chord. A continuous tone reveals
/// nothing about the position in a track, and little about which track it is.
enum SteadySound {
  /// Binary logarithm of the number of columns in the one-second window.
  private static let columnsLog2 = 5
  /// Maximum change of the level within the window. Noise and music change more.
  private static let range = 3 * Int32(LandmarkSpectrum.levelsPerDecibel)

  /// Marks the places where the level stays within 3 dB for half a second before and after.
  /// - Parameter levels: Columns of `LandmarkSpectrum`, one after the other.
  static func places(in levels: [Int32]) -> [Bool] {
    var isSteady = [Bool](repeating: false, count: levels.count)
    let bandCount = LandmarkSpectrum.bandCount
    let columnCount = levels.count / bandCount
    let length = 1 << columnsLog2
    guard columnCount > length else { return isSteady }
    // Maximum and minimum over 2, 4, 8 … columns, starting at each column.
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
