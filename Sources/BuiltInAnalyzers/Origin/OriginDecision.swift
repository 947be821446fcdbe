internal import Analysis
internal import DSP
internal import Foundation

/// From traces of frames and the end of the spectrum to a verdict.
struct OriginDecision {
  let traces: [FrameSearch.Trace]
  let wall: SpectralWall
  let sampleRate: Int
  let excerptCount: Int

  /// Deviations above which a trace of the codec's frames is one, and above which it may be one.
  private static let limits: [FrameGrid.Codec: (certain: Double, possible: Double)] = [
    .mp3: (7, 5), .mp2: (9, 7), .aac: (7, 5), .vorbis: (7, 5), .opus: (7, 5),
  ]

  func write(to finding: inout OriginFinding) {
    finding.wall = nil
    finding.levelAbove = wall.levelAbove.rounded(toPlaces: 1)
    let isWall = wall.steepness >= 12 && wall.depth >= 12
    if isWall {
      finding.wall = wall.frequency.rounded()
      finding.wallDepth = wall.depth.rounded(toPlaces: 1)
      finding.wallSteadiness = wall.steadiness.rounded(toPlaces: 2)
    }
    guard let best = traces.max(by: { strength($0) < strength($1) }), let limit = Self.limits[best.codec] else { return }
    finding.frameTrace = best.deviations.rounded(toPlaces: 2)
    if best.deviations >= limit.certain, best.deviations >= 1.5 * best.elsewhere {
      finding.verdict = OriginFinding.Verdict.lossy.rawValue
      finding.confidence = 0.99
      finding.codec = best.codec.rawValue
      finding.codedSampleRate = best.sampleRate
      finding.frameLength = best.period
      finding.frameOffset = best.offset
      finding.quantizationDepth = best.decibels.rounded(toPlaces: 2)
    } else if best.deviations >= limit.possible || isWall {
      finding.verdict = OriginFinding.Verdict.unsure.rawValue
      finding.confidence = 0.5
    } else {
      finding.verdict = OriginFinding.Verdict.lossless.rawValue
      finding.confidence = 0.9
    }
    // A record for fitting, removed before release.
    finding.reason = traces.map { String(format: "%@@%d:%.2f/%.2f/%.2f/%d", $0.codec.rawValue, $0.sampleRate, $0.deviations, $0.elsewhere, $0.decibels, $0.offset) }.joined(separator: ",") + String(format: ";%.0f,%.1f,%.1f,%.2f,%.1f,%.0f", wall.frequency, wall.depth, wall.steepness, wall.steadiness, wall.levelAbove, wall.end)
  }

  private func strength(_ trace: FrameSearch.Trace) -> Double {
    trace.deviations / (Self.limits[trace.codec]?.certain ?? 1)
  }
}
