internal import Fingerprinting

/// A query's whitened spectrum as `MatchedFilter` reads it: clipped, so that no single sound decides, with zero mean in
/// each band, in whole steps of its deviation, one row for each band.
struct FilterRows {
  /// Columns to the left and right of the spectrum that are zero.
  static let padding = 144
  /// Steps of a value in one standard deviation.
  static let steps: Float = 32
  /// Greatest value, in such steps: what stands out so far is beyond the clipping.
  static let maximumValue: Float = 255

  let columnCount: Int
  /// Values of a row, of which `columnCount` after `padding` are not zero.
  let stride: Int
  let values: [Int16]
  /// Share of the values that lie well below the mean: about a fifth in music, where few peaks stand out, and up to
  /// three tenths in noise and among many voices.
  let flatness: Float

  /// Where values are clipped above the mean, in deviations.
  private static let ceiling: Float = 3.5
  /// What is so far below the mean is well below it, in deviations of what is left.
  private static let low: Float = -0.75
  /// Silence has none.
  private static let leastDeviation: Float = 1e-3

  /// - Parameters:
  ///   - spectrum: One column after another.
  ///   - lowest: Where values are clipped below the mean, in deviations.
  init(_ spectrum: [Float], columnCount: Int, lowest: Float) {
    let bandCount = LandmarkSpectrum.bandCount
    let stride = columnCount + 2 * Self.padding
    self.columnCount = columnCount
    self.stride = stride
    let scale = 1 / max(Self.deviation(of: spectrum), Self.leastDeviation)
    var clipped: [Float] = []
    clipped.reserveCapacity((columnCount + Self.lanes) * bandCount)
    clipped += spectrum
    var means = [Float](repeating: 0, count: bandCount)
    var squares = [Float](repeating: 0, count: bandCount)
    for first in Swift.stride(from: 0, to: clipped.count, by: bandCount) {
      Self.clip(&clipped, from: first, scale: scale, lowest: lowest, sums: &means, squares: &squares)
    }
    let size = Float(max(1, clipped.count))
    var variance: Float = 0
    for band in 0..<bandCount {
      means[band] /= Float(max(1, columnCount))
      variance += (squares[band] - means[band] * means[band] * Float(columnCount)) / size
    }
    let gain = Self.steps / max(max(variance, 0).squareRoot(), Self.leastDeviation)
    // Behind the end there is nothing above or below the mean.
    for _ in 1..<Self.lanes { clipped += means }
    var lowCounts = SIMD8<Int32>.zero
    values = [Int16](unsafeUninitializedCapacity: stride * bandCount) { rows, count in
      rows.initialize(repeating: 0)
      count = rows.count
      clipped.withUnsafeBufferPointer { clipped in
        for column in Swift.stride(from: 0, to: columnCount, by: Self.lanes) {
          for band in 0..<bandCount {
            let first = column * bandCount + band
            var lanes = SIMD8<Float>.zero
            for lane in 0..<Self.lanes { lanes[lane] = clipped[first + lane * bandCount] }
            lanes = (lanes - means[band]) * gain
            lowCounts.replace(with: lowCounts &+ 1, where: lanes .< Self.low * Self.steps)
            let whole = Self.cutOff(lanes.clamped(lowerBound: Self.lowest, upperBound: Self.highest))
            UnsafeMutableRawBufferPointer(rows).storeBytes(
              of: whole, toByteOffset: 2 * (band * stride + Self.padding + column), as: SIMD8<Int16>.self)
          }
        }
      }
    }
    flatness = Float(lowCounts.wrappedSum()) / size
  }

  private static let lanes = 8
  private static let lowest = SIMD8<Float>(repeating: -maximumValue)
  private static let highest = SIMD8<Float>(repeating: maximumValue)

  /// Cuts off what is behind the point: from 2^23 on, floats are whole, and the last bits of theirs are these numbers.
  @inline(__always)
  private static func cutOff(_ values: SIMD8<Float>) -> SIMD8<Int16> {
    let half = SIMD8<Float>(repeating: 0.5).replacing(with: -0.5, where: values .< 0)
    return SIMD8(truncatingIfNeeded: unsafeBitCast(values - half + 12_582_912, to: SIMD8<Int32>.self))
  }

  /// Brings a column to deviations and clips it; adds the values and their squares to those of the columns before.
  private static func clip(
    _ values: inout [Float], from first: Int, scale: Float, lowest: Float, sums: inout [Float], squares: inout [Float]
  ) {
    let bandCount = LandmarkSpectrum.bandCount
    values.withUnsafeMutableBufferPointer { values in
      for band in 0..<bandCount {
        let value = min(max(values[first + band] * scale, lowest), ceiling)
        values[first + band] = value
        sums[band] += value
        squares[band] += value * value
      }
    }
  }

  private static func deviation(of values: [Float]) -> Float {
    values.withUnsafeBytes { bytes in
      var sum = SIMD8<Float>.zero
      var offset = 0
      while offset + 32 <= bytes.count {
        let lanes = bytes.loadUnaligned(fromByteOffset: offset, as: SIMD8<Float>.self)
        sum += lanes * lanes
        offset += 32
      }
      var total = sum.sum()
      for index in offset / 4..<values.count { total += values[index] * values[index] }
      return (total / Float(max(1, values.count))).squareRoot()
    }
  }
}
