internal import Analysis
internal import DSP

/// The onset envelopes by column, in eight lanes that separate onsets by frequency and kind.
///
/// Lanes 0 to 4 are the log spectral flux in five frequency ranges; lane 5 is the flux of all bands: max(0, Y[t] − max
/// of Y[t−2] over the neighboring bands), with Y as in `LogRows`. The inner maximum keeps vibrato from looking like
/// onsets (SuperFlux, Böck and Widmer, DAFx 2013). Lane 6 is `HarmonicChange` of Y. Lane 7 is the flux of √S, where
/// loud events count for more than in the logarithm.
///
/// S is scaled so that the signal has a root mean square of 0.1. The mean over one second is subtracted from each lane.
/// The part above zero is divided by its standard deviation and compressed as x / (x + 1.5), so that a few loud hits do
/// not dominate.
struct OnsetEnvelopes {
  typealias Lanes = SIMD8<Float>
  static let columnsPerSecond = BandSpectrogram.layout.columnsPerSecond
  /// Upper edges of lanes 0 to 3, in Hz.
  static let edges: [Float] = [150, 400, 1500, 5000]
  /// Short names of the lanes, which are part of the names of features.
  static let laneNames = [
    "to_150_hz", "to_400_hz", "to_1500_hz", "to_5000_hz", "above_5000_hz", "all_bands", "harmony", "loud",
  ]

  /// Onset strengths by column, each lane in 0..<1.
  let values: [Lanes]
  /// The mean of each lane before anything is subtracted, which shows how busy the lane is.
  let activity: Lanes
  /// Root mean square of the signal, full scale 1.
  let level: Float

  /// Power of the signal by column, in an arbitrary unit.
  let powers: [Float]
  /// The input of the beat network, computed from the same bands.
  let networkInput: BeatNetworkInput
  let chords: ChordCourse

  var columnCount: Int { values.count }

  init(_ bands: BandSpectrogram) {
    let count = bands.columnCount
    powers = bands.columnPowers
    let energy = bands.meanSquare
    level = Float(energy.squareRoot())
    var input = BeatNetworkInput(columnCount: count)
    guard level > 0, level.isFinite else {
      networkInput = input
      values = [Lanes](repeating: .zero, count: count)
      activity = .zero
      chords = ChordCourse()
      return
    }
    var raw = [Lanes](repeating: .zero, count: count)
    chords = Self.addLogFlux(of: bands, gain: Float(0.01 / energy), to: &raw, and: &input)
    Self.addRootFlux(of: bands, gain: Float(0.01 / energy), to: &raw)
    (values, activity) = Self.normalized(raw)
    input.finish()
    networkInput = input
  }

  /// Returns the index of the first band whose center is not below a frequency in Hz.
  static func index(of frequency: Float) -> Int {
    let centers = BandSpectrogram.bank.centers
    return centers.firstIndex { $0 >= frequency } ?? centers.count
  }

  private static let groups: [Range<Int>] = zip([0] + edges, edges + [.infinity]).map { index(of: $0)..<index(of: $1) }

  /// Computes lanes 0 to 6, the network input and the chords.
  private static func addLogFlux(
    of bands: BandSpectrogram, gain: Float, to raw: inout [Lanes], and input: inout BeatNetworkInput
  ) -> ChordCourse {
    let count = bands.columnCount
    let logs = LogRows(count: 2 * HarmonicChange.reach + 1)
    var harmony = HarmonicChange()
    var chords = ChordCourse()
    var rises = [Float](repeating: 0, count: LogRows.width)
    let groups = groups
    bands.powers.withUnsafeBufferPointer { powers in
      rises.withUnsafeMutableBufferPointer { rises in
        guard let source = powers.baseAddress, let rises = rises.baseAddress else { return }
        for column in 0..<count {
          let now = unsafe logs.write(source + column * BandSpectrogram.bandCount, gain: gain, at: column)
          if column >= 2 { raw[column] = unsafe flux(from: logs[column - 2], to: now, groups, rises) }
          unsafe input.add(column: column, levels: now, rises: rises)
          let isFrame = column % ChordCourse.columnsPerFrame == 0 && column + ChordCourse.columnsPerFrame <= count
          if isFrame { unsafe chords.append(now) }
          if let change = harmony.next(logs, column) { raw[column - HarmonicChange.reach][6] = change }
        }
      }
    }
    chords.finish()
    return chords
  }

