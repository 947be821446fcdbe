internal import Fingerprinting

/// Where a spectrum stands still: the mains' hum, a test tone, a held chord of an organ. A tone that goes on says nothing of
/// when, and so nothing of what.
enum SteadySound {
  /// Columns that are looked at together, one second, as a power of two.
  private static let columnsLog2 = 5
  /// What the level may change by meanwhile: noise changes by more, and music too.
  private static let range = 3 * Int32(LandmarkSpectrum.levelsPerDecibel)

  /// Takes away what was heard where nothing changes for half a second before and after.
  /// - Parameters:
  ///   - picture: How likely landmarks are, one column after another.
  ///   - levels: Columns of `LandmarkSpectrum`, one after another.
  static func remove(from picture: inout [Float], _ levels: [Int32]) {
    let bandCount = LandmarkSpectrum.bandCount
    let columnCount = levels.count / bandCount
    let length = 1 << columnsLog2
    guard columnCount > length else { return }
    // Of each column, the highest and the lowest level from there on: of 2, 4, 8 … columns.
    var highest = levels
    var lowest = levels
    for step in 0..<columnsLog2 {
      let distance = bandCount << step
      let count = levels.count - bandCount * ((2 << step) - 1)
      for place in 0..<count {
        highest[place] = max(highest[place], highest[place + distance])
        lowest[place] = min(lowest[place], lowest[place + distance])
      }
    }
    for column in 0..<columnCount {
      let first = min(max(column - length / 2, 0), columnCount - length) * bandCount
      for band in 0..<bandCount where highest[first + band] - lowest[first + band] <= range {
        picture[column * bandCount + band] = 0
      }
    }
  }
}
