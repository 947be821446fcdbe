import AnalysisTesting
import CKernels
import Glibc
import Testing

/// The transforms of codecs at every offset, compared with their definitions.
@Suite(.bounded) struct FrameGridKernelTests {
  private func random(_ count: Int, _ generator: inout SplitMix64) -> [Float] {
    (0..<count).map { _ in Float.random(in: -1...1, using: &generator) }
  }

  /// The logarithm to base 2, interpolated linearly between powers of two, in steps of 1/4096.
  private func logarithm(_ x: Double) -> Double {
    ((Double(x.exponent) + x.significand - 1) * 4096).rounded(.down) / 4096
  }

  /// The sum for a coefficient of left, right, their mean and half their difference.
  private func logarithms(_ left: Double, _ right: Double, floor: Double) -> Double {
    [left, right, (left + right) / 2, (left - right) / 2].reduce(0) { $0 + logarithm($1 * $1 + floor) }
  }

  // MARK: - MDCT

  @Test(arguments: [4, 5], [1, 3, 9]) func lappedTransforms(firstBin: Int, offsetCount: Int) {
    var generator = SplitMix64.fresh()
    let (block, binCount, groupCount, floor) = (32, 16, 2, 1e-3)
    let harmonics: [Float] = [0.9, -0.3]
    let channels = [random(offsetCount + 2 * block, &generator), random(offsetCount + 2 * block, &generator)]
    /// A Fourier bin at half-sample positions.
    func bin(_ j: Int, _ samples: [Float], _ offset: Int) -> (real: Double, imaginary: Double) {
      var (real, imaginary) = (0.0, 0.0)
      for n in 0..<2 * block {
        let angle = Double.pi * (Double(n) + 0.5) * Double(j) / Double(block)
        real += Double(samples[offset + n]) * cos(angle)
        imaginary += Double(samples[offset + n]) * sin(angle)
      }
      return (real, imaginary)
    }
    let bins = (firstBin - harmonics.count + 1)..<(firstBin + binCount + harmonics.count + 1)
    var starts = channels.map { samples in
      let found = bins.map { bin($0, samples, 0) }
      return found.map { Float($0.real) } + found.map { Float($0.imaginary) }
    }
    var scratch = [Float](repeating: 7, count: CFRAMEGRIDS_SCRATCH)
    var scores = [Float](repeating: 9, count: groupCount * offsetCount + 1)
    harmonics.withUnsafeBufferPointer { harmonics in
      var grid = cframegrids_lapped(
        block_length: block, first_bin: firstBin, bin_count: binCount, group_count: groupCount,
        harmonics: harmonics.baseAddress, harmonic_count: harmonics.count, floor: Float(floor))
      var (left, right) = (starts[0], starts[1])
      cframegrids_score_lapped(&grid, channels[0], channels[1], offsetCount, &left, &right, &scratch, &scores)
      starts = [left, right]
    }
    for offset in 0..<offsetCount {
      let spectra = channels.map { samples in bins.map { bin($0, samples, offset) } }
      for group in 0..<groupCount {
        var expected = 0.0
        for k in group * 8..<group * 8 + 8 {
          let sign: Double = (firstBin + k).isMultiple(of: 2) ? 1 : -1
          let coefficients = spectra.map { spectrum in
            harmonics.indices.reduce(0.0) { sum, m in
              let (upper, lower) = (spectrum[harmonics.count + k + m], spectrum[harmonics.count - 1 + k - m])
              let difference = upper.real - lower.real + sign * (upper.imaginary - lower.imaginary)
              return sum + Double(harmonics[m]) * difference
            }
          }
          expected += logarithms(coefficients[0], coefficients[1], floor: floor)
        }
        #expect(abs(Double(scores[group * offsetCount + offset]) - expected) < 0.02)
      }
    }
    #expect(scores.last == 9)
  }

  // MARK: - MPEG

