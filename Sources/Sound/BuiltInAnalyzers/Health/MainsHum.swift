internal import DSP
internal import Foundation

/// Detects mains hum of 50 or 60 Hz with harmonics: narrow spectral lines of constant level and phase, independent of
/// the music.
///
/// In spectra of about 3 s, each line is a complex number. Over half a minute, a hum line is a constant (rotating
/// slowly if the mains frequency is slightly off) that stands out from the neighboring bins. Bass notes end, or are off
/// by about 1 Hz. Loops of a bass drum, unlike hum, have lines at both 50 and 60 Hz or at the control frequencies
/// (`others`).
struct MainsHum {
  private static let bases: [Double] = [50, 60]
  private static let harmonicCount = 3
  /// Control frequencies, which are neither harmonics of the mains nor notes in tune: a steady line at one of them is a
  /// loop.
  private static let others: [Double] = [45, 65, 70, 75, 80, 85, 90, 95, 105, 115, 130, 140, 160, 170]
  private static let frameLimit = 3000
  /// Number of frames per stretch of half a minute.
  private static let stretch = 19
  /// Minimum number of frames in a file.
  private static let minFrames = 6
  /// Deviations of the mains frequency to test, in Hz. They are multiplied by the number of the harmonic.
  private static let deviations = (-5...5).map { Double($0) * 0.01 }

  private struct Line {
    var real: Float
    var imaginary: Float
    /// Power of the neighboring bins.
    var beside: Float
  }

  private struct Measures {
    /// Power of the constant relative to that of the neighboring bins, summed over frames.
    var ratio = 0.0
    /// Share of frames that deviate from the constant by less than half its magnitude.
    var share = 0.0
    /// `share` weighted by frame: frames in which music masks the line count less.
    var weightedShare = 0.0
    /// Level in dB relative to a full-scale sine.
    var level = -200.0
  }

  /// Decimation factor: number of quarters of cells per decimated sample.
  private let factor: Int
  private let rate: Double
  /// Filter taps, padded with zeros to whole registers.
  private let taps: [Lanes]
  private typealias Lanes = SIMD8<Float>
  private var quarters: [Float] = []
  private var signal: [Float] = []
  private let length: Int
  private let window: [Float]
  /// `nil` if the rate is too low for the harmonics.
  private let transform: RealFFT?
  /// Lines by index in `frequencies`, then frame.
  private var lines: [[Line]]

  init(sampleRate: Int) {
    let quarterRate = Double(sampleRate * SampleCells.quarterCount) / Double(SampleCells.length)
    var factor = 1
    while quarterRate / Double(factor) >= 1000 { factor *= 2 }
    self.factor = factor
    let rate = quarterRate / Double(factor)
    self.rate = rate
    taps = Self.lowPass(factor)
    length = Int(3.2 * rate / 40) * 40
    let length = self.length
    window = (0..<length).map { Float(0.5 - 0.5 * cos(2 * Double.pi * Double($0) / Double(length))) }
    transform = rate >= 400 && length > 0 ? RealFFT(length: length) : nil
    lines = Array(repeating: [], count: Self.frequencies.count)
  }

  /// Returns a windowed sinc that also converts sums to means.
  private static func lowPass(_ factor: Int) -> [Lanes] {
    let quarter = 1 / Double(SampleCells.length / SampleCells.quarterCount)
    let count = factor > 1 ? 4 * factor : 1
    let weights = (0..<count).map { tap -> Double in
      if factor == 1 { return 1 }
      let x = (Double(tap) - Double(count - 1) / 2) * 0.9 / Double(factor)
      return sin(Double.pi * x) / (Double.pi * x)
        * (0.5 - 0.5 * cos(2 * Double.pi * (Double(tap) + 0.5) / Double(count)))
    }
    let sum = weights.reduce(0, +)
    return stride(from: 0, to: count, by: Lanes.scalarCount).map { first in
      var lanes = Lanes()
      for lane in 0..<min(Lanes.scalarCount, count - first) {
        lanes[lane] = Float(weights[first + lane] / sum * quarter)
      }
      return lanes
    }
  }

  /// - Parameter sums: Sums over quarters of cells.
  mutating func push(_ sums: Span<Float>) {
    guard let transform else { return }
    sums.withUnsafeBufferPointer { quarters += $0 }
    let reach = taps.count * Lanes.scalarCount
    let count = max(0, (quarters.count - reach) / factor + (quarters.count >= reach ? 1 : 0))
    quarters.withUnsafeBytes { bytes in
      taps.withUnsafeBufferPointer { taps in
        for output in 0..<count {
          var total = Lanes()
          for (index, tap) in taps.enumerated() {
            let place = (output * factor + index * Lanes.scalarCount) * MemoryLayout<Float>.stride
            unsafe total += tap * bytes.loadUnaligned(fromByteOffset: place, as: Lanes.self)
          }
          signal.append(total.sum())
        }
      }
    }
    quarters.removeFirst(count * factor)
    while signal.count >= length {
      if lines[0].count < Self.frameLimit { measure(transform) }
      signal.removeFirst(length / 2)
    }
  }

