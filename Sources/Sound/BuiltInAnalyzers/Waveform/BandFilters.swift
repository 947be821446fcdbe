internal import CKernels
internal import Mathematics

/// Splits eight frames at once into three frequency bands.
///
/// Second-order Butterworth filters (12 dB per octave) form a tree: the first splits off the low band at 600 Hz, the
/// second separates the middle from the high band at 4,000 Hz. Mixxx draws bands with the same limits. A low-pass and a
/// high-pass filter at the same frequency are power-complementary, so the powers of the three bands add up to the power
/// of the signal.
struct BandFilters {
  static let laneCount = Int(CWAVEFORMBANDS_LANES)
  /// Upper limits of the low and the middle band, in Hz.
  static let crossovers = (low: 600.0, high: 4000.0)
  /// Time, in seconds, until the filters' response to earlier samples has decayed by 90 dB.
  static let settlingTime = 0.004

  private let lower: cwaveformbands_crossover
  private let upper: cwaveformbands_crossover

  init(sampleRate: Int) {
    let rate = Double(sampleRate)
    // At low sample rates, the upper bands are nearly empty.
    let limit = 0.45 * rate
    lower = cwaveformbands_crossover(min(Self.crossovers.low, limit), rate: rate)
    upper = cwaveformbands_crossover(min(Self.crossovers.high, limit), rate: rate)
  }

  /// Measures eight frames of `length` samples, which follow `settlingLength` samples.
  func measure(_ samples: [Float], settlingLength: Int, length: Int, into frames: inout [WaveformFrame]) {
    precondition(samples.count >= settlingLength + Self.laneCount * length && frames.count == Self.laneCount)
    var found = cwaveformbands_measures()
    withUnsafePointer(to: lower) { lower in
      withUnsafePointer(to: upper) { upper in
        unsafe cwaveformbands_measure(samples, settlingLength, length, lower, upper, &found)
      }
    }
    withUnsafeBytes(of: found) { bytes in
      func value(_ measure: Int, _ lane: Int) -> Float {
        unsafe bytes.loadUnaligned(fromByteOffset: 4 * (measure * Self.laneCount + lane), as: Float.self)
      }
      for lane in frames.indices {
        frames[lane] = WaveformFrame(
          minimum: value(0, lane), maximum: value(1, lane),
          peaks: SIMD4(value(2, lane), value(3, lane), value(4, lane), 0),
          squares: SIMD4(value(5, lane), value(6, lane), value(7, lane), value(8, lane)))
      }
    }
  }
}

extension cwaveformbands_crossover {
  /// Computes the coefficients with the bilinear transform.
  fileprivate init(_ frequency: Double, rate: Double) {
    let k = tan(.pi * frequency / rate)
    let scale = 1 / (1 + 2.0.squareRoot() * k + k * k)
    self.init(
      a1: Float(2 * (k * k - 1) * scale), a2: Float((1 - 2.0.squareRoot() * k + k * k) * scale),
      low_gain: Float(k * k * scale), high_gain: Float(scale))
  }
}
