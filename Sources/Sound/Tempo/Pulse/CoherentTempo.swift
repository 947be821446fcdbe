internal import Mathematics

/// A constant tempo, accurate to a few thousandths of a beat per minute: the tempo at which the whole envelope adds up
/// in phase, at the beat and at its divisions by two and four.
///
/// The tempo at the center of the search is mixed down to 0 Hz, and the result is summed over quarters of a second, so
/// the search itself processes only a few values.
struct CoherentTempo {
  private struct Harmonic {
    var multiple: Double
    var weight: Double
    var real: [Double]
    var imaginary: [Double]
  }

  private let center: Double
  private let blockSeconds: Double
  private var harmonics: [Harmonic] = []

  init(_ envelope: [Float], near bpm: Double, columnsPerSecond rate: Double) {
    center = bpm
    let block = max(1, Int(0.25 * rate))
    blockSeconds = Double(block) / rate
    let count = envelope.count
    let blocks = (count + block - 1) / block
    for (multiple, weight) in [(1.0, 1.0), (2.0, 1.0), (4.0, 0.7)] {
      var harmonic = Harmonic(
        multiple: multiple, weight: weight, real: [Double](repeating: 0, count: blocks),
        imaginary: [Double](repeating: 0, count: blocks))
      let step = -2 * Double.pi * bpm / 60 * multiple / rate
      let (cosStep, sinStep) = (cos(step), sin(step))
      for index in 0..<blocks {
        // The rotation restarts in each block, so that errors do not accumulate.
        var (re, im) = (cos(step * Double(index * block)), sin(step * Double(index * block)))
        var (sumRe, sumIm) = (0.0, 0.0)
        for column in (index * block)..<min(count, (index + 1) * block) {
          let window = 0.5 - 0.5 * Self.cosine(Double(column) / Double(count))
          let value = Double(envelope[column]) * window
          sumRe += value * re
          sumIm += value * im
          (re, im) = (re * cosStep - im * sinStep, re * sinStep + im * cosStep)
        }
        harmonic.real[index] = sumRe
        harmonic.imaginary[index] = sumIm
      }
      harmonics.append(harmonic)
    }
  }

  /// Returns cos(2π·x) for x from 0 to 1. It is accurate to 1e-3, which is enough for tapering the ends.
  private static func cosine(_ x: Double) -> Double {
    let y = abs(x - 0.5) * 4 - 1
    return y * (1.5707 - y * y * (0.6421 - 0.0714 * y * y))
  }

  /// Returns the magnitude of the coherent sum at a tempo.
  func strength(at bpm: Double) -> Double { strengths(at: SIMD4(repeating: bpm))[0] }

  /// Returns the strengths at four tempi. Four take no longer than one, because each step of a sum has to wait for the
  /// previous rotation.
  private func strengths(at bpm: SIMD4<Double>) -> SIMD4<Double> {
    var sums = SIMD4<Double>.zero
    for harmonic in harmonics {
      let steps = -2 * Double.pi * (bpm - center) / 60 * harmonic.multiple * blockSeconds
      let cosSteps = SIMD4(cos(steps[0]), cos(steps[1]), cos(steps[2]), cos(steps[3]))
      let sinSteps = SIMD4(sin(steps[0]), sin(steps[1]), sin(steps[2]), sin(steps[3]))
      var (re, im) = (SIMD4<Double>.one, SIMD4<Double>.zero)
      var (sumRe, sumIm) = (SIMD4<Double>.zero, SIMD4<Double>.zero)
      for index in harmonic.real.indices {
        let (x, y) = (harmonic.real[index], harmonic.imaginary[index])
        sumRe += x * re - y * im
        sumIm += x * im + y * re
        (re, im) = (re * cosSteps - im * sinSteps, re * sinSteps + im * cosSteps)
      }
      sums += harmonic.weight * (sumRe * sumRe + sumIm * sumIm).squareRoot()
    }
    return sums
  }

  /// Returns the strongest tempo within `range` (a relative difference) of the center.
  func strongest(within range: Double) -> Double {
    var best = (bpm: center, strength: strength(at: center))
    var width = range
    for _ in 0..<4 {
      let middle = best.bpm
      // These are the steps -20, -19, … 20 without 0, which is already known.
      for first in [-20, -16, -12, -8, -4, 1, 5, 9, 13, 17] {
        let steps = SIMD4(Double(first), Double(first + 1), Double(first + 2), Double(first + 3))
        let tempi = middle * (1 + width * steps / 20)
        let values = strengths(at: tempi)
        for lane in 0..<4 where values[lane] > best.strength { best = (tempi[lane], values[lane]) }
      }
      width /= 12
    }
    return best.bpm
  }
}
