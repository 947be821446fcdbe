internal import Landmarks

/// The landmark likelihoods of a query in the form that `MatchedFilter` reads: one row per band, with a mean of zero in
/// each band, quantized in fractions of the standard deviation.
struct FilterRows {
  /// Number of zero columns on each side of the spectrum.
  static let padding = 144
  /// Number of quantization steps per standard deviation.
  static let steps: Float = 16
  /// Maximum magnitude of a value, in quantization steps.
  static let maximumValue: Float = 255

  let columnCount: Int
  /// Length of a row: `padding` zeros, then `columnCount` values, then zeros again.
  let stride: Int
  let values: [Int16]

  /// Minimum standard deviation. A query without landmarks has a deviation of zero.
  private static let minDeviation: Float = 1e-3

  /// - Parameters:
  ///   - picture: Landmark likelihoods, one column after another.
  ///   - isSteady: Marks the places where the likelihoods are meaningless; see `SteadySound`.
  init(_ picture: [Float], _ isSteady: [Bool], columnCount: Int) {
    let bandCount = LandmarkSpectrum.bandCount
    let stride = columnCount + 2 * Self.padding
    self.columnCount = columnCount
    self.stride = stride
    var means = [Float](repeating: 0, count: bandCount)
    var squares = [Float](repeating: 0, count: bandCount)
    for first in Swift.stride(from: 0, to: picture.count, by: bandCount) {
      Self.add(picture, from: first, toSums: &means, squares: &squares)
    }
    var variance: Float = 0
    for band in 0..<bandCount {
      means[band] /= Float(max(1, columnCount))
      variance += squares[band] - means[band] * means[band] * Float(columnCount)
    }
    variance /= Float(max(1, picture.count))
    let gain = Self.steps / max(max(variance, 0).squareRoot(), Self.minDeviation)
    // Places without information, and columns beyond the end, are set to the mean.
    var picture = picture
    picture.reserveCapacity(picture.count + (Self.lanes - 1) * bandCount)
    for first in Swift.stride(from: 0, to: picture.count, by: bandCount) {
      for band in 0..<bandCount where isSteady[first + band] { picture[first + band] = means[band] }
    }
    for _ in 1..<Self.lanes { picture += means }
    values = [Int16](unsafeUninitializedCapacity: stride * bandCount) { rows, count in
      rows.initialize(repeating: 0)
      count = rows.count
      picture.withUnsafeBufferPointer { picture in
        for column in Swift.stride(from: 0, to: columnCount, by: Self.lanes) {
          for band in 0..<bandCount {
            let first = column * bandCount + band
            var lanes = SIMD8<Float>.zero
            for lane in 0..<Self.lanes { lanes[lane] = picture[first + lane * bandCount] }
            lanes = (lanes - means[band]) * gain
            lanes = lanes.replacing(with: Self.maximumValue, where: lanes .> Self.maximumValue)
            lanes = lanes.replacing(with: -Self.maximumValue, where: lanes .< -Self.maximumValue)
            let whole = Self.cutOff(lanes)
            UnsafeMutableRawBufferPointer(rows).storeBytes(
              of: whole, toByteOffset: 2 * (band * stride + Self.padding + column), as: SIMD8<Int16>.self)
          }
        }
      }
    }
  }

  /// Creates rows from values that another program has computed.
  /// - Parameter rows: `columnCount` values for each band.
  /// - Returns: `nil` if any value is out of range, or if the number of values is wrong.
  init?(_ rows: [Int16], columnCount: Int) {
    let limit = Int16(Self.maximumValue)
    guard rows.count == columnCount * LandmarkSpectrum.bandCount, rows.allSatisfy({ -limit...limit ~= $0 }) else {
      return nil
    }
    self.columnCount = columnCount
    stride = columnCount + 2 * Self.padding
    let margin = [Int16](repeating: 0, count: Self.padding)
    var values: [Int16] = []
    values.reserveCapacity(stride * LandmarkSpectrum.bandCount)
    for first in Swift.stride(from: 0, to: rows.count, by: columnCount) {
      values += margin
      values += rows[first..<first + columnCount]
      values += margin
    }
    self.values = values
  }

  private static let lanes = 8

  /// Truncates to integers. From 2^23 on, every float is an integer, and its low bits contain the result.
  @inline(__always)
  private static func cutOff(_ values: SIMD8<Float>) -> SIMD8<Int16> {
    let half = SIMD8<Float>(repeating: 0.5).replacing(with: -0.5, where: values .< 0)
    return SIMD8(truncatingIfNeeded: unsafeBitCast(values - half + 12_582_912, to: SIMD8<Int32>.self))
  }

  private static func add(
    _ values: [Float], from first: Int, toSums sums: inout [Float], squares: inout [Float]
  ) {
    let bandCount = LandmarkSpectrum.bandCount
    values.withUnsafeBufferPointer { values in
      for band in 0..<bandCount {
        let value = values[first + band]
        sums[band] += value
        squares[band] += value * value
      }
    }
  }
}
