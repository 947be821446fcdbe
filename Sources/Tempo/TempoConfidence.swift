internal import Glibc

/// What the shares of the evidence are worth as probabilities (after Platt 1999). Fitted by `Benchmarks/tempo/fit.py`
/// to choices made without the source of the recording; one curve for all kinds of music, as curves with more to go by
/// were not better on other sources.
enum TempoConfidence {
  /// The probability that a tempo is right, octave included.
  ///
  /// - Parameters:
  ///   - share: of the evidence that the tempo has.
  ///   - clarity: see `Tempogram.clarity`.
  static func probability(share: Double, clarity: Double) -> Double {
    1 / (1 + exp(-(0.17 + 0.69 * logit(share) + 0.37 * log(min(max(clarity, 0.3), 3)))))
  }

  /// The probability that the factor is right, given that the tempo is right up to a factor of 2 or 3.
  static func octaveProbability(share: Double) -> Double {
    1 / (1 + exp(-(0.41 + 0.65 * logit(share))))
  }

  private static func logit(_ share: Double) -> Double {
    let limited = min(max(share, 1e-4), 1 - 1e-4)
    return log(limited / (1 - limited))
  }
}
