internal import Glibc

/// The largest absolute value of the continuous signal that the samples stand for (ITU-R BS.1770-5, annex 2).
///
/// Between the samples the signal is computed at 8 times the rate (the recommendation asks for 4), by windowed sincs of 24
/// taps. But few samples are near a peak: where the samples around bound what can be between them to less than the
/// largest value so far, nothing is computed. The bounds are strict, so the result is the same as without them.
struct TruePeak {
  /// Points for each sample.
  static let phases = 8
  private static let taps = 24
  /// Samples that share one bound; more than taps.
  private static let blockLength = 32

  /// Full scale is 1.
  private(set) var peak: Float = 0
  /// The largest sample.
  private(set) var samplePeak: Float = 0

  private let interpolator = Interpolator.standard
  /// The last samples of each channel, which the next ones are computed with.
  private var tails: [[Float]]
  /// One channel: its tail, what is new, and zeros up to whole blocks.
  private var samples: [Float] = []

  init(channelCount: Int) {
    tails = Array(repeating: Array(repeating: 0, count: Self.taps - 1), count: channelCount)
  }

  mutating func push(_ values: Span<Float>, channel: Int) {
    let count = values.count
    let length = (Self.taps - 1 + count + Self.blockLength - 1) / Self.blockLength * Self.blockLength
    samples.removeAll(keepingCapacity: true)
    samples += tails[channel]
    values.withUnsafeBufferPointer { samples += $0 }
    tails[channel].replaceSubrange(0..., with: samples[count...])
    samples.append(contentsOf: repeatElement(0, count: length - samples.count))
    var found = peak
    var largest = samplePeak
    samples.withUnsafeBufferPointer { samples in
      interpolator.raise(&found, over: samples, count: count, blockLength: Self.blockLength, samplePeak: &largest)
    }
    peak = found
    samplePeak = largest
  }

  /// Adds the silence after the last sample; before the first one there is silence, too.
  mutating func finish() {
    let silence = [Float](repeating: 0, count: Self.taps - 1)
    for channel in tails.indices { push(silence.span, channel: channel) }
  }

  /// Computes points between samples, if they may be new peaks.
  struct Interpolator: Sendable {
    static let standard = Interpolator(taps: TruePeak.taps, beta: 5)

    let taps: Int
    /// For each tap: of the points at 0, 1/8, … 7/8 of the way from a sample to the next.
    private let coefficients: [SIMD8<Float>]
    /// The taps in the middle, and their coefficients for the points at 0, 1/4, 1/2 and 3/4: these are tried first.
    private let middle: Range<Int>
    private let middleCoefficients: [SIMD4<Float>]

    // Sums of absolute coefficients, the largest of all points: what points can be at most, for samples of 1.
    private let bound: Float
    /// Bounds of the two samples beside the point, and of all others.
    private let boundBeside: Float
    private let boundOfOthers: Float
    /// The bound that is left when the points in the middle are tried: the other taps, and the way to the points at odd
    /// eighths.
    private let boundOfRest: Float

