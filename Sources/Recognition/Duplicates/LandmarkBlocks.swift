internal import Foundation
internal import Landmarks

/// The landmarks of a track, divided into blocks that are searched for in another track.
///
/// Encoders keep about half of the landmarks in place, to within a column; 2% match landmarks of other music by chance.
struct LandmarkBlocks: SoundBlocks {
  static let framesPerSecond = LandmarkSpectrum.columnsPerSecond
  static let length = 125
  static let minScore = 0.25
  static let tolerance = 4.0

  /// Minimum number of landmarks in an audible block.
  private static let minLandmarks = 30
  /// Maximum number of places per block.
  private static let placeCount = 4

  let blockCount: Int
  private let own: LandmarkMap
  private let other: LandmarkMap
  /// Index range of each block's landmarks.
  private let ranges: [Range<Int>]

  init(_ own: LandmarkMap, in other: LandmarkMap) {
    self.own = own
    self.other = other
    blockCount = own.columnCount / Self.length
    var ranges: [Range<Int>] = []
    var start = 0
    for block in 0..<blockCount {
      var end = start
      while end < own.landmarks.count, own.landmarks[end].column < (block + 1) * Self.length { end += 1 }
      ranges.append(start..<end)
      start = end
    }
    self.ranges = ranges
  }

  func isAudible(_ block: Int) -> Bool { ranges[block].count >= Self.minLandmarks }

  func places(of block: Int) -> [BlockPlace] {
    let first = block * Self.length
    // The block may start before the other track, by up to its own length.
    var counts = [Int32](repeating: 0, count: other.columnCount + Self.length + 2)
    other.columns.withUnsafeBufferPointer { columns in
      counts.withUnsafeMutableBufferPointer { counts in
        for landmark in own.landmarks[ranges[block]] {
          let shift = Self.length - (landmark.column - first)
          for place in other.starts[landmark.band]..<other.starts[landmark.band + 1] {
            counts[Int(columns[place]) + shift] += 1
          }
        }
      }
    }
    // Landmarks may move by a column.
    var sums = [Int32](repeating: 0, count: counts.count)
    for index in 1..<counts.count - 1 { sums[index] = counts[index - 1] + counts[index] + counts[index + 1] }
    let size = Double(ranges[block].count)
    return Self.best(Self.placeCount, of: sums, least: Int32(size * 0.1) + 1, distance: 3).map {
      BlockPlace(offset: $0 - Self.length - first, score: Double(sums[$0]) / size)
    }
  }

  func score(of block: Int, at place: Double, speed: Double) -> Double {
    let landmarks = own.landmarks[ranges[block]]
    guard !landmarks.isEmpty else { return 0 }
    let first = Double(block * Self.length)
    let bands = Self.bands(atSpeed: speed)
    var best = 0
    for trial in -2...2 {
      var count = 0
      for landmark in landmarks {
        let column = Int((first + place + (Double(landmark.column) - first) * speed).rounded()) + trial
        for band in bands
        where other.has(column - 1, band: landmark.band + band)
          || other.has(column, band: landmark.band + band) || other.has(column + 1, band: landmark.band + band)
        {
          count += 1
          break
        }
      }
      best = max(best, count)
    }
    return Double(best) / Double(landmarks.count)
  }

  /// Returns by how many bands landmarks may be higher in the other recording, as a range; there are 36 bands per
  /// octave.
  /// - Parameter speed: Frames of the other recording per frame of this one.
  static func bands(atSpeed speed: Double) -> ClosedRange<Int> {
    let shift = -36 * log2(speed)
    return speed == 1 ? 0...0 : Int(shift.rounded(.down))...Int(shift.rounded(.up))
  }
}
