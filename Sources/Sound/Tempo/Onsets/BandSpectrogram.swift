internal import Analysis
internal import DSP
internal import Mathematics

/// The band powers of consecutive columns (spectra one hop apart). A session keeps them until the level of the audio is
/// known.
struct BandSpectrogram {
  /// A window that is short enough for the attack of a drum and long enough to separate the bass from the kick.
  static let layout = SpectrumLayout.onsets

  /// 12 bands per octave, with centers from 65 Hz to 9.7 kHz, as in SuperFlux (Böck and Widmer, DAFx 2013), without
  /// bands whose center would be in the same bin as the previous one.
  static let bank: FilterBank = {
    let binWidth = Float(layout.sampleRate) / Float(layout.windowLength)
    var frequencies: [Float] = []
    var bin = -1
    for step in 0...96 {
      let frequency = 40 * exp2(Float(step) / 12)
      let nearest = Int((frequency / binWidth).rounded())
      guard nearest != bin, frequency < 10_300 else { continue }
      bin = nearest
      frequencies.append(Float(nearest) * binWidth)
    }
    return FilterBank(frequencies: frequencies, binWidth: binWidth, binCount: layout.binCount)
  }()
  static let bandCount = bank.count

  /// Powers, by column, then band.
  private(set) var powers: [Float] = []
  /// The sum of the powers of all bins, for each column.
  private(set) var columnPowers: [Float] = []
  private var scratch = [Float](repeating: 0, count: bandCount)

  var columnCount: Int { columnPowers.count }

  /// Reserves memory, so that the arrays do not have to be copied as they grow.
  mutating func reserve(_ columns: Int) {
    powers.reserveCapacity(columns * Self.bandCount)
    columnPowers.reserveCapacity(columns)
  }

  /// Mean square of the signal, full scale 1.
  var meanSquare: Double {
    var total = 0.0
    for power in columnPowers { total += Double(power) }
    let length = Double(Self.layout.windowLength)
    // Parseval's theorem: half of the bins contain half of the energy; the squared Hann window adds up to 3/8 of its
    // length.
    return 2 * total / Double(max(columnCount, 1)) / (0.375 * length * length)
  }

  mutating func append(_ spectrum: Span<Float>) {
    var bands = scratch.mutableSpan
    Self.bank.apply(to: spectrum, into: &bands)
    powers.append(contentsOf: scratch)
    columnPowers.append(sumsOfEight(spectrum, from: 0, to: spectrum.count).sums.sum())
  }

  func part(_ columns: Range<Int>) -> BandSpectrogram {
    var part = BandSpectrogram()
    part.powers = Array(powers[(columns.lowerBound * Self.bandCount)..<(columns.upperBound * Self.bandCount)])
    part.columnPowers = Array(columnPowers[columns])
    return part
  }

  mutating func removeFirst(_ columns: Int) {
    powers.removeFirst(columns * Self.bandCount)
    columnPowers.removeFirst(columns)
  }
}