  /// Samples of the subbands of one channel, by slot and band.
  private func subbands(_ samples: [Float], _ prototype: [Float], phase: Int, bands: Range<Int>) -> [[Double]] {
    let cosines = (0..<64).map { n in
      bands.map { cos(Double(2 * $0 + 1) * Double(n - 16) * Double.pi / 64) }
    }
    return (0..<CFRAMEGRIDS_HYBRID_ROWS).map { slot in
      let newest = phase + 32 * slot + CFRAMEGRIDS_TAPS - 1
      var row = [Double](repeating: 0, count: bands.count)
      for n in 0..<64 {
        var folded = 0.0
        for part in 0..<8 {
          let value = Double(prototype[64 * part + n]) * Double(samples[newest - 64 * part - n])
          folded += part.isMultiple(of: 2) ? value : -value
        }
        for band in row.indices { row[band] += folded * cosines[n][band] }
      }
      return row
    }
  }

  /// Coefficients of layer III, by number and band.
  private func hybrid(_ rows: [[Double]], slot: Int) -> [[Double]] {
    let bandCount = rows[0].count
    var coefficients = (0..<18).map { k in
      (0..<bandCount).map { band in
        (0..<36).reduce(0.0) { sum, m in
          let window = sin(Double.pi / 36 * (Double(m) + 0.5))
          let angle = Double.pi / 72 * Double(2 * m + 19) * Double(2 * k + 1)
          // Odd subbands have an inverted spectrum.
          let sample = (slot + m) % 2 == 1 && band % 2 == 1 ? -rows[slot + m][band] : rows[slot + m][band]
          return sum + window * cos(angle) / 3 * sample
        }
      }
    }
    let parity: Double = slot.isMultiple(of: 2) ? 1 : -1
    for (s, alias) in [-0.6, -0.535, -0.33, -0.185, -0.095, -0.041, -0.0142, -0.0037].enumerated() {
      let cosine = 1 / (1 + alias * alias).squareRoot()
      let sine = parity * alias * cosine
      let (upper, lower) = (coefficients[17 - s], coefficients[s])
      for band in 0..<bandCount - 1 {
        coefficients[17 - s][band] = upper[band] * cosine + lower[band + 1] * sine
        coefficients[s][band + 1] = lower[band + 1] * cosine - upper[band] * sine
      }
    }
    return coefficients
  }

  @Test(arguments: [(9, 17), (0, 7), (31, 31)]) func filterBanksOfMPEG(firstBand: Int, lastBand: Int) {
    var generator = SplitMix64.fresh()
    let bands = firstBand / 8 * 8..<(lastBand / 8 + 1) * 8
    let groupCount = bands.count / 8
    let floors: [Float] = [1e-3, 2e-3]
    let prototype = random(CFRAMEGRIDS_TAPS, &generator).map { 0.1 * $0 }
    let channels = (0..<2).map { _ in random(CFRAMEGRIDS_HYBRID_SAMPLES, &generator) }
    var rows = [Float](repeating: 7, count: 2 * CFRAMEGRIDS_HYBRID_ROWS * CFRAMEGRIDS_BANDS)
    var subbandScores = [Float](repeating: 9, count: groupCount * 32 + 1)
    var hybridScores = [Float](repeating: 9, count: groupCount * CFRAMEGRIDS_HYBRID_OFFSETS + 1)
    cframegrids_score_mpeg(
      prototype, firstBand, lastBand, channels[0], channels[1], floors, &rows, &subbandScores, &hybridScores)
    #expect(subbandScores.last == 9 && hybridScores.last == 9)
    for phase in [0, 31] {
      let found = channels.map { subbands($0, prototype, phase: phase, bands: bands) }
      for group in 0..<groupCount {
        var expected = 0.0
        for slot in 0..<CFRAMEGRIDS_HYBRID_ROWS {
          for band in group * 8..<group * 8 + 8 {
            expected += logarithms(found[0][slot][band], found[1][slot][band], floor: Double(floors[0]))
          }
        }
        #expect(abs(Double(subbandScores[group * 32 + phase]) - expected) < 0.05)
      }
      for slot in [0, 1, CFRAMEGRIDS_HYBRID_SLOTS - 1] {
        let coefficients = found.map { hybrid($0, slot: slot) }
        for group in 0..<groupCount {
          var expected = 0.0
          for k in 0..<18 {
            for band in group * 8..<group * 8 + 8 {
              expected += logarithms(coefficients[0][k][band], coefficients[1][k][band], floor: Double(floors[1]))
            }
          }
          let score = hybridScores[group * CFRAMEGRIDS_HYBRID_OFFSETS + slot * 32 + phase]
          #expect(abs(Double(score) - expected) < 0.05)
        }
      }
    }
  }
}
