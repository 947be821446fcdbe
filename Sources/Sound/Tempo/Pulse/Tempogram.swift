internal import DSP
internal import Mathematics

/// The periodicity of an onset envelope at each tempo.
///
/// Two views with opposite errors are combined. The autocorrelation responds to a tempo and its fractions, a Fourier
/// tempogram to a tempo and its multiples (Peeters, EURASIP 2007; Grosche and Müller, TASLP 2011).
struct Tempogram {
  /// The tempi at which views are computed, in beats per minute, evenly spaced on a logarithmic scale.
  static let tempi: [Double] = {
    let (low, high, count) = (38.0, 260.0, 1280)
    return (0..<count).map { low * exp(log(high / low) * Double($0) / Double(count - 1)) }
  }()

  /// The weighted sum of the autocorrelation at the beat period and its multiples, relative to the energy, at least 0.
  let comb: [Float]
  /// The weighted sum of the whole envelope's Fourier magnitudes at the beat frequency and its multiples, relative to
  /// the largest magnitude.
  let wholeSpectrum: [Float]
  /// The same as `wholeSpectrum`, but averaged over windows of ten seconds, so that a drifting tempo does not blur it.
  let localSpectrum: [Float]
  /// The maximum of `comb` in each window of fifteen seconds, averaged over the windows: about 0.2 for noise or speech,
  /// above 1 for dance music.
  let clarity: Float

  init(_ envelope: [Float], columnsPerSecond rate: Double) {
    let count = envelope.count
    let mean = envelope.reduce(0, +) / Float(max(count, 1))
    let centered = envelope.map { $0 - mean }
    comb = Self.comb(of: centered[...], rate: rate)
    let short = min(count, Int(15 * rate))
    let combs = stride(from: 0, through: count - short, by: max(short / 2, 1)).map { start in
      Self.comb(of: centered[start..<start + short], rate: rate).max() ?? 0
    }
    clarity = combs.reduce(0, +) / Float(max(combs.count, 1))
    wholeSpectrum = Self.harmonics(of: [0..<count], in: centered, padding: 4, rate: rate)
    let length = min(count, Int(10 * rate))
    let starts = Array(stride(from: 0, through: count - length, by: max(length / 2, 1)))
    localSpectrum = Self.harmonics(of: starts.map { $0..<$0 + length }, in: centered, padding: 4, rate: rate)
  }

  private static func comb(of centered: ArraySlice<Float>, rate: Double) -> [Float] {
    let longest = Int(4 * 60 / tempi[0] * rate) + 2
    let correlation = autocorrelation(of: centered, longest: longest)
    let weights: [(Double, Float)] = [(1, 1), (2, 1), (3, 0.6), (4, 0.8)]
    return tempi.map { bpm in
      var sum: Float = 0
      for (multiple, weight) in weights { sum += weight * interpolate(correlation, 60 / bpm * rate * multiple) }
      return max(sum, 0)
    }
  }

  /// Returns the autocorrelation by lag in columns, as a share of the energy.
  static func autocorrelation(of centered: ArraySlice<Float>, longest: Int) -> [Float] {
    let count = centered.count
    let fft = RealFFT(length: fastLength(atLeast: 2 * count))
    let powers = fft.transform(centered.span) { bins in
      (0..<bins.count).map { $0.isMultiple(of: 2) ? bins[$0] * bins[$0] + bins[$0 + 1] * bins[$0 + 1] : 0 }
    }
    var correlation = fft.invert(powers.span) { values in
      (0..<min(count, longest)).map { values[$0] / Float(count - $0) }
    }
    let energy = max(correlation[0], .leastNormalMagnitude)
    for lag in correlation.indices { correlation[lag] /= energy }
    return correlation
  }

  private static func harmonics(
    of stretches: [Range<Int>], in centered: [Float], padding: Int, rate: Double
  ) -> [Float] {
    guard let length = stretches.first?.count, length > 0 else { return [Float](repeating: 0, count: tempi.count) }
    let fft = RealFFT(length: fastLength(atLeast: padding * length))
    let window = hannWindow(length: length)
    var magnitudes = [Float](repeating: 0, count: fft.binCount)
    for stretch in stretches {
      var weighted = window
      for index in 0..<length { weighted[index] *= centered[stretch.lowerBound + index] }
      fft.transform(weighted.span) { bins in
        for bin in magnitudes.indices {
          magnitudes[bin] += (bins[2 * bin] * bins[2 * bin] + bins[2 * bin + 1] * bins[2 * bin + 1]).squareRoot()
        }
      }
    }
    let largest = max(magnitudes.max() ?? 0, .leastNormalMagnitude)
    let binsPerHertz = Double(fft.length) / rate
    return tempi.map { bpm in
      let bin = bpm / 60 * binsPerHertz
      return (interpolate(magnitudes, bin) + interpolate(magnitudes, 2 * bin) + 0.5 * interpolate(magnitudes, 4 * bin))
        / largest
    }
  }

  /// Returns the value of a view at any tempo, interpolated.
  static func value(_ view: [Float], at bpm: Double) -> Float {
    let (low, high) = (tempi[0], tempi[tempi.count - 1])
    return interpolate(view, log(bpm / low) / log(high / low) * Double(tempi.count - 1))
  }

  private static func fastLength(atLeast count: Int) -> Int {
    var length = 64
    while length < count { length *= 2 }
    return length
  }
}

/// Interpolates linearly between values. Returns 0 before the first value, and at or after the last one.
func interpolate(_ values: [Float], _ position: Double) -> Float {
  guard position >= 0, position < Double(values.count - 1) else { return 0 }
  let index = Int(position)
  let fraction = Float(position - Double(index))
  return values[index] + fraction * (values[index + 1] - values[index])
}
