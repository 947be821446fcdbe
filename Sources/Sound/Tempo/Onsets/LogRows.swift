internal import DSP

/// A ring buffer of the log levels of the latest columns, Y = ½·ln(1 + (100·S)²). The levels of a whole track would
/// take as much memory as its spectrogram.
struct LogRows: ~Copyable {
  /// Number of bands, rounded up to full vectors.
  static let width = (BandSpectrogram.bandCount + 7) / 8 * 8
  /// Length of a row with a vector of padding on each side. The padding before the first band serves as its lower
  /// neighbor.
  private static let stride = width + 16

  private let rows: UnsafeMutablePointer<Float>
  private let count: Int

  /// - Parameter count: Number of columns that are kept.
  init(count: Int) {
    self.count = count
    rows = .allocate(capacity: count * Self.stride)
    // The padding is lower than every log level, so it is never a maximum.
    unsafe rows.initialize(repeating: -1, count: count * Self.stride)
  }

  deinit { unsafe rows.deallocate() }

  private func row(_ column: Int) -> UnsafeMutablePointer<Float> { unsafe rows + (column % count * Self.stride + 8) }

  /// The address of the first band of a column, which is valid until `count` more columns are written.
  subscript(column: Int) -> UnsafePointer<Float> { unsafe UnsafePointer(row(column)) }

  /// - Parameters:
  ///   - powers: Band powers of the next column.
  ///   - gain: Factor that converts the powers to S².
  /// - Returns: The address of the first band of the column.
  func write(_ powers: UnsafePointer<Float>, gain: Float, at column: Int) -> UnsafePointer<Float> {
    let row = unsafe row(column)
    let scale = SIMD8<Float>(repeating: gain * 1e4)
    var band = 0
    while band + 8 <= BandSpectrogram.bandCount {
      let log = unsafe 0.5 * naturalLog(1 + scale * load(powers, band))
      unsafe UnsafeMutableRawPointer(row + band).storeBytes(of: log, as: SIMD8<Float>.self)
      band += 8
    }
    while band < BandSpectrogram.bandCount {
      unsafe row[band] = 0.5 * naturalLog(SIMD8(repeating: 1 + scale[0] * powers[band]))[0]
      band += 1
    }
    return unsafe UnsafePointer(row)
  }
}

@inline(__always)
func load(_ base: UnsafePointer<Float>, _ offset: Int) -> SIMD8<Float> {
  unsafe UnsafeRawPointer(base + offset).loadUnaligned(as: SIMD8<Float>.self)
}
