internal import Chromaprint

/// A fingerprint in blocks of its items, looked for in another one.
///
/// Of the bits of encodings of one recording up to 8% differ, of those of other music half; tracks of one key and one
/// drum machine lie between.
struct FingerprintBlocks: SoundBlocks {
  /// One for each 1,365 samples at 11,025 Hz.
  static let framesPerSecond = 11_025.0 / 1_365
  static let length = 32
  static let leastScore = 0.6
  static let tolerance = 2.0

  private static let placeCount = 3
  /// Different items that a block needs to be told from others.
  private static let leastDifferent = 8
  /// A place where more of the bits differ is none.
  private static let mostDifferent = 0.3

  let blockCount: Int
  private let own: [UInt32]
  private let other: [UInt32]

  init(_ own: Fingerprint, in other: Fingerprint) {
    self.own = own.items
    self.other = other.items
    blockCount = own.items.count / Self.length
  }

  func isAudible(_ block: Int) -> Bool {
    Set(own[block * Self.length..<(block + 1) * Self.length]).count >= Self.leastDifferent
  }

  func places(of block: Int) -> [BlockPlace] {
    let first = block * Self.length
    guard other.count >= Self.length else { return [] }
    let most = Int32(Self.mostDifferent * Double(32 * Self.length))
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

  /// 1 for the same bits, 0 where half of them differ.
  private static func score(ofDifferences count: Int) -> Double {
    max(0, 1 - 2 * Double(count) / Double(32 * length))
  }
}
