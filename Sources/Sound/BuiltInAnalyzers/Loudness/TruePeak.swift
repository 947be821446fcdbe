internal import CKernels
internal import Mathematics

/// The true peak: the largest absolute value of the continuous signal that the samples represent (ITU-R BS.1770-5,
/// annex 2).
///
/// The signal is oversampled 8 times (the recommendation requires 4) with windowed sincs of 24 taps. Few samples are
/// near a peak, so nothing is computed where the surrounding samples prove that all values in between are below the
/// largest value so far. The bounds are never too low, so the result is the same as without them.
struct TruePeak {
  /// Number of interpolated points per sample.
  static let phases = Int(CTRUEPEAK_PHASES)
  private static let taps = Int(CTRUEPEAK_TAPS)

  /// The true peak, where full scale is 1.
  private(set) var peak: Float = 0
  /// The largest sample magnitude.
  private(set) var samplePeak: Float = 0

  private let interpolator = Interpolator.standard
  /// The last samples of each channel, which are needed to interpolate the next ones, with room for as many new
  /// samples.
  private var seams: [[Float]]

  init(channelCount: Int) {
    seams = Array(repeating: Array(repeating: 0, count: 2 * (Self.taps - 1)), count: channelCount)
  }

  mutating func push(_ values: Span<Float>, channel: Int) {
    let interpolator = interpolator
    let margin = Self.taps - 1
    let seamed = min(margin, values.count)
    var (found, largest) = (peak, samplePeak)
    seams[channel].withUnsafeMutableBufferPointer { seam in
      for index in 0..<seamed { unsafe seam[margin + index] = values[index] }
      unsafe interpolator.raise(&found, over: seam.baseAddress, count: seamed, samplePeak: &largest)
      if values.count > margin {
        values.withUnsafeBufferPointer { values in
          unsafe interpolator.raise(
            &found, over: values.baseAddress, count: values.count - margin, samplePeak: &largest)
        }
        for index in 0..<margin { unsafe seam[index] = values[values.count - margin + index] }
      } else {
        for index in 0..<margin { unsafe seam[index] = seam[index + seamed] }
      }
    }
    (peak, samplePeak) = (found, largest)
  }

  /// Appends silence after the last sample. Silence also precedes the first sample.
  mutating func finish() {
    let silence = [Float](repeating: 0, count: Self.taps - 1)
    for channel in seams.indices { push(silence.span, channel: channel) }
  }

  /// Computes the points between samples, but only where they may exceed the peak.
  struct Interpolator: Sendable {
    static let standard = Interpolator(beta: 5)

    let taps = TruePeak.taps
    /// Coefficients of each tap, for the points at 0, 1/8, … 7/8 of the distance between two samples.
    private let coefficients: [SIMD8<Float>]
    private let kernel: ctruepeak_interpolator

    /// - Parameter beta: Shape of the Kaiser window. With 24 taps and a shape of 5, the error is within 0.05 dB up to
    ///   0.42 of the sample rate.
    init(beta: Double) {
      let taps = TruePeak.taps
      let half = taps / 2
      // Each point has a list of taps, scaled to a gain of 1 at 0 Hz.
      let points: [[Float]] = (0...TruePeak.phases).map { phase in
        let list = (0..<taps).map { tap -> Double in
          let distance = Double(tap - half + 1) - Double(phase) / Double(TruePeak.phases)
          return Self.sinc(distance) * Self.kaiser(distance / Double(half), beta)
        }
        let sum = list.reduce(0, +)
        return list.map { Float($0 / sum) }
      }
      let coefficients = (0..<taps).map { tap in SIMD8(points.dropLast().map { $0[tap] }) }
      // The taps and points that are tried first.
      let middle = half - Int(CTRUEPEAK_MIDDLE_TAPS) / 2..<half + Int(CTRUEPEAK_MIDDLE_TAPS) / 2
      let middleCoefficients = middle.map { tap in
        SIMD4(points[0][tap], points[2][tap], points[4][tap], points[6][tap])
      }

      func largest(_ lists: [[Float]], of chosen: (Int) -> Bool = { _ in true }) -> Float {
        // The bounds are slightly larger than necessary, to allow for rounding.
        let sums = lists.map { list in list.indices.filter(chosen).reduce(Float(0)) { $0 + list[$1].magnitude } }
        return 1.000_01 * (sums.max() ?? 0)
      }
      let beside = half - 1..<half + 1
      let bends: [[Float]] = stride(from: 1, to: TruePeak.phases, by: 2).map { odd in
        (0..<taps).map { tap -> Float in
          let between = (points[odd - 1][tap] + points[odd + 1][tap]) / 2
          return points[odd][tap] - between
        }
      }
      var kernel = ctruepeak_interpolator()
      withUnsafeMutableBytes(of: &kernel.coefficients) { target in
        coefficients.withUnsafeBytes { unsafe target.copyMemory(from: $0) }
      }
      withUnsafeMutableBytes(of: &kernel.middle) { target in
        middleCoefficients.withUnsafeBytes { unsafe target.copyMemory(from: $0) }
      }
      kernel.bound = largest(points)
      kernel.bound_beside = largest(points) { beside.contains($0) }
      kernel.bound_of_others = largest(points) { !beside.contains($0) }
      kernel.bound_of_rest = largest(points) { !middle.contains($0) } + largest(bends)
      self.coefficients = coefficients
      self.kernel = kernel
    }

    private static func sinc(_ x: Double) -> Double { x == 0 ? 1 : sin(.pi * x) / (.pi * x) }

    /// - Parameter x: Position in the window, from -1 to 1.
    private static func kaiser(_ x: Double, _ beta: Double) -> Double {
      bessel(beta * max(0, 1 - x * x).squareRoot()) / bessel(beta)
    }

    /// Returns the modified Bessel function of the first kind, of order 0.
    private static func bessel(_ x: Double) -> Double {
      var sum = 1.0
      var term = 1.0
      for k in 1...40 {
        term *= (x / 2 / Double(k)) * (x / 2 / Double(k))
        sum += term
      }
      return sum
    }

    /// Raises `peak` to the largest point over `count` steps between samples, and `samplePeak` to the largest sample.
    /// The first step lies between the samples at `taps / 2 - 1` and `taps / 2`.
    ///
    /// - Parameter samples: `taps - 1 + count` samples.
    func raise(_ peak: inout Float, over samples: UnsafePointer<Float>?, count: Int, samplePeak: inout Float) {
      withUnsafePointer(to: kernel) { unsafe ctruepeak_raise($0, samples, count, &peak, &samplePeak) }
    }

    /// Returns the points between the two samples in the middle of a window of `taps` samples, including the first of
    /// these samples.
    func points(of window: UnsafePointer<Float>) -> SIMD8<Float> {
      var points = SIMD8<Float>.zero
      for tap in coefficients.indices { points += coefficients[tap] * window[tap] }
      return points
    }
  }
}
