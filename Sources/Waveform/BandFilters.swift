internal import Glibc

/// Three bands of eight signals at once: the lanes.
///
/// Second-order Butterworth filters (12 dB per octave) as a tree: the low-pass at 600 Hz gives the low band; what its
/// high-pass counterpart leaves is parted at 4,000 Hz in the same way. Mixxx draws bands with these limits. A low-pass and
/// a high-pass of one frequency are power-complementary, so the powers of the three bands add up to that of the signal.
struct BandFilters {
  typealias Lanes = SIMD8<Float>

  /// Upper limits of the low and the middle band in hertz.
  static let crossovers = (low: 600.0, high: 4000.0)
  /// In seconds: the filters forget what was before by 90 dB.
  static let settlingTime = 0.004

  private var low: Biquad
  private var rest: Biquad
  private var mid: Biquad
  private var high: Biquad

  init(sampleRate: Int) {
    let rate = Double(sampleRate)
    // At low rates the upper bands are next to empty.
    let limit = 0.45 * rate
    low = Biquad(lowPass: min(Self.crossovers.low, limit), rate: rate)
    rest = Biquad(highPass: min(Self.crossovers.low, limit), rate: rate)
    mid = Biquad(lowPass: min(Self.crossovers.high, limit), rate: rate)
    high = Biquad(highPass: min(Self.crossovers.high, limit), rate: rate)
  }

  /// The next sample of each lane.
  @inline(__always)
  mutating func callAsFunction(_ x: Lanes) -> (low: Lanes, mid: Lanes, high: Lanes) {
    let upper = rest(x)
    return (low(x), mid(upper), high(upper))
  }
}

/// A second-order section in transposed direct form II. Coefficients are those of the bilinear transform.
private struct Biquad {
  private let b0: Float
  private let b1: Float
  private let a1: Float
  private let a2: Float
  private var first = SIMD8<Float>.zero
  private var second = SIMD8<Float>.zero

  init(lowPass frequency: Double, rate: Double) { self.init(frequency / rate, sign: 1) }

  init(highPass frequency: Double, rate: Double) { self.init(frequency / rate, sign: -1) }

  /// - Parameters:
  ///   - frequency: In cycles per sample.
  ///   - sign: 1 for a low-pass, -1 for a high-pass: the numerator is proportional to (1 ± z⁻¹)².
  private init(_ frequency: Double, sign: Double) {
    let k = tan(.pi * frequency)
    let scale = 1 / (1 + 2.0.squareRoot() * k + k * k)
    let gain = sign > 0 ? k * k * scale : scale
    b0 = Float(gain)
    b1 = Float(2 * sign * gain)
    a1 = Float(2 * (k * k - 1) * scale)
    a2 = Float((1 - 2.0.squareRoot() * k + k * k) * scale)
  }

  @inline(__always)
  mutating func callAsFunction(_ x: SIMD8<Float>) -> SIMD8<Float> {
    let direct = b0 * x
    let y = direct + first
    first = b1 * x - a1 * y + second
    second = direct - a2 * y
    return y
  }
}
