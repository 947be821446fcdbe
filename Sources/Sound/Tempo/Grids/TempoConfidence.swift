internal import DSP
internal import Mathematics

/// Maps shares of the evidence to probabilities (after Platt 1999). `Benchmarks/tempo/fit.py` fits the mapping to
/// cross-validated choices, for which the data set that contains the recording was held out. Varying tempi have a
/// separate curve, because many paths of tempi agree with each other and are wrong together.
struct TempoConfidence {
  static let fitted = TempoConfidence(TempoResources.confidence)

  private let constant: Double
  private let share: Double
  private let clarity: Double
  private let moving: Double
  private let movingShare: Double
  private let octaveConstant: Double
  private let octaveShare: Double

  init(_ table: NumberTable) {
    constant = table.number("tempo.constant")
    share = table.number("tempo.logit_share")
    clarity = table.number("tempo.ln_clarity")
    moving = table.number("tempo.moving")
    movingShare = table.number("tempo.moving_logit_share")
    octaveConstant = table.number("octave.constant")
    octaveShare = table.number("octave.logit_share")
  }

  /// Returns the probability that a tempo is right, including its octave.
  ///
  /// - Parameters:
  ///   - share: The tempo's share of the evidence.
  ///   - clarity: See `Tempogram.clarity`.
  ///   - moves: `true` if the tempo varies in any part of the track.
  func probability(share: Double, clarity: Double, moves: Bool) -> Double {
    let logit = Self.logit(share)
    var sum = constant + self.share * logit + self.clarity * log(min(max(clarity, 0.3), 3))
    if moves { sum += moving + movingShare * logit }
    return 1 / (1 + exp(-sum))
  }

  /// Returns the probability that the octave is right, assuming that the tempo is right up to a factor of 2 or 3.
  func octaveProbability(share: Double) -> Double {
    1 / (1 + exp(-(octaveConstant + octaveShare * Self.logit(share))))
  }

  private static func logit(_ share: Double) -> Double {
    let limited = min(max(share, 1e-4), 1 - 1e-4)
    return log(limited / (1 - limited))
  }
}
