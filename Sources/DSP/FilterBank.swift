/// A bank of triangular filters over the bins of a spectrum.
///
/// A filter rises from zero at one frequency to its peak at the next and falls to zero at the one after; its weights
/// add up to one. A filter too narrow to contain a bin uses the bin nearest to its center.
public struct FilterBank: Sendable {
  /// Number of bands.
  public var count: Int { ranges.count }
  /// Center frequencies of the bands in hertz.
  public let centers: [Float]

  /// Bins of a spectrum.
  private let binCount: Int
  private let ranges: [Range<Int>]
  private let offsets: [Int]
  private let weights: [Float]

  /// - Parameters:
  ///   - frequencies: Hertz, ascending; band `i` reaches from `frequencies[i]` to `frequencies[i + 2]`.
  ///   - binWidth: Hertz from one bin to the next.
  ///   - binCount: Bins of a spectrum.
  public init(frequencies: [Float], binWidth: Float, binCount: Int) {
    precondition(frequencies.count > 2 && binWidth > 0 && binCount > 0)
    var ranges: [Range<Int>] = []
    var offsets: [Int] = []
    var weights: [Float] = []
    for band in 0..<(frequencies.count - 2) {
      let (low, center, high) = (frequencies[band], frequencies[band + 1], frequencies[band + 2])
      precondition(low < center && center < high, "frequencies must ascend")
      var first = min(max(Int((low / binWidth).rounded(.up)), 0), binCount - 1)
      var last = min(max(Int((high / binWidth).rounded(.down)), first), binCount - 1)
      var filter = (first...last).map { bin in
        let frequency = Float(bin) * binWidth
        return max(0, min((frequency - low) / (center - low), (high - frequency) / (high - center)))
      }
      let sum = filter.reduce(0, +)
      if sum > 0 {
        filter = filter.map { $0 / sum }
      } else {
        first = min(Int((center / binWidth).rounded()), binCount - 1)
        last = first
        filter = [1]
      }
      ranges.append(first..<last + 1)
      offsets.append(weights.count)
      weights += filter
    }
    centers = Array(frequencies[1..<(frequencies.count - 1)])
    self.binCount = binCount
    self.ranges = ranges
    self.offsets = offsets
    self.weights = weights
  }

  /// Writes the weighted mean of the bins of each band.
  public func apply(to spectrum: Span<Float>, into bands: inout MutableSpan<Float>) {
    precondition(bands.count == count && spectrum.count >= binCount)
    spectrum.withUnsafeBytes { spectrum in
      weights.withUnsafeBytes { weights in
        for band in 0..<count {
          unsafe bands[band] = Self.sum(spectrum, ranges[band], weights, from: offsets[band])
        }
      }
    }
  }

  /// The sum of the values in a range, each with its weight; both are lists of `Float`.
  @inline(__always)
  private static func sum(
    _ values: UnsafeRawBufferPointer, _ range: Range<Int>, _ weights: UnsafeRawBufferPointer, from offset: Int
  ) -> Float {
    var sums = SIMD4<Float>.zero
    var (value, weight) = (4 * range.lowerBound, 4 * offset)
    let end = 4 * range.upperBound
    while value + 16 <= end {
      sums +=
        unsafe values.loadUnaligned(fromByteOffset: value, as: SIMD4<Float>.self)
        * weights.loadUnaligned(fromByteOffset: weight, as: SIMD4<Float>.self)
      value += 16
      weight += 16
    }
    var sum = sums.sum()
    while value < end {
      sum +=
        unsafe values.loadUnaligned(fromByteOffset: value, as: Float.self)
        * weights.loadUnaligned(fromByteOffset: weight, as: Float.self)
      value += 4
      weight += 4
    }
    return sum
  }
}