    /// - Parameter beta: The shape of the Kaiser window. 24 taps with 5 are within 0.05 dB up to 0.42 of the rate.
    init(taps: Int, beta: Double) {
      self.taps = taps
      let half = taps / 2
      // One list of taps for each point, scaled to pass direct current as it is.
      let points: [[Float]] = (0...TruePeak.phases).map { phase in
        let list = (0..<taps).map { tap -> Double in
          let distance = Double(tap - half + 1) - Double(phase) / Double(TruePeak.phases)
          return Self.sinc(distance) * Self.kaiser(distance / Double(half), beta)
        }
        let sum = list.reduce(0, +)
        return list.map { Float($0 / sum) }
      }
      coefficients = (0..<taps).map { tap in SIMD8(points.dropLast().map { $0[tap] }) }
      let middle = half - 4..<half + 4
      self.middle = middle
      middleCoefficients = middle.map { tap in
        SIMD4(points[0][tap], points[2][tap], points[4][tap], points[6][tap])
      }

      func largest(_ lists: [[Float]], of chosen: (Int) -> Bool = { _ in true }) -> Float {
        // A little more, for what rounding may add.
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
      bound = largest(points)
      boundBeside = largest(points) { beside.contains($0) }
      boundOfOthers = largest(points) { !beside.contains($0) }
      boundOfRest = largest(points) { !middle.contains($0) } + largest(bends)
    }

    private static func sinc(_ x: Double) -> Double { x == 0 ? 1 : sin(.pi * x) / (.pi * x) }

    /// - Parameter x: -1 to 1.
    private static func kaiser(_ x: Double, _ beta: Double) -> Double {
      bessel(beta * max(0, 1 - x * x).squareRoot()) / bessel(beta)
    }

    /// The modified Bessel function of the first kind, of order 0.
    private static func bessel(_ x: Double) -> Double {
      var sum = 1.0
      var term = 1.0
      for k in 1...40 {
        term *= (x / 2 / Double(k)) * (x / 2 / Double(k))
        sum += term
      }
      return sum
    }

    /// Raises `peak` to the largest point of `count` steps from a sample to the next; the first step is the one after
    /// `taps / 2` samples.
    ///
    /// - Parameters:
    ///   - samples: `taps - 1 + count`, and zeros up to whole blocks.
    ///   - samplePeak: Raised to the largest sample.
    func raise(
      _ peak: inout Float, over samples: UnsafeBufferPointer<Float>, count: Int, blockLength: Int,
      samplePeak: inout Float
    ) {
      guard let start = samples.baseAddress, count > 0 else { return }
      var largest = peak
      var here = Self.peak(start, blockLength)
      samplePeak = max(samplePeak, here)
      for first in stride(from: 0, to: count, by: blockLength) {
        var next: Float = 0
        if first + blockLength < samples.count {
          next = Self.peak(start + first + blockLength, blockLength)
          samplePeak = max(samplePeak, next)
        }
        let around = max(here, next)
        here = next
        largest = max(largest, samplePeak)
        if around * bound > largest {
          largest = raised(largest, over: start + first, count: min(blockLength, count - first), around: around)
        }
      }
      peak = largest
    }

    /// - Parameter around: The largest sample.
    private func raised(_ peak: Float, over samples: UnsafePointer<Float>, count: Int, around: Float) -> Float {
      var peak = peak
      middleCoefficients.withUnsafeBufferPointer { middleCoefficients in
        for step in 0..<count {
          let window = samples + step
          let beside = max(window[taps / 2 - 1].magnitude, window[taps / 2].magnitude)
          guard beside * boundBeside + around * boundOfOthers > peak else { continue }
          var tried = SIMD4<Float>.zero
          let inner = window + middle.lowerBound
          for tap in middleCoefficients.indices { tried += middleCoefficients[tap] * inner[tap] }
          let limit = SIMD4(repeating: peak - around * boundOfRest)
          guard any((tried .> limit) .| (-tried .> limit)) else { continue }
          let points = points(of: window)
          for phase in points.indices { peak = max(peak, points[phase].magnitude) }
        }
      }
      return peak
    }

    /// The points between the two samples in the middle of a window of `taps` samples, the first of them included.
    func points(of window: UnsafePointer<Float>) -> SIMD8<Float> {
      var points = SIMD8<Float>.zero
      for tap in coefficients.indices { points += coefficients[tap] * window[tap] }
      return points
    }

    /// The largest absolute value. Not a number counts as 0.
    private static func peak(_ samples: UnsafePointer<Float>, _ count: Int) -> Float {
      let bytes = UnsafeRawPointer(samples)
      var highest = SIMD8<Float>.zero
      var lowest = SIMD8<Float>.zero
      for index in stride(from: 0, to: count, by: 8) {
        let values = bytes.loadUnaligned(fromByteOffset: 4 * index, as: SIMD8<Float>.self)
        highest.replace(with: values, where: values .> highest)
        lowest.replace(with: values, where: values .< lowest)
      }
      highest.replace(with: -lowest, where: -lowest .> highest)
      let four = highest.lowHalf.replacing(with: highest.highHalf, where: highest.highHalf .> highest.lowHalf)
      let two = four.lowHalf.replacing(with: four.highHalf, where: four.highHalf .> four.lowHalf)
      return max(two.x, two.y)
    }
  }
}
