internal import Analysis
internal import DSP
internal import Mathematics

/// The features of a column of the spectrum: the powers of 32 bands, and the flatness and steadiness of half octaves.
/// `Benchmarks/likeness/frames.py` computes the same features for fitting.
struct SoundFrame {
  static let layout = SpectrumLayout.onsets
  /// Distance between frames, in columns. The windows of frames hardly overlap.
  static let columnsPerFrame = 4
  static let framesPerSecond = layout.columnsPerSecond / Double(columnsPerFrame)
  static let bandCount = 32
  /// The bins at the edges of the half octaves, from 172 Hz to 8.8 kHz; the top two are narrower.
  private static let edges = [8, 11, 16, 23, 32, 45, 64, 91, 128, 181, 256, 330, 410]
  private static let rangeCount = edges.count - 1
  static let toneCount = 2 * rangeCount

  /// Triangular filters of equal width in mel, up to the frequencies that encoders preserve at low bit rates.
  private static let bank: FilterBank = {
    let highest = 2595 * log10(1 + 9500 / 700.0)
    let frequencies = (0..<bandCount + 2).map { step in
      Float(700 * (pow(10, highest * Double(step) / Double(bandCount + 1) / 2595) - 1))
    }
    return FilterBank(
      frequencies: frequencies, binWidth: Float(layout.sampleRate) / Float(layout.windowLength),
      binCount: layout.binCount)
  }()

  /// Mean powers of the bands.
  private(set) var bands = [Float](repeating: 0, count: bandCount)
  /// The flatness of each half octave as a natural logarithm (0 if all bins are equal, negative for tones), followed by
  /// the mean absolute change of the log powers in each half octave from one frame to the next (0 in the first frame).
  private(set) var tones = [Float](repeating: 0, count: toneCount)
  /// The log power of each bin relative to the mean of its half octave.
  private var logarithms = [Float](repeating: 0, count: (edges.last ?? 0) - edges[0])
  private var isFirst = true

  /// - Parameter column: |X|² by bin.
  mutating func read(_ column: Span<Float>) {
    do {
      var bands = bands.mutableSpan
      Self.bank.apply(to: column, into: &bands)
    }
    let isFirst = isFirst
    // Swapping avoids a copy.
    var found: [Float] = []
    swap(&found, &tones)
    do {
      var logarithms = logarithms.mutableSpan
      for range in 0..<Self.rangeCount {
        let (low, high) = (Self.edges[range], Self.edges[range + 1])
        var power: Float = 0
        for bin in low..<high { power += column[bin] }
        let scale = 1 / (power / Float(high - low) + 1e-20)
        var sum = SIMD8<Float>.zero
        var change = SIMD8<Float>.zero
        for start in stride(from: low, to: high, by: 8) {
          let count = min(8, high - start)
          // Unused lanes get the mean power, which contributes nothing.
          var values = SIMD8<Float>(repeating: 1 - Self.floor)
          var before = SIMD8<Float>.zero
          if count == 8 {
            values = Self.eight(of: column, from: start) * scale
            before = Self.eight(of: logarithms.span, from: start - Self.edges[0])
          } else {
            for lane in 0..<count {
              values[lane] = column[start + lane] * scale
              before[lane] = logarithms[start - Self.edges[0] + lane]
            }
          }
          let logs = naturalLog(values + Self.floor)
          sum += logs
          let difference = logs - before
          change += difference.replacing(with: -difference, where: difference .< 0)
          for lane in 0..<count { logarithms[start - Self.edges[0] + lane] = logs[lane] }
        }
        found[range] = sum.sum() / Float(high - low)
        found[Self.rangeCount + range] = isFirst ? 0 : change.sum() / Float(high - low)
      }
    }
    tones = found
    self.isFirst = false
  }

  @inline(__always)
  private static func eight(of values: Span<Float>, from first: Int) -> SIMD8<Float> {
    precondition(first >= 0 && first + 8 <= values.count)
    return values.withUnsafeBytes { unsafe $0.loadUnaligned(fromByteOffset: 4 * first, as: SIMD8<Float>.self) }
  }

  /// Power that is added to each bin, relative to the mean of its half octave, because encoders omit content that is
  /// much weaker.
  private static let floor: Float = 1e-3
}