  private mutating func measure(_ transform: RealFFT) {
    let frame = (0..<length).map { signal[$0] * window[$0] }
    let time = Double(lines[0].count) * Double(length / 2) / rate
    let made = transform.transform(frame.span) { bins -> [Line] in
      func power(_ bin: Int) -> Float { bins[2 * bin] * bins[2 * bin] + bins[2 * bin + 1] * bins[2 * bin + 1] }
      return Self.frequencies.map { frequency in
        let place = frequency * Double(length) / rate
        let bin = Int(place.rounded())
        let beside = (3...9).flatMap { [power(bin - $0), power(bin + $0)] }.sorted()
        // Rotates the phase as if the frame began with the file. A full-scale sine has magnitude 1.
        let turn = -2 * Double.pi * frequency * time
        let scale = 4 / Double(length) / Self.response(place - Double(bin))
        let (c, s) = (Float(cos(turn) * scale), Float(sin(turn) * scale))
        let (real, imaginary) = (bins[2 * bin], bins[2 * bin + 1])
        return Line(
          real: real * c - imaginary * s, imaginary: real * s + imaginary * c,
          beside: (beside[6] + beside[7]) / 2 * Float(scale * scale))
      }
    }
    for (index, line) in made.enumerated() { lines[index].append(line) }
  }

  /// The bases with their harmonics, then the control frequencies.
  private static let frequencies = bases.flatMap { base in (1...harmonicCount).map { base * Double($0) } } + others

  /// Returns the response of the window at a distance of `bins` from a sine.
  private static func response(_ bins: Double) -> Double {
    abs(bins) < 1e-6 ? 1 : sin(Double.pi * bins) / (Double.pi * bins * (1 - bins * bins))
  }

  // MARK: Decision

  /// Returns a fault if at least half of the file has hum. Its strength is the level of the strongest line, in dB
  /// relative to a full-scale sine (the median over the stretches with hum).
  func fault(frameCount: Int64) -> Fault? {
    let count = lines[0].count
    guard count >= Self.minFrames else { return nil }
    let stretchCount = max(1, count / Self.stretch)
    var levels: [[Double]] = Array(repeating: [], count: Self.bases.count)
    for stretch in 0..<stretchCount {
      let range = count * stretch / stretchCount..<count * (stretch + 1) / stretchCount
      let measures = Self.frequencies.indices.map { index in
        let factor = index < Self.bases.count * Self.harmonicCount ? Double(index % Self.harmonicCount + 1) : 1
        return Self.deviations.map { fitted(lines[index][range], turn: $0 * factor) }
          .max { $0.ratio < $1.ratio } ?? Measures()
      }
      let elsewhere = measures[(Self.bases.count * Self.harmonicCount)...].filter { $0.weightedShare >= 0.6 }
      let bases = Self.bases.indices.map { base in
        measures[base * Self.harmonicCount..<(base + 1) * Self.harmonicCount]
      }
      for (base, lines) in bases.enumerated() {
        let steady = lines.filter { $0.weightedShare >= 0.5 && $0.ratio > 80 && $0.level > -90 }
        guard steady.count >= 2 else { continue }
        // Next to strong hum, weak lines are ignored.
        let second = steady.map(\.ratio).sorted()[steady.count - 2]
        let others = bases[1 - base].count { $0.share >= 0.5 && $0.ratio > max(15, 0.01 * second) }
        let isLoop = elsewhere.contains { $0.ratio > max(40, 0.1 * second) }
        if others < 2, !isLoop { levels[base].append(steady.map(\.level).max() ?? -200) }
      }
    }
    guard let found = levels.max(by: { $0.count < $1.count }), 2 * found.count >= stretchCount else { return nil }
    return Fault(
      kind: .hum, start: 0, end: frameCount, channel: nil, strength: found.sorted()[found.count / 2],
      confidence: found.count == stretchCount && stretchCount > 1 ? 0.9 : 0.8)
  }

  /// Fits a constant to a line that rotates by `turn` Hz.
  private func fitted(_ lines: ArraySlice<Line>, turn: Double) -> Measures {
    let usual = lines.map(\.beside).sorted()[lines.count / 2]
    var (real, imaginary, weights) = (0.0, 0.0, 0.0)
    var turned: [(real: Double, imaginary: Double, weight: Double)] = []
    for (frame, line) in lines.enumerated() {
      let angle = -2 * Double.pi * turn * Double(frame) * Double(length / 2) / rate
      let (c, s) = (cos(angle), sin(angle))
      let weight = 1 / (Double(line.beside + 0.1 * usual) + 1e-12)
      let value = (
        real: Double(line.real) * c - Double(line.imaginary) * s,
        imaginary: Double(line.real) * s + Double(line.imaginary) * c, weight: weight
      )
      real += weight * value.real
      imaginary += weight * value.imaginary
      weights += weight
      turned.append(value)
    }
    (real, imaginary) = (real / weights, imaginary / weights)
    let power = real * real + imaginary * imaginary
    let near = turned.filter { value in
      let (a, b) = (value.real - real, value.imaginary - imaginary)
      return a * a + b * b < 0.25 * power
    }
    return Measures(
      ratio: power * weights, share: Double(near.count) / Double(turned.count),
      weightedShare: near.reduce(0) { $0 + $1.weight } / weights, level: 10 * log10(power + 1e-20))
  }
}
