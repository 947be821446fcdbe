internal import Glibc

/// What the shares of the evidence are worth as probabilities (after Platt 1999), fitted to the same material as `GridWeights` with
/// every excerpt judged by weights that were fitted without its source.
enum TempoConfidence {
  /// The probability that a tempo is right, octave included.
  ///
  /// - Parameters:
  ///   - share: of the evidence that the tempo has.
  ///   - isConstant: whether its beats lie on a grid of constant tempo; along a path more goes wrong.
  ///   - clarity: see `Tempogram.clarity`.
  static func probability(share: Double, isConstant: Bool, clarity: Double) -> Double {
    // The constant is set lower than the fit has it, for a high confidence on a wrong octave is worse than a low one.
    let z = 0.2 + 0.69 * logit(share) - (isConstant ? 0 : 0.38) + 0.12 * log(min(max(clarity, 0.3), 3))
    return 1 / (1 + exp(-z))
  }

  /// The probability that the factor is right, given that the tempo is right up to a factor of 2 or 3.
  static func octaveProbability(share: Double) -> Double {
    1 / (1 + exp(-(0.45 + 0.64 * logit(share))))
  }

  private static func logit(_ share: Double) -> Double {
    let limited = min(max(share, 1e-4), 1 - 1e-4)
    return log(limited / (1 - limited))
  }
}
