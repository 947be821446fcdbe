internal import DSP
internal import Glibc

/// What the shares of the evidence are worth as probabilities (after Platt 1999). Fitted by `Benchmarks/tempo/fit.py`
/// to choices made without the source of the recording; one curve for all kinds of music, as curves with more to go by
/// were not better on other sources.
struct TempoConfidence {
  static let fitted = TempoConfidence(TempoResources.confidence)

  private let constant: Double
  private let share: Double
  private let clarity: Double
  private let octaveConstant: Double
  private let octaveShare: Double

  init(_ table: NumberTable) {
    constant = table.number("tempo.constant")
    share = table.number("tempo.logit_share")
    clarity = table.number("tempo.ln_clarity")
    octaveConstant = table.number("octave.constant")
    octaveShare = table.number("octave.logit_share")
  }

  /// The probability that a tempo is right, octave included.
  ///
  /// - Parameters:
  ///   - share: of the evidence that the tempo has.
  ///   - clarity: see `Tempogram.clarity`.
  func probability(share: Double, clarity: Double) -> Double {
    1 / (1 + exp(-(constant + self.share * Self.logit(share) + self.clarity * log(min(max(clarity, 0.3), 3)))))
  }

  /// The probability that the factor is right, given that the tempo is right up to a factor of 2 or 3.
  func octaveProbability(share: Double) -> Double {
    1 / (1 + exp(-(octaveConstant + octaveShare * Self.logit(share))))
  }

  private static func logit(_ share: Double) -> Double {
    let limited = min(max(share, 1e-4), 1 - 1e-4)
    return log(limited / (1 - limited))
  }
}
