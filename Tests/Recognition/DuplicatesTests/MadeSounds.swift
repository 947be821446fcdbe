import AnalysisTesting
import Chromaprint
import Duplicates
import Foundation
import Landmarks

/// Recordings with known truth: landmarks at random places, and simulated encoders, cuts and speeds.
enum MadeSounds {
  static let columnsPerSecond = 31.25

  /// Landmarks of a piece of music: 30 per second.
  static func music(seed: UInt64, seconds: Double) -> [Landmark] {
    var random = SplitMix64(seed: seed)
    return sorted(
      (0..<Int(seconds * 30)).map { _ in
        Landmark(
          column: Int.random(in: 0..<Int(seconds * columnsPerSecond), using: &random),
          band: .random(in: 0..<138, using: &random),
          strength: .random(in: 1...15, using: &random))
      })
  }

  /// Simulates an encoder: a quarter of the landmarks moves elsewhere, the weaker ones first; some move by a column.
  static func encoded(_ landmarks: [Landmark], seed: UInt64) -> [Landmark] {
    var random = SplitMix64(seed: seed)
    let last = landmarks.map(\.column).max() ?? 0
    return sorted(
      landmarks.map { landmark in
        var landmark = landmark
        if Int.random(in: 0..<32, using: &random) > 16 + landmark.strength {
          landmark.column = .random(in: 0...last, using: &random)
          landmark.band = .random(in: 0..<138, using: &random)
        } else if Int.random(in: 0..<5, using: &random) == 0 {
          landmark.column = max(0, landmark.column - 1)
        }
        return landmark
      })
  }

  /// Simulates another encoder of lower quality: moves one in twenty landmarks.
  static func weaker(_ landmarks: [Landmark], seed: UInt64) -> [Landmark] {
    var random = SplitMix64(seed: seed)
    let last = landmarks.map(\.column).max() ?? 0
    return sorted(
      landmarks.map { landmark in
        guard Int.random(in: 0..<20, using: &random) == 0 else { return landmark }
        return Landmark(
          column: .random(in: 0...last, using: &random), band: .random(in: 0..<138, using: &random),
          strength: landmark.strength)
      })
  }

  /// Simulates playback up to 2% faster: landmarks come earlier, and some are a band higher (36 bands per octave).
  static func faster(_ landmarks: [Landmark], by factor: Double) -> [Landmark] {
    var random = SplitMix64(seed: 99)
    let shift = 36 * log2(factor)
    return sorted(
      landmarks.compactMap {
        let band = $0.band + (Double.random(in: 0..<1, using: &random) < shift ? 1 : 0)
        return band < 138
          ? Landmark(column: Int((Double($0.column) / factor).rounded()), band: band, strength: $0.strength) : nil
      })
  }

  static func slice(_ landmarks: [Landmark], from start: Double, to end: Double) -> [Landmark] {
    let (first, last) = (Int(start * columnsPerSecond), Int(end * columnsPerSecond))
    return landmarks.filter { (first..<last).contains($0.column) }.map {
      Landmark(column: $0.column - first, band: $0.band, strength: $0.strength)
    }
  }

  /// Concatenates parts, each with its duration in seconds.
  static func joined(_ parts: [(landmarks: [Landmark], seconds: Double)]) -> [Landmark] {
    var (all, start): ([Landmark], Double) = ([], 0)
    for part in parts {
      let shift = Int(start * columnsPerSecond)
      all += part.landmarks.map { Landmark(column: $0.column + shift, band: $0.band, strength: $0.strength) }
      start += part.seconds
    }
    return sorted(all)
  }

  static func sound(_ landmarks: [Landmark], seconds: Double) -> Sound {
    Sound(
      fingerprint: nil,
      signature: Signature(
        landmarks: landmarks,
        columnCount: max(Int(seconds * columnsPerSecond), (landmarks.map(\.column).max() ?? 0) + 1)),
      duration: seconds)
  }

  private static func sorted(_ landmarks: [Landmark]) -> [Landmark] {
    landmarks.sorted { ($0.column, $0.band) < ($1.column, $1.band) }
  }

  static func items(seed: UInt64, count: Int) -> [UInt32] {
    var random = SplitMix64(seed: seed)
    return (0..<count).map { _ in UInt32(truncatingIfNeeded: random.next()) }
  }

  /// Flips a percentage of the bits.
  static func noisy(_ items: [UInt32], percent: Int, seed: UInt64) -> [UInt32] {
    var random = SplitMix64(seed: seed)
    return items.map { item in
      (0..<32).reduce(item) { Int.random(in: 0..<100, using: &random) < percent ? $0 ^ 1 << UInt32($1) : $0 }
    }
  }
}
