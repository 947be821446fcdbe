internal import Mathematics

/// The K-weighted power of all channels, summed with the channels' weights (ITU-R BS.1770-5).
///
/// Two channels are processed at a time, in double precision. This takes a sixth of the time of libebur128's filter,
/// with which the tests compare the results.
struct KWeightedPower {
  /// Minimum sample rate in Hz. At lower rates, the filter's shelf is near or above half the sample rate.
  static let minSampleRate = 4_000

  private let filter: KFilter
  private var pairs: [Pair] = []
  private var frameCount = 0

  init(sampleRate: Int, roles: [ChannelRole]) {
    filter = KFilter(sampleRate: Double(sampleRate))
    let weighted = roles.indices.filter { roles[$0].weight > 0 }
    pairs = stride(from: 0, to: weighted.count, by: 2).map { place in
      let first = weighted[place]
      let second = place + 1 < weighted.count ? weighted[place + 1] : nil
      return Pair(
        first: first, second: second ?? first, weights: [roles[first].weight, second.map { roles[$0].weight } ?? 0])
    }
  }

  /// Processes frames of a planar span.
  /// - Parameter stride: Number of samples from one channel to the next.
  mutating func push(_ planar: Span<Float>, _ frames: Range<Int>, stride: Int) {
    planar.withUnsafeBufferPointer { planar in
      guard let start = planar.baseAddress else { return }
      for index in pairs.indices {
        filter.run(
          start + pairs[index].first * stride, start + pairs[index].second * stride, frames, &pairs[index].state)
      }
    }
    frameCount += frames.count
  }

  /// Returns the mean power over the frames since the last call, or 0 if it is not finite.
  mutating func takeMean() -> Double {
    var power = 0.0
    for index in pairs.indices { power += (pairs[index].state.takeSums() * pairs[index].weights).sum() }
    defer { frameCount = 0 }
    return power.isFinite && frameCount > 0 ? power / Double(frameCount) : 0
  }

  private struct Pair {
    /// Indices of two channels. They are equal for the last channel if the number of channels with a weight is odd.
    let first, second: Int
    let weights: SIMD2<Double>
    var state = KFilter.State()
  }
}

extension ChannelRole {
  fileprivate var weight: Double {
    switch self {
    case .front: 1
    case .surround: 1.41
    case .lowFrequency: 0
    }
  }
}

/// The K-weighting filter for a sample rate: a shelf that models the head, and a high-pass filter.
///
/// BS.1770-5 (annex 1, tables 1 and 2) lists the coefficients for 48 kHz. The coefficients for other rates follow from
/// the underlying analog filters, which are described in B. De Man, “Evaluation of Implementations of the EBU R128
/// Loudness Measurement”, AES 145, 2018.
struct KFilter: Sendable {
  /// A second-order section: y[n] = b0 v[n] + b1 v[n-1] + b2 v[n-2] with v[n] = x[n] - a1 v[n-1] - a2 v[n-2].
  struct Section: Sendable {
    let b0, b1, b2, a1, a2: Double

    /// - Parameter numerator: Numerator coefficients for K = tan(π f / rate); `nil` for 1, -2, 1 (table 2).
    fileprivate init(
      frequency: Double, quality: Double, sampleRate: Double,
      _ numerator: ((_ k: Double) -> (b0: Double, b1: Double, b2: Double))? = nil
    ) {
      let k = tan(.pi * frequency / sampleRate)
      let a0 = 1 + k / quality + k * k
      let b = numerator.map { $0(k) } ?? (a0, -2 * a0, a0)
      (b0, b1, b2) = (b.0 / a0, b.1 / a0, b.2 / a0)
      (a1, a2) = (2 * (k * k - 1) / a0, (1 - k / quality + k * k) / a0)
    }
  }

  let shelf: Section
  let highPass: Section

  init(sampleRate: Double) {
    let high = pow(10, 3.999_843_853_973_347 / 20)
    let band = pow(high, 0.499_666_774_154_541_6)
    let quality = 0.707_175_236_955_419_6
    shelf = Section(frequency: 1_681.974_450_955_533, quality: quality, sampleRate: sampleRate) { k in
      (high + band * k / quality + k * k, 2 * (k * k - high), high - band * k / quality + k * k)
    }
    highPass = Section(
      frequency: 38.135_470_876_024_44, quality: 0.500_327_037_323_877_3, sampleRate: sampleRate)
  }

  /// The filter state of two channels.
  struct State: Sendable {
    /// v[n-1] and v[n-2] of the shelf.
    fileprivate var s1 = SIMD2<Double>.zero, s2 = SIMD2<Double>.zero
    /// v[n-1] and v[n-2] of the high-pass filter.
    fileprivate var h1 = SIMD2<Double>.zero, h2 = SIMD2<Double>.zero
    fileprivate var sums = SIMD2<Double>.zero

    /// Returns the sums of squares since the last call.
    mutating func takeSums() -> SIMD2<Double> {
      defer {
        sums = .zero
        Self.settle(&s1, &s2)
        Self.settle(&h1, &h2)
      }
      return sums
    }

    /// Removes decaying values that would slow down the processor (denormals), and values that are not finite and would
    /// persist.
    private static func settle(_ v1: inout SIMD2<Double>, _ v2: inout SIMD2<Double>) {
      let size = v1 * v1 + v2 * v2
      let isSound = (size .> 1e-200) .& (size .< .infinity)
      v1.replace(with: 0, where: .!isSound)
      v2.replace(with: 0, where: .!isSound)
    }
  }

  /// - Parameter frames: Indices of the frames to filter, relative to the pointers of both channels.
  func run(
    _ first: UnsafePointer<Float>, _ second: UnsafePointer<Float>, _ frames: Range<Int>, _ state: inout State
  ) {
    var (s1, s2, h1, h2, sums) = (state.s1, state.s2, state.h1, state.h2, state.sums)
    let (shelf, highPass) = (shelf, highPass)
    for frame in frames {
      let x = SIMD2(Double(first[frame]), Double(second[frame]))
      // The term that depends on the previous sample is added last.
      let s0 = (x - shelf.a2 * s2) - shelf.a1 * s1
      let y = shelf.b0 * s0 + (shelf.b1 * s1 + shelf.b2 * s2)
      let h0 = (y - highPass.a2 * h2) - highPass.a1 * h1
      let z = (h0 + h2) - (h1 + h1)
      sums += z * z
      (s2, s1, h2, h1) = (s1, s0, h1, h0)
    }
    (state.s1, state.s2, state.h1, state.h2, state.sums) = (s1, s2, h1, h2, sums)
  }
}
