internal import CKernels

/// A bank of triangular filters over the bins of a spectrum.
///
/// Each filter rises from zero at one frequency to its peak at the next, and falls to zero at the one after that; its
/// weights add up to one. A filter too narrow to contain a bin uses the bin nearest to its center.
public struct FilterBank: Sendable {
  /// Number of bands.
  public var count: Int { bands.count }
  /// Center frequencies of the bands in Hz.
  public let centers: [Float]

  private let binCount: Int
  private let bands: [cfilterbank_band]
  private let weights: [Float]

  /// - Parameters:
  ///   - frequencies: Frequencies in Hz, ascending. Band `i` reaches from `frequencies[i]` to `frequencies[i + 2]`.
  ///   - binWidth: Distance between bins in Hz.
  ///   - binCount: Number of bins per spectrum.
  public init(frequencies: [Float], binWidth: Float, binCount: Int) {
    precondition(frequencies.count > 2 && binWidth > 0 && binCount > 0)
    var bands: [cfilterbank_band] = []
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
      // The band is padded to whole vectors where possible, with bins of weight zero, because single bins take longer.
      while filter.count % Int(CFILTERBANK_LANES) != 0, filter.count < binCount {
        if last + 1 < binCount {
          last += 1
          filter.append(0)
        } else {
          first -= 1
          filter.insert(0, at: 0)
        }
      }
      bands.append(cfilterbank_band(first_bin: Int32(first), bin_count: Int32(filter.count)))
      weights += filter
    }
    centers = Array(frequencies[1..<(frequencies.count - 1)])
    self.binCount = binCount
    self.bands = bands
    self.weights = weights
  }

  /// Writes the weighted mean of the bins in each band.
  public func apply(to spectrum: Span<Float>, into bands: inout MutableSpan<Float>) {
    precondition(bands.count == count && spectrum.count >= binCount)
    spectrum.withUnsafeBufferPointer { spectrum in
      bands.withUnsafeMutableBufferPointer { bands in
        unsafe cfilterbank_apply(spectrum.baseAddress, self.bands, bands.count, weights, bands.baseAddress)
      }
    }
  }
}
