internal import Analysis
internal import DSP

/// The powers and amplitudes of 22 critical bands, column by column.
///
/// Unlike logarithms, amplitudes give little weight to the inaudibly quiet content that encoders change.
struct CriticalBands {
  static let layout = SpectrumLayout.onsets
  static let columnsPerSecond = layout.columnsPerSecond
  /// Band edges in Hz (Zwicker, Journal of the Acoustical Society of America 33, 1961). Encoders differ most above 9.5
  /// kHz.
  private static let edges: [Double] = [
    40, 100, 200, 300, 400, 510, 630, 770, 920, 1080, 1270, 1480, 1720, 2000, 2320, 2700, 3150, 3700, 4400, 5300, 6400,
    7700, 9500,
  ]
  static let count = edges.count - 1
  /// Number of bands for kick drum and bass, all below 400 Hz.
  static let bassCount = 4
  /// Index of the first band above 2.7 kHz.
  static let firstBright = 15
  /// First bin of each band, and the bin after the last band.
  private static let bins = edges.map { edge in
    Int((edge * Double(layout.windowLength) / Double(layout.sampleRate)).rounded(.up))
  }
  /// Distance, in columns, at which bands are compared to find onsets; it is more than one because windows overlap.
  private static let lag = 2

  /// Band powers of the last column.
  private(set) var powers = [Float](repeating: 0, count: count)
  /// Sum of the amplitudes of all bands.
  private(set) var level: Float = 0
  /// Sum of the rises of all bands.
  private(set) var novelty: Float = 0
  /// Sum of the rises of the bass bands.
  private(set) var bassNovelty: Float = 0

  /// A ring buffer of the amplitudes of the last columns.
  private var amplitudes = [Float](repeating: 0, count: (lag + 1) * count)
  private var columns = 0

  mutating func read(_ spectrum: Span<Float>) {
    let now = columns % (Self.lag + 1) * Self.count
    let then = (columns + 1) % (Self.lag + 1) * Self.count
    level = 0
    novelty = 0
    bassNovelty = 0
    for band in 0..<Self.count {
      let power = Self.sum(of: spectrum, from: Self.bins[band], to: Self.bins[band + 1])
      let amplitude = power.squareRoot()
      powers[band] = power
      amplitudes[now + band] = amplitude
      level += amplitude
      if columns >= Self.lag { novelty += max(0, amplitude - amplitudes[then + band]) }
      if band == Self.bassCount - 1 { bassNovelty = novelty }
    }
    columns += 1
  }

  private static func sum(of spectrum: Span<Float>, from first: Int, to end: Int) -> Float {
    let (sums, next) = sumsOfEight(spectrum, from: first, to: end)
    var sum = sums.sum()
    for bin in next..<end { sum += spectrum[bin] }
    return sum
  }
}
