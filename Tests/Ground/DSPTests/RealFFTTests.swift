import AnalysisTesting
import DSP
import Glibc
import Testing

/// Reproducible pseudorandom numbers.
func noise(_ count: Int, seed: UInt64 = 1) -> [Float] {
  var state = seed
  return (0..<count).map { _ in
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Float(state >> 40) / Float(1 << 23) - 1
  }
}

private func transform(_ signal: [Float], length: Int) -> [Float] {
  RealFFT(length: length).transform(signal.span) { bins in (0..<bins.count).map { bins[$0] } }
}

@Suite(.bounded) struct RealFFTTests {
  @Test(arguments: [2, 16, 30, 128])
  func equalsTheDefinition(length: Int) {
    let signal = noise(length)
    let bins = transform(signal, length: length)
    #expect(bins.count == length + 2)
    for bin in 0...(length / 2) {
      var (real, imaginary) = (0.0, 0.0)
      for index in 0..<length {
        let angle = 2 * Double.pi * Double(bin * index) / Double(length)
        real += Double(signal[index]) * cos(angle)
        imaginary -= Double(signal[index]) * sin(angle)
      }
      #expect(abs(Double(bins[2 * bin]) - real) < 1e-4)
      #expect(abs(Double(bins[2 * bin + 1]) - imaginary) < 1e-4)
    }
  }

  /// Instances of one length share their plans, not their work space.
  @Test func instancesOfOneLengthDoNotMix() async {
    let signals = (1...8).map { noise(256, seed: $0) }
    let alone = signals.map { transform($0, length: 256) }
    let together = await withTaskGroup(of: (Int, [Float]).self) { group in
      for (index, signal) in signals.enumerated() {
        group.addTask {
          let (fft, other) = (RealFFT(length: 256), RealFFT(length: 256))
          var found: [Float] = []
          for _ in 0..<50 {
            found = fft.transform(signal.span) { bins in
              // The other instance's work space is in use at the same time.
              other.transform(noise(256, seed: 99).span) { _ in }
              return (0..<bins.count).map { bins[$0] }
            }
          }
          return (index, found)
        }
      }
      var results = [[Float]](repeating: [], count: signals.count)
      for await (index, bins) in group { results[index] = bins }
      return results
    }
    #expect(together == alone)
  }

  @Test(arguments: [2, 16, 30, 128, 1024]) func powersAreThoseOfTheTransform(length: Int) {
    let signal = noise(length + 5)
    let window = noise(length, seed: 2)
    let weighed = (0..<length).map { index in signal[3 + index] * window[index] }
    let bins = transform(weighed, length: length)
    let fft = RealFFT(length: length)
    var power = [Float](repeating: 0, count: fft.binCount)
    fft.power(of: signal, from: 3, window: window, into: &power)
    for bin in 0...length / 2 {
      let (real, imaginary) = (bins[2 * bin], bins[2 * bin + 1])
      #expect(power[bin] == real * real + imaginary * imaginary)
    }
  }

  @Test func keepsEnergy() {
    let signal = noise(1024)
    let bins = transform(signal, length: 1024)
    var spectral = 0.0
    for bin in 0...512 {
      let power = Double(bins[2 * bin] * bins[2 * bin] + bins[2 * bin + 1] * bins[2 * bin + 1])
      spectral += bin == 0 || bin == 512 ? power : 2 * power
    }
    let energy = signal.reduce(0.0) { $0 + Double($1 * $1) }
    #expect(abs(spectral / 1024 / energy - 1) < 1e-5)
  }

  @Test func isLinear() {
    let (a, b) = (noise(256), noise(256, seed: 9))
    let mixed = transform(zip(a, b).map { 2 * $0 - 3 * $1 }, length: 256)
    for (m, (x, y)) in zip(mixed, zip(transform(a, length: 256), transform(b, length: 256))) {
      #expect(abs(m - (2 * x - 3 * y)) < 1e-3)
    }
  }

  @Test func invertGivesTheSignalBack() {
    let signal = noise(300)
    let fft = RealFFT(length: 300)
    let bins = fft.transform(signal.span) { bins in (0..<bins.count).map { bins[$0] } }
    fft.invert(bins.span) { result in
      for index in 0..<300 { #expect(abs(result[index] / 300 - signal[index]) < 1e-5) }
    }
    // An inverse transform does not disturb a later forward one.
    #expect(fft.transform(signal.span) { bins in (0..<bins.count).map { bins[$0] } } == bins)
  }

  @Test func missingValuesCountAsZero() {
    let fft = RealFFT(length: 64)
    let short = noise(40)
    _ = fft.transform(noise(64, seed: 3).span) { $0.count }
    let padded = fft.transform((short + [Float](repeating: 0, count: 24)).span) { bins in
      (0..<bins.count).map { bins[$0] }
    }
    #expect(fft.transform(short.span) { bins in (0..<bins.count).map { bins[$0] } } == padded)
  }
}
