internal import Glibc

/// Three bands of eight signals at once: the lanes.
///
/// Second-order Butterworth filters (12 dB per octave) as a tree: at 600 Hz the low band parts from the rest, at 4,000
/// Hz the middle band from the high one. Mixxx draws bands with these limits. A low-pass and a high-pass of one
/// frequency are power-complementary, so the powers of the three bands add up to that of the signal.
struct BandFilters {
  typealias Lanes = SIMD8<Float>

  /// Upper limits of the low and the middle band in hertz.
  static let crossovers = (low: 600.0, high: 4000.0)
  /// In seconds: the filters forget what was before by 90 dB.
  static let settlingTime = 0.004

  private var lower: Crossover
  private var upper: Crossover

  init(sampleRate: Int) {
    let rate = Double(sampleRate)
    // At low rates the upper bands are next to empty.
    let limit = 0.45 * rate
    lower = Crossover(min(Self.crossovers.low, limit), rate: rate)
    upper = Crossover(min(Self.crossovers.high, limit), rate: rate)
  }

  /// The next sample of each lane.
  @inline(__always)
  mutating func callAsFunction(_ x: Lanes) -> (low: Lanes, mid: Lanes, high: Lanes) {
    let (low, rest) = lower(x)
    let (mid, high) = upper(rest)
    return (low, mid, high)
  }
}

/// Low-pass and high-pass of one frequency. Both have the same poles: in direct form II one recursion serves both.
/// Coefficients are those of the bilinear transform.
private struct Crossover {
  private let a1: Float
  private let a2: Float
  private let lowGain: Float
  private let highGain: Float
  private var last = SIMD8<Float>.zero
  private var lastButOne = SIMD8<Float>.zero

  init(_ frequency: Double, rate: Double) {
    let k = tan(.pi * frequency / rate)
    let scale = 1 / (1 + 2.0.squareRoot() * k + k * k)
    a1 = Float(2 * (k * k - 1) * scale)
    a2 = Float((1 - 2.0.squareRoot() * k + k * k) * scale)
    lowGain = Float(k * k * scale)
    highGain = Float(scale)
  }

  @inline(__always)
  mutating func callAsFunction(_ x: SIMD8<Float>) -> (low: SIMD8<Float>, high: SIMD8<Float>) {
    let next = (x - a2 * lastButOne) - a1 * last
    let ends = next + lastButOne
    let middle = last + last
    lastButOne = last
    last = next
    return (lowGain * (ends + middle), highGain * (ends - middle))
  }
}
