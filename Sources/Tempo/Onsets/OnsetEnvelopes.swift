internal import Analysis
internal import DSP

/// How strongly sounds begin, column by column, separated by their place in the spectrum.
///
/// Lanes 0 to 4 are the log flux of five bands, lane 5 that of all bands: max(0, Y[t] − max of Y[t−2] over the
/// neighboring bands), Y = ½·ln(1 + (100·S)²), where the maximum keeps vibrato from looking like onsets (SuperFlux,
/// Böck and Widmer, DAFx 2013). Lane 6 is harmonic change: how much the mean of Y over the next 0.2 s exceeds that over
/// the last 0.2 s, between 100 and 2,500 Hz. Lane 7 is the flux of √S, in which loud events count for more than in the
/// logarithm.
///
/// S is scaled to a signal with a root mean square of 0.1. Each lane is reduced by its mean over one second; what
/// remains above zero is divided by its standard deviation and compressed as x / (x + 1.5), so a few loud hits do not
/// dominate.
struct OnsetEnvelopes {
  typealias Lanes = SIMD8<Float>
  static let columnsPerSecond = BandSpectrogram.layout.columnsPerSecond
  /// Upper edges in hertz of lanes 0 to 3.
  static let edges: [Float] = [150, 400, 1500, 5000]
  /// The names of the lanes in feature names.
  static let laneNames = [
    "to_150_hz", "to_400_hz", "to_1500_hz", "to_5000_hz", "above_5000_hz", "all_bands", "harmony", "loud",
  ]

  /// Each lane from 0 to below 1.
  let values: [Lanes]
  /// The mean of each lane before any subtraction: how busy each band is.
  let activity: Lanes
  /// Root mean square of the signal, full scale 1.
  let level: Float

  /// Power of the sound, column by column, in an arbitrary unit.
  let powers: [Float]
  /// The same bands for the network.
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

  /// Bands rounded up to whole vectors, with a vector before them for the lower neighbor of the first.
  private static let rowWidth = (BandSpectrogram.bandCount + 7) / 8 * 8
  private static let rowStride = rowWidth + 16

  private static func index(of frequency: Float) -> Int {
    let centers = BandSpectrogram.bank.centers
    return centers.firstIndex { $0 >= frequency } ?? centers.count
  }

  private static let groups: [Range<Int>] = zip([0] + edges, edges + [.infinity]).map { index(of: $0)..<index(of: $1) }

  @inline(__always)
  private static func load(_ base: UnsafePointer<Float>, _ offset: Int) -> SIMD8<Float> {
    unsafe UnsafeRawPointer(base + offset).loadUnaligned(as: SIMD8<Float>.self)
  }

  /// Lanes 0 to 6, and the chords.
  private static func addLogFlux(
    of bands: BandSpectrogram, gain: Float, to raw: inout [Lanes], and input: inout BeatNetworkInput
  ) -> ChordCourse {
    let count = bands.columnCount
    let width = BandSpectrogram.bandCount
    // Below every logarithm, so the rim never wins a maximum.
    var logs = [Float](repeating: -1, count: count * rowStride)
    let scale = SIMD8<Float>(repeating: gain * 1e4)
    bands.powers.withUnsafeBufferPointer { powers in
      logs.withUnsafeMutableBufferPointer { logs in
        guard let source = powers.baseAddress, let target = logs.baseAddress else { return }
        for column in 0..<count {
          let row = unsafe target + (column * rowStride + 8)
          var band = 0
          while band + 8 <= width {
            let log = unsafe 0.5 * naturalLog(1 + scale * load(source, column * width + band))
            unsafe UnsafeMutableRawPointer(row + band).storeBytes(of: log, as: SIMD8<Float>.self)
            band += 8
          }
          while band < width {
            unsafe row[band] = 0.5 * naturalLog(1 + scale[0] * source[column * width + band])[0]
            band += 1
          }
        }
      }
    }
    var rise = [Float](repeating: 0, count: rowWidth)
    let groups = groups
    logs.withUnsafeBufferPointer { logs in
      rise.withUnsafeMutableBufferPointer { rise in
        guard let base = logs.baseAddress, let target = rise.baseAddress else { return }
        for column in 0..<min(2, count) {
          unsafe input.add(column: column, levels: base + (column * rowStride + 8), rises: target)
        }
        for column in stride(from: 2, to: count, by: 1) {
          let now = unsafe base + (column * rowStride + 8)
          let then = unsafe base + ((column - 2) * rowStride + 8)
          for band in stride(from: 0, to: rowWidth, by: 8) {
            let past = unsafe larger(
              larger(load(then, band - 1), load(then, band)), load(then, band + 1))
            let step = unsafe larger(load(now, band) - past, .zero)
            unsafe UnsafeMutableRawPointer(target + band).storeBytes(of: step, as: SIMD8<Float>.self)
          }
          var all: Float = 0
          for (lane, group) in groups.enumerated() {
            var sum: Float = 0
            for band in group { sum += unsafe target[band] }
            raw[column][lane] = sum
            all += sum
          }
          raw[column][5] = all
          unsafe input.add(column: column, levels: now, rises: target)
        }
      }
    }
    addHarmonicChange(of: logs, to: &raw)
    return logs.withUnsafeBufferPointer { logs in
      guard let base = logs.baseAddress else { return ChordCourse() }
      return ChordCourse(columnCount: count) { unsafe base + ($0 * rowStride + 8) }
    }
  }

  /// Lane 6.
  private static func addHarmonicChange(of logs: [Float], to raw: inout [Lanes]) {
    let count = raw.count
    let reach = Int((0.2 * columnsPerSecond).rounded())
    guard count > 2 * reach else { return }
    let first = index(of: 100)
    let vectors = (index(of: 2500) - first) / 8
    var difference = [SIMD8<Float>](repeating: .zero, count: vectors)
    logs.withUnsafeBufferPointer { logs in
      difference.withUnsafeMutableBufferPointer { difference in
        guard let base = logs.baseAddress else { return }
        for column in 0..<(2 * reach) {
          let row = unsafe base + (column * rowStride + 8 + first)
          for vector in 0..<vectors {
            unsafe difference[vector] += column < reach ? -load(row, 8 * vector) : load(row, 8 * vector)
          }
        }
        // `difference` is the sum over column ..< column + reach minus that over column − reach ..< column.
        for column in reach..<(count - reach) {
          var sum = SIMD8<Float>.zero
          let past = unsafe base + ((column - reach) * rowStride + 8 + first)
          let now = unsafe base + (column * rowStride + 8 + first)
          let next = unsafe base + ((column + reach) * rowStride + 8 + first)
          for vector in 0..<vectors {
            let current = unsafe difference[vector]
            sum += larger(current, .zero)
            unsafe difference[vector] =
              current + load(past, 8 * vector) - 2 * load(now, 8 * vector) + load(next, 8 * vector)
          }
          raw[column][6] = sum.sum() / Float(reach)
        }
      }
    }
  }

  /// Lane 7.
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
    // The mean over a second around each column, as far as it exists.
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

/// Same as `pointwiseMax`, which is not inlined and would take a sixth of the analyzer's time.
@inline(__always)
func larger(_ a: SIMD8<Float>, _ b: SIMD8<Float>) -> SIMD8<Float> { a.replacing(with: b, where: b .> a) }

/// The logarithm of one number in all lanes of a vector.
private func naturalLog(_ x: Float) -> SIMD8<Float> { DSP.naturalLog(SIMD8(repeating: x)) }
