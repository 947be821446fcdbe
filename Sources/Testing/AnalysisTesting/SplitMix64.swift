internal import Foundation

/// A small random number generator with the same output on all platforms (Steele, Lea and Flood, "Fast Splittable
/// Pseudorandom Number Generators", OOPSLA 2014).
public struct SplitMix64: RandomNumberGenerator, Sendable {
  private var state: UInt64

  public init(seed: UInt64) {
    state = seed
  }

  /// Creates a generator for one test with a new seed in each run, and prints the seed. Set `NOCTURNE_SEED` to repeat a
  /// run.
  public static func fresh(_ test: String = #function) -> SplitMix64 {
    let given = ProcessInfo.processInfo.environment["NOCTURNE_SEED"].flatMap { UInt64($0) }
    let seed = given ?? .random(in: 0...UInt64(UInt32.max))
    print("\(test): NOCTURNE_SEED=\(seed)")
    return SplitMix64(seed: seed)
  }

  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// Returns a sample uniformly distributed over −1 ..< 1.
  public mutating func nextSample() -> Float {
    Float(Int64(bitPattern: next()) >> 40) / 8_388_608
  }
}