  /// Computes lanes 0 to 5 of a column and the rises of its bands.
  @inline(__always)
  private static func flux(
    from then: UnsafePointer<Float>, to now: UnsafePointer<Float>, _ groups: [Range<Int>],
    _ rises: UnsafeMutablePointer<Float>
  ) -> Lanes {
    for band in stride(from: 0, to: LogRows.width, by: 8) {
      let past = unsafe larger(larger(load(then, band - 1), load(then, band)), load(then, band + 1))
      let rise = unsafe larger(load(now, band) - past, .zero)
      unsafe UnsafeMutableRawPointer(rises + band).storeBytes(of: rise, as: SIMD8<Float>.self)
    }
    var lanes = Lanes.zero
    for (lane, group) in groups.enumerated() {
      var sum: Float = 0
      for band in group { sum += unsafe rises[band] }
      lanes[lane] = sum
      lanes[5] += sum
    }
    return lanes
  }

  /// Computes lane 7.
  private static func addRootFlux(of bands: BandSpectrogram, gain: Float, to raw: inout [Lanes]) {
    let width = BandSpectrogram.bandCount
    let vectors = width / 8
    var rows = [SIMD8<Float>](repeating: .zero, count: 3 * vectors)
    bands.powers.withUnsafeBufferPointer { powers in
      guard let source = powers.baseAddress else { return }
      for column in 0..<raw.count {
        let now = column % 3 * vectors
        let then = (column + 1) % 3 * vectors
        var sum = SIMD8<Float>.zero
        for vector in 0..<vectors {
          let power = unsafe gain * load(source, column * width + 8 * vector)
          let root = power.squareRoot().squareRoot()
          rows[now + vector] = root
          sum += larger(root - rows[then + vector], .zero)
        }
        raw[column][7] = column < 2 ? 0 : sum.sum()
      }
    }
  }

  private static func normalized(_ raw: [Lanes]) -> (values: [Lanes], activity: Lanes) {
    let count = raw.count
    guard count > 0 else { return ([], .zero) }
    // The mean covers the second around each column, and less at the ends.
    let half = Int((0.5 * columnsPerSecond).rounded())
    var values = [Lanes](repeating: .zero, count: count)
    var sum = SIMD8<Double>.zero
    var total = SIMD8<Double>.zero
    for column in 0..<min(half, count) { sum += SIMD8<Double>(raw[column]) }
    var squares = SIMD8<Double>.zero
    var rest = SIMD8<Double>.zero
    for column in 0..<count {
      if column + half < count { sum += SIMD8<Double>(raw[column + half]) }
      if column > half { sum -= SIMD8<Double>(raw[column - half - 1]) }
      let neighbors = min(column + half, count - 1) - max(column - half, 0) + 1
      let mean = Lanes(sum / Double(neighbors))
      let value = larger(raw[column] - mean, .zero)
      values[column] = value
      total += SIMD8<Double>(raw[column])
      rest += SIMD8<Double>(value)
      squares += SIMD8<Double>(value * value)
    }
    let mean = rest / Double(count)
    let variance = squares / Double(count) - mean * mean
    let deviation = Lanes(pointwiseMax(variance, .zero).squareRoot())
    // A lane without any onsets stays at zero.
    let floor = 1e-6 * Lanes(total / Double(count)) + 1e-9
    for column in 0..<count {
      let x = values[column] / larger(deviation, floor)
      values[column] = x / (x + 1.5)
    }
    return (values, Lanes(total / Double(count)))
  }
}

/// Returns the larger of two values. `pointwiseMax` is not inlined and would take a sixth of the analyzer's time.
@inline(__always)
func larger(_ a: SIMD8<Float>, _ b: SIMD8<Float>) -> SIMD8<Float> { a.replacing(with: b, where: b .> a) }
