/// A sound in blocks of some four seconds, each of which can be looked for in another sound. Times are in frames: columns of
/// landmarks, or items of a fingerprint.
protocol SoundBlocks {
  static var framesPerSecond: Double { get }
  /// Frames of a block; one begins where the one before ends.
  static var length: Int { get }
  /// How alike blocks of one recording are at least, 0 to 1.
  static var leastScore: Double { get }
  /// Frames by which a block may be elsewhere than its line says.
  static var tolerance: Double { get }

  var blockCount: Int { get }
  /// Whether a block has enough sound to be told from others.
  func isAudible(_ block: Int) -> Bool
  /// Where a block may lie in the other sound: how many frames later, best first.
  func places(of block: Int) -> [BlockPlace]
  /// How alike a block and the other sound are at a place, 0 to 1.
  /// - Parameter speed: Frames of the other sound for each frame of this one.
  func score(of block: Int, at place: Double, speed: Double) -> Double
}

/// Where a block may lie in the other sound.
struct BlockPlace: Hashable, Sendable {
  /// Frames of the other sound at which the block begins, less frames of this one.
  var offset: Int
  /// 0 to 1.
  var score: Double
}

extension SoundBlocks {
  /// Those places that are no neighbors of better ones.
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
