internal import CKernels
internal import DSP
internal import Foundation

/// The frame grid of a codec: the positions of the transform blocks that its encoder quantized. If a transform starts
/// where a block begins, the coefficients that were rounded to zero are zero again; half a dozen samples away, they are
/// not.
///
/// After Herre and Schug, "Analysis of Decompressed Audio - The Inverse Decoder" (AES 109, 2000), and Yang, Qu and
/// Huang, "Detecting Digital Audio Forgeries by Checking Frame Offsets" (2008).
struct FrameGrid {
  enum Codec: String, CaseIterable {
    case mp3, mp2, aac, vorbis, opus

    /// Maximum contribution of one excerpt, in standard deviations.
    var limit: Float { self == .vorbis ? 20 : 8 }
  }

  let codec: Codec
  /// Distance between possible block starts, in samples.
  let period: Int

  /// Number of additional offsets before and after a period that are needed to compute contrasts.
  static let margin = 16
  /// Length, in samples, of an excerpt that is long enough for every grid.
  static let minLength = 2 * 1024 + 1024 + 2 * margin + 1

  /// The contrast: how much lower the coefficients are at each offset than around it.
  ///
  /// Coefficients are compared in groups by frequency. In a single sum, the coefficients of low frequencies, which vary
  /// most between offsets and are seldom rounded to zero, would mask the others.
  struct Contrast {
    /// The contrast in standard deviations over all offsets, at most `limit`.
    var deviations: [Float]
    /// The contrast in dB per coefficient.
    var decibels: [Float]

    /// - Parameters:
    ///   - scores: For each group, sums of base-2 logarithms at all offsets and at `margin` more offsets on either
    ///     side.
    ///   - count: Number of coefficients per sum.
    ///   - limit: Upper limit of the deviations. A note that begins at just the right sample makes a single excerpt
    ///     stand out by far, whereas frames show in all excerpts.
    init(_ scores: [ArraySlice<Float>], count: Int, limit: Float) {
      let differences = scores.map { scores -> [Float] in
        let (first, period) = (scores.startIndex, scores.count - 2 * FrameGrid.margin)
        return (first + FrameGrid.margin..<first + FrameGrid.margin + period).map { offset in
          var around: Float = 0
          for distance in 5..<15 { around += scores[offset - distance] + scores[offset + distance] }
          return around / 20 - scores[offset]
        }
      }
      self.init(differences: differences, count: count, limit: limit)
    }

    /// - Parameter differences: For each group and offset, the mean around the offset minus the value at the offset.
    init(differences groups: [[Float]], count: Int, limit: Float) {
      let period = groups.first?.count ?? 0
      deviations = [Float](repeating: 0, count: period)
      decibels = deviations
      let (root, all) = (Float(groups.count).squareRoot(), Float(groups.count * count))
      for differences in groups {
        let middle = Self.median(differences)
        let spread = 1.4826 * Self.median(differences.map { abs($0 - middle) }) + 1e-3 * Float(count)
        for offset in 0..<period {
          let difference = differences[offset] - middle
          deviations[offset] += max(-4, min(20, difference / spread)) / root
          decibels[offset] += difference / all * 3.0103
        }
      }
      for offset in 0..<period { deviations[offset] = min(deviations[offset], limit) }
    }

    private static func median(_ values: [Float]) -> Float {
      let sorted = values.sorted()
      return sorted.isEmpty ? 0 : sorted[sorted.count / 2]
    }
  }
}

/// The frame grid of a codec whose blocks are windowed cosine transforms (MDCT).
struct LappedGrid {
  let grid: FrameGrid
  private static let groupCount = 4

  private let blockLength: Int
  private let harmonics: [Float]
  private let firstBin: Int
  /// Number of coefficients per group.
  private let groupSize: Int
  /// The pre-emphasis e: the encoder amplifies high frequencies by the inverse of y[n] = x[n] + e·y[n − 1].
  private let emphasis: Float
  private let transform: RealFFT
  private var scratch = [Float](repeating: 0, count: Int(CFRAMEGRIDS_SCRATCH))

