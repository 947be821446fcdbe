internal import DSP

/// The modulation of the level at the rate of syllables, 3 to 6 Hz, as a share of the mean level. Speech is modulated
/// at about 4 Hz (Scheirer and Slaney, ICASSP 1997).
struct SyllableRhythm {
  /// The modulation frequencies, in Hz.
  private static let rates = 3.0..<6.0
  /// Number of columns per value.
  private static let step = 4

  private let window: [Float]
  private let fft: RealFFT
  private let bins: Range<Int>
  private var powers: [Float]
  private var variance = 0.0
  private var level = 0.0
  private var segments = 0.0

  /// - Parameter segmentLength: Length of a segment in columns, a multiple of 8.
  init(segmentLength: Int, columnsPerSecond: Double) {
    let length = segmentLength / Self.step
    window = hannWindow(length: length)
    fft = RealFFT(length: length)
    powers = [Float](repeating: 0, count: fft.binCount)
    let binWidth = columnsPerSecond / Double(Self.step) / Double(length)
    bins = Int((Self.rates.lowerBound / binWidth).rounded(.up))..<Int((Self.rates.upperBound / binWidth).rounded(.up))
  }

  /// - Parameter levels: Levels of the columns of a segment, whose mean is `level`.
  mutating func add(_ levels: [Float], level: Double) {
    let swings = (0..<fft.length).map { index in
      let columns = levels[index * Self.step..<(index + 1) * Self.step]
      return columns.reduce(0, +) / Float(Self.step) - Float(level)
    }
    fft.power(of: swings, from: 0, window: window, into: &powers)
    let length = Double(fft.length)
    // Parseval's theorem: half of the bins contain half of the energy; the squared Hann window adds up to 3/8 of its
    // length.
    variance += 2 * Double(powers[bins].reduce(0, +)) / (0.375 * length * length)
    self.level += level
    segments += 1
  }

  /// The RMS of the modulation, relative to the mean level.
  var value: Double {
    level > 0 ? (variance * segments).squareRoot() / level : 0
  }
}
