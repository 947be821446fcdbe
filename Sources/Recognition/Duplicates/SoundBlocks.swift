/// A recording divided into blocks of about four seconds, each of which can be searched for in another recording. Times
/// are in frames: landmark columns or fingerprint items.
protocol SoundBlocks {
  static var framesPerSecond: Double { get }
  /// Number of frames per block; blocks are contiguous.
  static var length: Int { get }
  /// Minimum similarity of blocks from the same recording, 0 to 1.
  static var minScore: Double { get }
  /// Maximum deviation of a block from its line, in frames.
  static var tolerance: Double { get }

  var blockCount: Int { get }
  /// `true` if a block has enough content to be distinctive.
  func isAudible(_ block: Int) -> Bool
  /// Returns the candidate places of a block in the other recording, best first.
  func places(of block: Int) -> [BlockPlace]
  /// Returns the similarity of a block to the other recording at a place, 0 to 1.
  /// - Parameter speed: Frames of the other recording per frame of this one.
  func score(of block: Int, at place: Double, speed: Double) -> Double
}

/// A candidate place of a block in the other recording.
struct BlockPlace: Hashable, Sendable {
  /// Start of the block in the other recording minus its start in this one, in frames.
  var offset: Int
  /// Similarity, 0 to 1.
  var score: Double
}

extension SoundBlocks {
  /// Returns the indices of up to `count` local maxima: the highest scores that are at least `least` and whose indices
  /// are more than `distance` apart.
  static func best(_ count: Int, of scores: [Int32], least: Int32, distance: Int) -> [Int] {
    var left = scores.indices.filter { scores[$0] >= least }
    var chosen: [Int] = []
    while chosen.count < count, let best = left.max(by: { (scores[$0], $1) < (scores[$1], $0) }) {
      chosen.append(best)
      left.removeAll { abs($0 - best) <= distance }
    }
    return chosen
  }
}
