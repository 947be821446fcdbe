internal import Analysis
internal import DSP
internal import Foundation

/// From traces of frames and the end of the spectrum to a verdict.
struct OriginDecision {
  let traces: [FrameSearch.Trace]
  let wall: SpectralWall
  let sampleRate: Int
  let excerptCount: Int

  /// How far the best place must stand out of all others, for a trace that is one and for one that may be.
  ///
  /// Synthesizers that begin notes at multiples of 64 samples mark places of Vorbis, and of layer II one place in 32 is best by
  /// chance sooner than one in a thousand, so these need more.
  private static func limits(_ codec: FrameGrid.Codec) -> (certain: Double, possible: Double) {
    switch codec {
    case .vorbis: (8, 5)
    case .mp2: (5.5, 4)
    case .opus: (5, 3)
    case .mp3, .aac: (4, 3)
    }
  }
  /// The spectrum ends where that of Opus does.
  private static let wallOfOpus = 19_850.0...20_250
  private static let leastDropOfOpus = 10.0
  /// A quarter of the coefficients shows half of the margin, more or less.
  private static let leastShare = 0.15
  /// Drops of the spectrum from which on it ends abruptly, in dB.
  private static let leastDrop = 15.0
  /// Opus codes nothing above 20 kHz; some is left where blocks overlap.
  static let endOfOpus = 20_700.0
  /// Sample rates that audio may have had before.
  private static let formerRates = [8000, 11_025, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000]

  func write(to finding: inout OriginFinding) {
    finding.levelAbove = wall.levelAbove.rounded(toPlaces: 1)
    let isWall = wall.steepness >= Self.leastDrop && wall.depth >= Self.leastDrop && wall.steadiness >= 0.5
    if isWall {
      finding.wall = wall.frequency.rounded()
      finding.wallDepth = wall.depth.rounded(toPlaces: 1)
      finding.wallSteadiness = wall.steadiness.rounded(toPlaces: 2)
    }
    // Grids of other codecs are marked, too, but less deeply.
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
    // Two traces of one codec.
    if codec == .opus, Self.isWallOfOpus(wall) { limits.certain = limits.possible }
    return limits
  }

  /// The least margin in a part of the coefficients from which on a codec is searched for in all of them.
  static func leastMargin(_ codec: FrameGrid.Codec, _ wall: SpectralWall) -> Double {
    codec == .opus && isWallOfOpus(wall) ? 0 : leastShare * limits(codec).certain
  }

  private static func isWallOfOpus(_ wall: SpectralWall) -> Bool {
    wallOfOpus.contains(wall.frequency) && wall.steepness >= leastDropOfOpus
  }

  /// The usual rate whose filters end the spectrum where it ends; `nil` if there is none, or it is no lower.
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

/// About which bit rate a codec had.
enum BitRateEstimate {
  /// The higher the rate, the fewer coefficients are rounded to zero. Lines through the transcodes of Benchmarks/health, by codec.
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
