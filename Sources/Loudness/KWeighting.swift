internal import Glibc

/// K weighting (ITU-R BS.1770-5, annex 1): a shelf for the effect of the head, then a high-pass.
///
/// The recommendation tabulates both biquads for 48 kHz only. They are the bilinear transforms of analog sections whose
/// frequency, quality and gain follow from the table (De Man, "Evaluation of Implementations of the EBU R128 Loudness
/// Measurement", AES 145, 2018), and so can be made for any rate.
struct KWeighting: Sendable {
  /// Below this rate the shelf lies near or beyond half the rate.
  static let leastSampleRate = 4_000

  /// Feed-forward of the shelf. That of the high-pass is 1, -2, 1 at every rate.
  let b0, b1, b2: Double
  /// Feedback of the shelf.
  let a1, a2: Double
  /// Feedback of the high-pass.
  let c1, c2: Double

  /// - Parameter sampleRate: Samples per second, at least `leastSampleRate`.
  init(sampleRate: Int) {
    let rate = Double(sampleRate)
    let shelf = Section(frequency: 1681.974450955533, quality: 0.7071752369554196, sampleRate: rate)
    let high = pow(10, 3.999843853973347 / 20)
    let band = pow(high, 0.4996667741545416)
    let damped = band * shelf.tangent / shelf.quality
    let square = shelf.tangent * shelf.tangent
    b0 = (high + damped + square) / shelf.scale
    b1 = 2 * (square - high) / shelf.scale
    b2 = (high - damped + square) / shelf.scale
    (a1, a2) = shelf.feedback
    (c1, c2) = Section(frequency: 38.13547087602444, quality: 0.5003270373238773, sampleRate: rate).feedback
  }

  /// A second-order section at one rate.
  private struct Section {
    let tangent, quality, scale: Double

    init(frequency: Double, quality: Double, sampleRate: Double) {
      tangent = tan(.pi * frequency / sampleRate)
      self.quality = quality
      scale = 1 + tangent / quality + tangent * tangent
    }

    var feedback: (Double, Double) {
      (2 * (tangent * tangent - 1) / scale, (1 - tangent / quality + tangent * tangent) / scale)
    }
  }
}

/// Weights two channels side by side and sums their squares. Both biquads have the states of the transposed direct form II,
/// and each state is computed from states alone, not from the output: that is a multiplication and an addition from sample
/// to sample, and takes two thirds of the time. In double precision: at 192 kHz the poles of the high-pass are too close to 1
/// for floats.
struct KWeightedPair {
  private let weighting: KWeighting
  private var shelf1 = SIMD2<Double>.zero, shelf2 = SIMD2<Double>.zero
  private var high1 = SIMD2<Double>.zero, high2 = SIMD2<Double>.zero
  private var sum = SIMD2<Double>.zero

  init(_ weighting: KWeighting) { self.weighting = weighting }

  /// Takes as many frames of both channels.
  mutating func push(_ first: Span<Float>, _ second: Span<Float>) {
    precondition(first.count == second.count)
    let k = weighting
    let d1 = k.b1 - k.a1 * k.b0, d2 = k.b2 - k.a2 * k.b0
    let e1 = -2 - k.c1, e2 = 1 - k.c2
    var shelf1 = shelf1, shelf2 = shelf2, high1 = high1, high2 = high2, sum = sum
    first.withUnsafeBufferPointer { first in
      second.withUnsafeBufferPointer { second in
        for i in first.indices {
          let x = SIMD2<Double>(SIMD2(first[i], second[i]))
          let shelved = k.b0 * x + shelf1
          let y = shelved + high1
          (shelf1, shelf2) = (d1 * x + shelf2 - k.a1 * shelf1, d2 * x - k.a2 * shelf1)
          (high1, high2) = (e1 * shelved + high2 - k.c1 * high1, e2 * shelved - k.c2 * high1)
          sum += y * y
        }
      }
    }
    (self.shelf1, self.shelf2, self.high1, self.high2, self.sum) = (shelf1, shelf2, high1, high2, sum)
  }

  /// The sums of the squares since the last call.
  mutating func takeSum() -> SIMD2<Double> {
    let taken = sum
    sum = .zero
    // One sample that is not a number must not silence the rest, nor denormals after the end of the music slow it down.
    if !(taken.x.isFinite && taken.y.isFinite) {
      self = KWeightedPair(weighting)
      return .zero
    }
    for lane in 0..<2 where taken[lane] < 1e-40 {
      shelf1[lane] = 0
      shelf2[lane] = 0
      high1[lane] = 0
      high2[lane] = 0
    }
    return taken
  }
}
