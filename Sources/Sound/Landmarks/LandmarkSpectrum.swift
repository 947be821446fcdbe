package import Analysis
internal import Mathematics

/// Computes the levels of the 138 bands in which landmarks are searched for: 36 per octave, from 250 Hz to 3.5 kHz.
///
/// The bands are triangles whose centers are spaced logarithmically, so that a change of playback speed or pitch shifts
/// all landmarks by the same number of bands (Six & Leman, "Panako", ISMIR 2014, do so with a constant-Q transform).
/// The range is about that of a telephone, 300 to 3,400 Hz.
///
/// Levels are integers in units of 1/256 dB, so that whitening computes exact sums that do not drift over hours.
package struct LandmarkSpectrum: Sendable {
  /// The layout of the STFT that serves as input.
  package static let layout = SpectrumLayout(sampleRate: 8000, windowLength: 2048, hop: 256)
  package static let bandCount = 138
  package static let bandsPerOctave = 36
  /// Center frequency of band 0, in Hz.
  package static let lowestFrequency = 250.0
  package static let columnsPerSecond = layout.columnsPerSecond

  /// Level units per decibel.
  package static let levelsPerDecibel: Float = 256
  /// A power that is added before taking the logarithm: about the rounding noise of 16-bit audio.
  static let floorPower: Float = 1e-7

  /// The location of a band's weights, which are in groups of eight bins from `firstBin` on.
  private struct Band {
    var firstBin: Int
    var firstGroup: Int
    var groupCount: Int
  }

  private let bands: [Band]
  private let weights: [SIMD8<Float>]
  /// `bandCount` rounded up to a multiple of eight. The compiler must know this number to place the sums on the stack.
  private static var paddedBandCount: Int { 144 }

  package init() {
    let binWidth = Double(Self.layout.sampleRate) / Double(Self.layout.windowLength)
    let ratio = exp2(1.0 / Double(Self.bandsPerOctave))
    var bands: [Band] = []
    var weights: [SIMD8<Float>] = []
    var center = Self.lowestFrequency
    for _ in 0..<Self.bandCount {
      let halfWidth = max(binWidth, center * (ratio - 1))
      let first = Int(((center - halfWidth) / binWidth).rounded(.up))
      let last = Int(((center + halfWidth) / binWidth).rounded(.down))
      let heights = (first...last).map { max(0, 1 - abs(Double($0) * binWidth - center) / halfWidth) }
      let sum = heights.reduce(0, +)
      let groupCount = (heights.count + 7) / 8
      bands.append(Band(firstBin: first, firstGroup: weights.count, groupCount: groupCount))
      for group in 0..<groupCount {
        var lanes = SIMD8<Float>.zero
        for lane in 0..<8 where group * 8 + lane < heights.count {
          lanes[lane] = Float(heights[group * 8 + lane] / sum)
        }
        weights.append(lanes)
      }
      center *= ratio
    }
    self.bands = bands
    self.weights = weights
  }

  /// Computes the levels of one column.
  /// - Parameters:
  ///   - power: 1,025 values |X[k]|² of a signal with full scale ±1.
  ///   - levels: Receives 138 values.
  package func levels(of power: Span<Float>, into levels: inout [Int32]) {
    precondition(power.count == Self.layout.binCount && levels.count == Self.bandCount)
    // A larger alignment would prevent stack allocation.
    unsafe withUnsafeTemporaryAllocation(byteCount: 4 * Self.paddedBandCount, alignment: 16) { sums in
      // Uninitialized memory may contain denormals, which slow down the processor.
      unsafe sums.initializeMemory(as: UInt8.self, repeating: 0)
      unsafe power.withUnsafeBytes { bytes in
        let weights = weights.span
        for index in 0..<Self.bandCount {
          let band = bands[index]
          var sum = SIMD8<Float>.zero
          for group in 0..<band.groupCount {
            let values = unsafe bytes.loadUnaligned(
              fromByteOffset: 4 * (band.firstBin + 8 * group), as: SIMD8<Float>.self)
            sum += values * weights[band.firstGroup + group]
          }
          unsafe sums.storeBytes(of: sum.sum(), toByteOffset: 4 * index, as: Float.self)
        }
      }
      for first in stride(from: 0, to: Self.bandCount, by: 8) {
        let eight = unsafe Self.levels(ofPowers: sums.loadUnaligned(fromByteOffset: 4 * first, as: SIMD8<Float>.self))
        for lane in 0..<min(8, Self.bandCount - first) { levels[first + lane] = eight[lane] }
      }
    }
  }

  /// Returns 10·log₁₀ of the powers plus `floorPower`, in units of 1/256 dB. The logarithm of the mantissa is computed
  /// by a polynomial that is accurate to 0.0001 dB.
  @inline(__always)
  static func levels(ofPowers powers: SIMD8<Float>) -> SIMD8<Int32> {
    // NaN and infinity, which decoders should never output, count as silence.
    let powers = SIMD8<Float>.zero.replacing(with: powers, where: powers .< Float.greatestFiniteMagnitude) + floorPower
    let bits = unsafeBitCast(powers, to: SIMD8<Int32>.self)
    let exponent = SIMD8<Float>((bits &>> 23) &- 127)
    let mantissa = unsafeBitCast((bits & 0x007F_FFFF) | 0x3F80_0000, to: SIMD8<Float>.self) - 1
    // A minimax polynomial for log2(1 + m) on [0, 1] that is exact at both ends.
    let tail: SIMD8<Float> = 0.41560542 + mantissa * (-0.19357504 + mantissa * 0.04514881)
    let logarithm = exponent + mantissa * (1.44191701 + mantissa * (-0.7090962 + mantissa * tail))
    // This rounds half up. From 2^23 on, floats are integers, and their low bits are those of the integer.
    let half = logarithm * (3.0103 * levelsPerDecibel) + 131_072.5
    let whole = half + 8_388_608
    let rounded = unsafeBitCast(whole, to: SIMD8<Int32>.self) &- (0x4B00_0000 + 131_072)
    return rounded.replacing(with: rounded &- 1, where: whole - 8_388_608 .> half)
  }
}
