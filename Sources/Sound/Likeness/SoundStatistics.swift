internal import DSP
internal import Mathematics

/// The statistics of about ten seconds of audio: timbre, its variation and correlations, onsets and their
/// periodicities, tonality and steadiness.
///
/// All of them are relative to the mean power, so they do not depend on the gain. docs/likeness.md lists them;
/// `Benchmarks/likeness/descriptor.py` computes the same statistics for fitting.
struct SoundStatistics {
  /// Number of frames per block.
  static let blockLength = 256
  private static let cepstrumCount = 13
  private static let groups = [0..<4, 4..<8, 8..<13, 13..<19, 19..<25, 25..<32]
  /// Edges of the modulation bands, in bins of the transform of a block: 0.3 to 12.5 Hz.
  private static let pulses = [3, 5, 8, 12, 18, 27, 40, 60, 90, 128]
  /// Power, relative to the mean, that is added before taking the logarithm.
  private static let floor: Float = 1e-5
  /// Minimum mean power of a bin in a block that is not silent: the power of noise at -86 dB.
  private static let minPower: Float = 1e-6
  static let count =
    3 * SoundFrame.bandCount + cepstrumCount * (cepstrumCount + 1) / 2 + groups.count * pulses.count
    + 2 * SoundFrame.toneCount

  /// DCT-II matrix, one row per coefficient; orthonormal except for the first row.
  private static let cosines: [Float] = (0..<cepstrumCount * SoundFrame.bandCount).map { index in
    let (row, band) = (index / SoundFrame.bandCount, Double(index % SoundFrame.bandCount))
    let count = Double(SoundFrame.bandCount)
    return Float((2 / count).squareRoot() * cos(Double.pi * Double(row) * (band + 0.5) / count))
  }
  private static let window = hannWindow(length: blockLength)

  private var bands: [Float] = []
  private var tones: [Float] = []
  private let transform = RealFFT(length: blockLength)

  var frameCount: Int { tones.count / SoundFrame.toneCount }

  mutating func append(_ frame: SoundFrame) {
    bands += frame.bands
    tones += frame.tones
  }

  /// Ends the block and starts the next one.
  ///
  /// - Returns: `count` numbers, and their weight, which grows with the length and the loudness of the block; `nil` if
  ///   the block is silent or has fewer than two frames.
  mutating func next() -> (numbers: [Float], weight: Double)? {
    defer {
      bands.removeAll(keepingCapacity: true)
      tones.removeAll(keepingCapacity: true)
    }
    let frames = frameCount
    guard frames > 1 else { return nil }
    let mean = Self.sum(bands) / Float(bands.count)
    guard mean.isFinite, mean >= Self.minPower else { return nil }
    let levels = logarithms(of: bands, relativeTo: mean)
    var numbers: [Float] = []
    numbers.reserveCapacity(Self.count)

    let color = moments(of: levels, width: SoundFrame.bandCount)
    numbers += color.means
    numbers += color.deviations

    numbers += cepstra(of: levels)

    let (changes, rises) = self.changes(of: levels)
    numbers += changes
    numbers += pulses(in: rises)

    let tonality = moments(of: tones, width: SoundFrame.toneCount)
    numbers += tonality.means
    numbers += tonality.deviations
    guard numbers.allSatisfy(\.isFinite) else { return nil }
    return (numbers, Double(frames) * Double(mean).squareRoot().squareRoot())
  }

  private func logarithms(of powers: [Float], relativeTo mean: Float) -> [Float] {
    var levels = [Float](repeating: 0, count: powers.count)
    let scale = 1 / mean
    // The number of bands is a multiple of eight.
    for start in stride(from: 0, to: powers.count, by: 8) {
      var values = SIMD8<Float>()
      for lane in 0..<8 { values[lane] = powers[start + lane] }
      let logs = naturalLog(values * scale + Self.floor)
      for lane in 0..<8 { levels[start + lane] = logs[lane] }
    }
    return levels
  }

