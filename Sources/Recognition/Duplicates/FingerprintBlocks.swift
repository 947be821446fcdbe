internal import Chromaprint

/// A fingerprint divided into blocks of items, which are searched for in another fingerprint.
///
/// Up to 8% of the bits differ between encodings of one recording, and half of them between unrelated music. For tracks
/// with the same key and drum machine, the share is between these values.
struct FingerprintBlocks: SoundBlocks {
  /// One item per 1,365 samples at 11,025 Hz.
  static let framesPerSecond = 11_025.0 / 1_365
  static let length = 32
  static let minScore = 0.6
  static let tolerance = 2.0

  private static let placeCount = 3
  /// Minimum number of distinct items in a distinctive block.
  private static let minDistinctItems = 8
  /// Maximum share of bits that may differ at a place.
  private static let maxDifference = 0.3

  let blockCount: Int
  private let own: [UInt32]
  private let other: [UInt32]

  init(_ own: Fingerprint, in other: Fingerprint) {
    self.own = own.items
    self.other = other.items
    blockCount = own.items.count / Self.length
  }

  func isAudible(_ block: Int) -> Bool {
    Set(own[block * Self.length..<(block + 1) * Self.length]).count >= Self.minDistinctItems
  }

  func places(of block: Int) -> [BlockPlace] {
    let first = block * Self.length
    guard other.count >= Self.length else { return [] }
    let most = Int32(Self.maxDifference * Double(32 * Self.length))
    var alike = [Int32](repeating: 0, count: other.count - Self.length + 1)
    for start in alike.indices {
      var differences: Int32 = 0
      for index in 0..<Self.length {
        differences += Int32((own[first + index] ^ other[start + index]).nonzeroBitCount)
      }
      alike[start] = max(0, most - differences)
    }
    return Self.best(Self.placeCount, of: alike, least: 1, distance: 3).map {
      BlockPlace(offset: $0 - first, score: Self.score(ofDifferences: Int(most - alike[$0])))
    }
  }

  func score(of block: Int, at place: Double, speed: Double) -> Double {
    let first = block * Self.length
    var best = Int.max
    for trial in -1...1 {
      var (differences, count) = (0, 0)
      for index in 0..<Self.length {
        let target = Int((Double(first) + place + Double(index) * speed).rounded()) + trial
        guard other.indices.contains(target) else { continue }
        differences += (own[first + index] ^ other[target]).nonzeroBitCount
        count += 1
      }
      guard count >= Self.length / 2 else { continue }
      best = min(best, differences * Self.length / count)
    }
    return best == .max ? 0 : Self.score(ofDifferences: best)
  }

  /// Returns a score that falls from 1 for identical bits to 0 if at least half of them differ.
  private static func score(ofDifferences count: Int) -> Double {
    max(0, 1 - 2 * Double(count) / Double(32 * length))
  }
}
