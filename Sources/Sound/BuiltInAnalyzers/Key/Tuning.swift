internal import Analysis
internal import DSP
internal import Mathematics

/// The deviation of the notes from a tuning of 440 Hz. It is the circular mean of the positions of spectral peaks
/// between semitones, from 100 Hz to 2 kHz, in which soft peaks have lower weights (similar to Dressler and Streich,
/// ISMIR 2007).
struct Tuning {
  private var cosine = 0.0
  private var sine = 0.0
  private var weight = 0.0

  private static let binWidth = Float(PitchSpectrum.layout.sampleRate) / Float(PitchSpectrum.layout.windowLength)
  private static let bins = Int(100 / binWidth)..<Int(2000 / binWidth)
  /// Minimum power of a peak relative to the highest bin: -30 dB.
  private static let relativeFloor: Float = 1e-3
  /// Minimum power of a peak: -90 dB relative to a full-scale sine.
  private static let floor: Float =
    1e-9 * Float(PitchSpectrum.layout.windowLength * PitchSpectrum.layout.windowLength) / 16

  /// Minimum power of the bins beside a peak, relative to it: -120 dB.
  private static let neighborFloor: Float = 1e-12

  /// Deviation in cents, -50 to 50; 0 if there are no peaks.
  var cents: Double { weight > 0 ? atan2(sine, cosine) / (2 * .pi) * 100 : 0 }
  /// Concentration of the peaks: 0 if they are spread evenly between semitones, 1 if they all deviate by the same
  /// amount.
  var clarity: Double { weight > 0 ? (sine * sine + cosine * cosine).squareRoot() / weight : 0 }

  mutating func add(_ column: Span<Float>) {
    let highest = largest(of: column)
    let least = max(Self.floor, Self.relativeFloor * highest)
    for bin in Self.bins {
      let here = column[bin]
      guard here > least, here > column[bin - 1], here >= column[bin + 1] else { continue }
      // Zero has no logarithm.
      let faintest = here * Self.neighborFloor
      let (before, after) = (log(max(column[bin - 1], faintest)), log(max(column[bin + 1], faintest)))
      let peak = log(here)
      let shift = 0.5 * (before - after) / (before - 2 * peak + after - 1e-9)
      let turn = 2 * .pi * 12 * log2((Float(bin) + shift) * Self.binWidth / 440)
      let loudness = (here / highest).squareRoot().squareRoot()
      cosine += Double(loudness * cos(turn))
      sine += Double(loudness * sin(turn))
      weight += Double(loudness)
    }
  }

  mutating func halve() {
    cosine /= 2
    sine /= 2
    weight /= 2
  }

  mutating func add(_ other: Tuning) {
    cosine += other.cosine
    sine += other.sine
    weight += other.weight
  }
}
