/// A bank of triangular filters over the bins of a spectrum.
///
/// A filter rises from zero at one frequency to its peak at the next and falls to zero at the one after; its weights
/// add up to one. A filter too narrow to contain a bin uses the bin nearest to its center.
public struct FilterBank: Sendable {
  /// Number of bands.
  public var count: Int { ranges.count }
  /// Center frequencies of the bands in hertz.
  public let centers: [Float]

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
    self.ranges = ranges
    self.offsets = offsets
    self.weights = weights
  }

  /// Writes the weighted mean of the bins of each band.
  public func apply(to spectrum: Span<Float>, into bands: inout MutableSpan<Float>) {
    precondition(bands.count == count)
    let weights = weights.span
    for band in 0..<count {
      let range = ranges[band]
      let offset = offsets[band] - range.lowerBound
      var sums = SIMD4<Float>.zero
      var bin = range.lowerBound
      while bin + 4 <= range.upperBound {
        let values = SIMD4(spectrum[bin], spectrum[bin + 1], spectrum[bin + 2], spectrum[bin + 3])
        let at = offset + bin
        sums += values * SIMD4(weights[at], weights[at + 1], weights[at + 2], weights[at + 3])
        bin += 4
      }
      var sum = sums.sum()
      while bin < range.upperBound {
        sum += spectrum[bin] * weights[offset + bin]
        bin += 1
      }
      bands[band] = sum
    }
  }
}