  /// - Parameter end: Upper end of the spectrum, in Hz. Coefficients above it carry no information.
  init(_ codec: FrameGrid.Codec, sampleRate: Int, end: Double) {
    let window: [Double]
    switch codec {
    case .vorbis: window = Self.powerSine(1024, overlap: 1024)
    case .opus: window = Self.powerSine(960, overlap: 120)
    default: window = Self.kaiserBessel(1024, alpha: 4)
    }
    blockLength = window.count / 2
    // Vorbis alternates blocks of two lengths; both begin at multiples of 64.
    grid = FrameGrid(codec: codec, period: codec == .vorbis ? 64 : blockLength)
    emphasis = codec == .opus ? 0.85 : 0
    // The omitted harmonics are 50 dB below the window. The window of Opus is steep and needs more harmonics.
    let harmonicCount =
      switch codec {
      case .opus: 24
      case .vorbis: 6
      default: 5
      }
    let scale = (2 / Double(blockLength)).squareRoot() / 2 / 2.0.squareRoot()
    harmonics = (0..<harmonicCount).map { Float(Self.harmonic($0, of: window) * scale) }
    let nyquist = Double(sampleRate) / 2
    let last = min(codec == .opus ? min(0.92, 21_500 / nyquist) : min(0.9, 20_000 / nyquist), end / nyquist)
    firstBin = Int(min(4000 / nyquist, 0.3) * Double(blockLength))
    groupSize = max(8, (Int(last * Double(blockLength)) - firstBin) / Self.groupCount / 8 * 8)
    transform = RealFFT(length: 2 * blockLength)
  }

  /// Returns the contrast at each offset of a block. Offset 0 is sample `FrameGrid.margin + 1` of the excerpt.
  /// - Parameter part: Number of the coefficient group, taken modulo the number of groups; `nil` for all groups.
  mutating func contrast(_ channels: [[Float]], part: Int?) -> FrameGrid.Contrast {
    let offsets = blockLength + 2 * FrameGrid.margin
    let signals = channels.map { samples in
      (0..<offsets + 2 * blockLength).map { samples[$0 + 1] - emphasis * samples[$0] }
    }
    let groups = part.map { $0 % Self.groupCount..<$0 % Self.groupCount + 1 } ?? 0..<Self.groupCount
    let bins = firstBin + groups.lowerBound * groupSize..<firstBin + groups.upperBound * groupSize
    var (left, right) = (firstBins(signals[0], bins), firstBins(signals[1], bins))
    var scores = [Float](repeating: 0, count: offsets * groups.count)
    harmonics.withUnsafeBufferPointer { harmonics in
      var layout = unsafe cframegrids_lapped(
        block_length: blockLength, first_bin: bins.lowerBound, bin_count: bins.count, group_count: groups.count,
        harmonics: harmonics.baseAddress, harmonic_count: harmonics.count, floor: OriginNoise.floor)
      unsafe cframegrids_score_lapped(&layout, signals[0], signals[1], offsets, &left, &right, &scratch, &scores)
    }
    return FrameGrid.Contrast(
      (0..<groups.count).map { scores[$0 * offsets..<($0 + 1) * offsets] }, count: 4 * groupSize,
      limit: grid.codec.limit)
  }

  /// Returns the Fourier bins of the first window at half samples, including the bins that the harmonics reach: first
  /// the real parts, then the imaginary parts.
  private func firstBins(_ signal: [Float], _ range: Range<Int>) -> [Float] {
    let count = range.count + 2 * harmonics.count
    let first = range.lowerBound - harmonics.count + 1
    var result = [Float](repeating: 0, count: 2 * count)
    transform.transform(signal.span.extracting(0..<2 * blockLength)) { bins in
      for index in 0..<count {
        let bin = first + index
        let angle = Double.pi * Double(bin) / Double(2 * blockLength)
        let (c, s) = (Float(cos(angle)), Float(sin(angle)))
        // The exponent of `RealFFT` has the opposite sign.
        let (real, imaginary) = (bins[2 * bin], -bins[2 * bin + 1])
        result[index] = real * c - imaginary * s
        result[count + index] = real * s + imaginary * c
      }
    }
    return result
  }

  // MARK: Windows

  /// Returns the coefficient of sin((2m + 1)·π·(n + ½) / length) in a window.
  private static func harmonic(_ number: Int, of window: [Double]) -> Double {
    let step = Double(2 * number + 1) * Double.pi / Double(window.count)
    return window.indices.reduce(0) { $0 + window[$1] * sin(step * (Double($1) + 0.5)) } * 2 / Double(window.count)
  }

