internal import Analysis
internal import DSP
internal import Foundation

/// Decides on the origin, from the traces of frames and the end of the spectrum.
struct OriginDecision {
  let traces: [FrameSearch.Trace]
  let wall: SpectralWall
  let sampleRate: Int
  let excerptCount: Int

  /// Returns the minimum margins of a certain trace and of a possible one.
  ///
  /// Vorbis and layer II need larger margins. Synthesizers that begin notes at multiples of 64 samples mark positions
  /// of Vorbis. And one of only 32 positions, as in layer II, stands out by chance more easily than one of a thousand.
  private static func limits(_ codec: FrameGrid.Codec) -> (certain: Double, possible: Double) {
    switch codec {
    case .vorbis: (8, 5)
    case .mp2: (5.5, 4)
    case .opus: (5, 3)
    case .mp3, .aac: (4, 3)
    }
  }
  /// The range in which the spectrum of Opus ends, in Hz.
  private static let opusWall = 19_850.0...20_250
  private static let minOpusDrop = 10.0
  /// Minimum margin in the first pass, as a share of the certain margin: a quarter of the coefficients yields roughly
  /// half of the margin.
  private static let minShare = 0.15
  /// Minimum drop of an abrupt spectral end, in dB.
  private static let minDrop = 15.0
  /// Upper end of the spectrum of Opus, in Hz. Opus encodes nothing above 20 kHz, but overlapping blocks leave a
  /// residue.
  static let opusEnd = 20_700.0
  /// Sample rates that the audio may have had before, in Hz.
  private static let formerRates = [8000, 11_025, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000]

  func write(to finding: inout OriginFinding) {
    finding.levelAbove = wall.levelAbove.rounded(toPlaces: 1)
    let isWall = wall.steepness >= Self.minDrop && wall.depth >= Self.minDrop && wall.steadiness >= 0.5
    if isWall {
      finding.wall = wall.frequency.rounded()
      finding.wallDepth = wall.depth.rounded(toPlaces: 1)
      finding.wallSteadiness = wall.steadiness.rounded(toPlaces: 2)
    }
    // The grids of other codecs show traces as well, but weaker ones.
    guard
      let best = traces.filter({ $0.margin >= limits($0.codec).certain }).max(by: { $0.decibels < $1.decibels })
        ?? traces.max(by: { strength($0) < strength($1) })
    else { return }
    let (certain, possible) = limits(best.codec)
    let margin = best.margin
    finding.frameTrace = best.deviations.rounded(toPlaces: 2)
    if margin >= certain {
      finding.verdict = OriginFinding.Verdict.lossy.rawValue
      finding.confidence = margin >= 2 * certain ? 0.99 : 0.95
      finding.codec = best.codec.rawValue
      finding.codedSampleRate = best.sampleRate
      finding.frameLength = best.period
      finding.frameOffset = best.offset
      finding.quantizationDepth = best.decibels.rounded(toPlaces: 2)
      finding.kilobitsPerSecond = BitRateEstimate.kilobits(best)
      return
    }
    if isWall { finding.upsampledFrom = formerRate }
    if margin >= possible || (isWall && finding.upsampledFrom == nil) {
      finding.verdict = OriginFinding.Verdict.unsure.rawValue
      finding.confidence = 0.5
    } else {
      finding.verdict = OriginFinding.Verdict.lossless.rawValue
      finding.confidence = isWall ? 0.8 : 0.95
    }
  }

  private func limits(_ codec: FrameGrid.Codec) -> (certain: Double, possible: Double) {
    var limits = Self.limits(codec)
    // A spectrum that ends like that of Opus is additional evidence.
    if codec == .opus, Self.isOpusWall(wall) { limits.certain = limits.possible }
    return limits
  }

  /// Returns the minimum margin that a codec must reach in a part of the coefficients before all coefficients are
  /// searched for it.
  static func minMargin(_ codec: FrameGrid.Codec, _ wall: SpectralWall) -> Double {
    codec == .opus && isOpusWall(wall) ? 0 : minShare * limits(codec).certain
  }

  private static func isOpusWall(_ wall: SpectralWall) -> Bool {
    opusWall.contains(wall.frequency) && wall.steepness >= minOpusDrop
  }

  /// The standard sample rate whose low-pass filter ends where the spectrum ends; `nil` if there is none, or if it is
  /// not clearly lower than the current rate.
  private var formerRate: Int? {
    guard wall.steepness >= 15, wall.steadiness >= 0.8 else { return nil }
    return Self.formerRates.first { rate in
      rate < sampleRate * 9 / 10 && wall.frequency >= 0.44 * Double(rate) && wall.end <= 0.52 * Double(rate)
        && wall.frequency <= 0.5 * Double(rate)
    }
  }

  private func strength(_ trace: FrameSearch.Trace) -> Double {
    trace.margin / limits(trace.codec).certain
  }
}

/// Estimates the bit rate of the former encoding.
enum BitRateEstimate {
  /// Returns the usual bit rate, in kbit/s, that is nearest to a log-linear fit for the codec, based on the transcodes
  /// of Benchmarks/health; `nil` without contrast. The higher the bit rate, the fewer coefficients are rounded to zero.
  static func kilobits(_ trace: FrameSearch.Trace) -> Int? {
    guard trace.decibels > 0 else { return nil }
    let depth = log2(max(0.1, trace.decibels))
    let (constant, slope): (Double, Double) =
      switch trace.codec {
      case .mp3: (7.92, -0.231)
      case .mp2: (8.24, -0.162)
      case .aac: (8.13, -0.264)
      case .vorbis: (7.96, -0.141)
      case .opus: (7.57, -0.367)
      }
    let estimate = exp2(constant + slope * depth)
    let usual = [64, 96, 128, 160, 192, 256, 320]
    return usual.min { abs(log2(Double($0) / estimate)) < abs(log2(Double($1) / estimate)) }
  }
}