  private static func sum(_ values: [Float]) -> Float {
    // Double precision keeps loud frames from masking the others.
    Float(values.reduce(0.0) { $0 + Double($1) })
  }

  /// Returns the mean and the standard deviation of each of `width` curves.
  private func moments(of values: [Float], width: Int) -> (means: [Float], deviations: [Float]) {
    let frames = values.count / width
    var means = [Float](repeating: 0, count: width)
    var deviations = means
    for frame in 0..<frames { for index in 0..<width { means[index] += values[frame * width + index] } }
    for index in 0..<width { means[index] /= Float(frames) }
    for frame in 0..<frames {
      for index in 0..<width {
        let difference = values[frame * width + index] - means[index]
        deviations[index] += difference * difference
      }
    }
    return (means, deviations.map { ($0 / Float(frames)).squareRoot() })
  }

  /// Returns the correlations of the cepstral coefficients, row by row above the diagonal, followed by the logarithms
  /// of their standard deviations.
  private func cepstra(of levels: [Float]) -> [Float] {
    let (frames, width, bands) = (frameCount, Self.cepstrumCount, SoundFrame.bandCount)
    var cepstra = [Float](repeating: 0, count: width * frames)
    for row in 0..<width {
      for frame in 0..<frames {
        var sum: Float = 0
        for band in 0..<bands { sum += Self.cosines[row * bands + band] * levels[frame * bands + band] }
        cepstra[row * frames + frame] = sum
      }
      let mean = Self.sum(Array(cepstra[row * frames..<(row + 1) * frames])) / Float(frames)
      for frame in 0..<frames { cepstra[row * frames + frame] -= mean }
    }
    func covariance(_ first: Int, _ second: Int) -> Float {
      var sum: Float = 0
      for frame in 0..<frames { sum += cepstra[first * frames + frame] * cepstra[second * frames + frame] }
      return sum / Float(frames)
    }
    let deviations = (0..<width).map { covariance($0, $0).squareRoot() + 0.05 }
    var numbers: [Float] = []
    for row in 0..<width {
      for other in row + 1..<width { numbers.append(covariance(row, other) / (deviations[row] * deviations[other])) }
    }
    return numbers + deviations.map { log($0) }
  }

  /// Returns the mean absolute change of each band from one frame to the next, and the mean rise of each group of
  /// bands, frame by frame.
  private func changes(of levels: [Float]) -> (changes: [Float], rises: [[Float]]) {
    let (frames, bands) = (frameCount, SoundFrame.bandCount)
    var changes = [Float](repeating: 0, count: bands)
    var rises = Self.groups.map { _ in [Float](repeating: 0, count: frames - 1) }
    for frame in 1..<frames {
      for (index, group) in Self.groups.enumerated() {
        var sum: Float = 0
        for band in group {
          let change = levels[frame * bands + band] - levels[(frame - 1) * bands + band]
          changes[band] += abs(change)
          sum += max(0, change)
        }
        rises[index][frame - 1] = sum / Float(group.count)
      }
    }
    return (changes.map { $0 / Float(frames - 1) }, rises)
  }

  /// Returns the logarithm of the mean rise of each group, followed for each group by the logarithms of the modulation
  /// bands' shares of the energy of its rises.
  private func pulses(in rises: [[Float]]) -> [Float] {
    let means = rises.map { Self.sum($0) / Float($0.count) }
    var numbers = means.map { log($0 + 1e-2) }
    for (curve, mean) in zip(rises, means) {
      let centered = curve.indices.map { (curve[$0] - mean) * Self.window[$0] }
      let powers = transform.transform(centered.span) { bins in
        zip(Self.pulses, Self.pulses.dropFirst()).map { low, high in
          (low..<high).reduce(0 as Float) { $0 + bins[2 * $1] * bins[2 * $1] + bins[2 * $1 + 1] * bins[2 * $1 + 1] }
        }
      }
      let total = Self.sum(powers) + 1e-9
      numbers += powers.map { log($0 / total + 1e-3) }
    }
    return numbers
  }
}