  /// Returns the window of Vorbis, or that of Opus, whose blocks overlap by less than their length.
  private static func powerSine(_ length: Int, overlap: Int) -> [Double] {
    let before = (length - overlap) / 2
    let rise = (0..<length).map { index -> Double in
      if index < before { return 0 }
      if index >= before + overlap { return 1 }
      let part = sin(Double.pi / 2 * (Double(index - before) + 0.5) / Double(overlap))
      return sin(Double.pi / 2 * part * part)
    }
    return rise + rise.reversed()
  }

  /// Returns the window of AAC.
  private static func kaiserBessel(_ length: Int, alpha: Double) -> [Double] {
    let kernel = (0...length).map { index -> Double in
      let place = 2 * Double(index) / Double(length) - 1
      return bessel(Double.pi * alpha * max(0, 1 - place * place).squareRoot())
    }
    let whole = kernel.reduce(0, +)
    var sum = 0.0
    let rise = (0..<length).map { index -> Double in
      sum += kernel[index]
      return (sum / whole).squareRoot()
    }
    return rise + rise.reversed()
  }

  /// Returns the modified Bessel function I₀.
  private static func bessel(_ x: Double) -> Double {
    var (sum, term) = (1.0, 1.0)
    for number in 1..<60 {
      term *= (x / 2 / Double(number)) * (x / 2 / Double(number))
      sum += term
    }
    return sum
  }
}

/// The noise of rounding to 16 bits, in squared steps per coefficient of a power-preserving transform.
enum OriginNoise {
  /// Twice the noise power.
  static let floor: Float = 1 / 6
}

/// The frame grid of MPEG audio's filter bank. Layer II quantizes the subbands; layer III quantizes an MDCT of each
/// subband.
struct MPEGGrid {
  static let length = Int(CFRAMEGRIDS_HYBRID_SAMPLES)
  private static let bands = Int(CFRAMEGRIDS_BANDS)

  let firstBand: Int
  let lastBand: Int
  private var rows = [Float](repeating: 0, count: 2 * Int(CFRAMEGRIDS_HYBRID_ROWS) * bands)

  /// - Parameter end: Upper end of the spectrum, in Hz.
  init(sampleRate: Int, end: Double) {
    let width = Double(sampleRate) / 2 / Double(Self.bands)
    firstBand = Int(min(4000 / width, 8))
    lastBand = max(firstBand + 1, min(Self.bands - 2, Int(min(20_000, end) / width)))
  }

  /// Returns the contrast of layer III at each offset of a granule, and that of layer II at each phase of the filter
  /// bank. Offset 0 is sample `FrameGrid.margin` of the excerpt; phase 0 is its first sample.
  /// - Parameter part: Number of the group of 8 subbands, taken modulo the number of groups; `nil` for all groups.
  mutating func contrasts(_ channels: [[Float]], part: Int?) -> (layer3: FrameGrid.Contrast, layer2: FrameGrid.Contrast)
  {
    let (phaseCount, offsetCount) = (Self.bands, Int(CFRAMEGRIDS_HYBRID_OFFSETS))
    let all = firstBand / 8..<lastBand / 8 + 1
    let groups = part.map { all.lowerBound + $0 % all.count..<all.lowerBound + $0 % all.count + 1 } ?? all
    var phases = [Float](repeating: 0, count: phaseCount * groups.count)
    var offsets = [Float](repeating: 0, count: offsetCount * groups.count)
    let floors = [OriginNoise.floor, OriginNoise.floor]
    cframegrids_score_mpeg(
      MPEGPrototype.values, 8 * groups.lowerBound, 8 * groups.upperBound - 1, channels[0], channels[1], floors, &rows,
      &phases, &offsets)
    // Left, right, mean and difference of 8 subbands.
    let count = 4 * 8
    return (
      FrameGrid.Contrast(
        (0..<groups.count).map { offsets[$0 * offsetCount..<($0 + 1) * offsetCount] }, count: 18 * count,
        limit: FrameGrid.Codec.mp3.limit),
      FrameGrid.Contrast(
        differences: (0..<groups.count).map { phases[$0 * phaseCount..<($0 + 1) * phaseCount].map { -$0 } },
        count: Int(CFRAMEGRIDS_HYBRID_ROWS) * count, limit: FrameGrid.Codec.mp2.limit)
    )
  }
}
