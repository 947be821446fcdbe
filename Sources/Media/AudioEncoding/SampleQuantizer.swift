/// Converts floats to integers of a given depth, in the upper bits of 32-bit integers, as libsndfile expects.
///
/// Samples are rounded to the nearest step, so without dither, floats converted from integers of this depth become the
/// same integers again. Samples beyond full scale are clipped and counted; NaN and infinities become 0.
struct SampleQuantizer {
  private let scale: Float
  private let shift: Int32
  private let isDithered: Bool
  /// State of the noise generator.
  private var state: UInt64 = 0x9E37_79B9_7F4A_7C15
  /// Number of samples clipped to full scale.
  private(set) var clippedCount: Int64 = 0

  init(_ depth: SampleDepth, isDithered: Bool) {
    scale = Float(1 << (min(depth.rawValue, 24) - 1))
    shift = Int32(32 - min(depth.rawValue, 24))
    self.isDithered = isDithered
  }

  mutating func integer(_ sample: Float) -> Int32 {
    guard sample.isFinite, sample != 0 else { return 0 }
    if abs(sample) > 1 { clippedCount += 1 }
    let steps = (sample * scale + (isDithered ? noise() : 0)).rounded()
    return Int32(min(max(steps, -scale), scale - 1)) << shift
  }

  /// Clips a sample to full scale, for encoders that take floats.
  mutating func limited(_ sample: Float) -> Float {
    guard sample.isFinite else { return 0 }
    if abs(sample) > 1 { clippedCount += 1 }
    return min(max(sample, -1), 1)
  }

  /// Returns triangular noise within ±1 step: the sum of two uniform values from xorshift (Marsaglia 2003).
  private mutating func noise() -> Float {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    let first = Float(state & 0xFFFF)
    let second = Float((state >> 16) & 0xFFFF)
    return (first - second) / 65_536
  }
}
