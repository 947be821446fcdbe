internal import Mathematics

/// The best hit of a query, with the evidence for it.
struct Finding {
  var hit: Matcher.Hit
  /// Hits in other references that contain the same recording at this place.
  var twins: [Matcher.Hit]
  /// The best z of the same track when it is shifted in frequency.
  var shifted: Float
  /// The best z of another track.
  var runnerUp: Float
  /// The share of the query that is found in the track, and the share of the track that is found in the query.
  var overlap: Overlap
  /// See `RecognitionQuery.clarity`.
  var clarity: Float
  /// Duration of the query, in seconds.
  var duration: Double

  /// Converts the placements from those in a part of a query to those in the whole query.
  mutating func move(from part: Range<Int>, toColumnCount whole: Int) {
    hit.placement = hit.placement.moved(from: part, toColumnCount: whole)
    for index in twins.indices {
      twins[index].placement = twins[index].placement.moved(from: part, toColumnCount: whole)
    }
  }

  /// The natural logarithm of the odds that the hit is correct.
  ///
  /// This is a logistic regression, fitted by `Benchmarks/recognition/confidence.py`. The data are clips of 3 to 15 s
  /// in noise, at changed speed and through a telephone, once with their track in the catalog and once without it, and
  /// clips of other tracks from the same albums. The data thus include the ways in which related music resembles a
  /// track, above all loops and samples.
  ///
  /// The same z is stronger evidence if the track fits less well at other pitches, and if other tracks fit less well;
  /// if the track explains more of the query, and the query contains more of the track; and if landmarks are less
  /// clear, because in a clean query the right track would fit better. `shifted` and `runnerUp` are clamped to the
  /// levels that unrelated music reaches. If another track comes close, the two tracks share a loop or a sample, which
  /// the query may contain as well.
  var logOdds: Float {
    let z = max(hit.z, 1)
    let other = max(runnerUp, 6)
    let weights = ConfidenceWeights.fitted
    let fit =
      weights.z * log(z) + weights.shifted * log(max(shifted, 4)) + weights.runnerUp * log(other)
      + weights.rival * max(0, log(other / z) + 1)
    let common = weights.present * overlap.present + weights.unexplained * log(1.05 - overlap.explained)
    // A very clear query may well contain other music before or after the track, and silence is not evidence.
    let query =
      weights.constant + weights.clarity * min(max(clarity, 0.1), 0.38) + weights.duration * log(Float(duration))
    return fit + common + query + (hit.placement.isNeutral ? weights.neutral : 0) + Self.prior - lowClarityPenalty
  }

  /// Penalty for unclear queries. In the development data, no query that can be answered has a clarity below 0.126, no
  /// matter how noisy it is. The data thus say nothing about lower values, such as the clarity of a gliding tone. The
  /// slope and the limit were chosen by hand.
  private var lowClarityPenalty: Float { 80 * max(0, 0.12 - clarity) }

  /// The prior log odds. In half of the data, the track was removed from the catalog, but people mostly look for tracks
  /// that the catalog contains.
  private static let prior: Float = 0.8

  var confidence: Double { 1 / (1 + exp(-Double(logOdds))) }
  /// `true` if the finding is beyond doubt, so no further stage is needed.
  var isCertain: Bool { hit.z >= Self.certainZ && logOdds >= 4.5 }
  static let certainZ: Float = 15

  /// `true` if the finding is reported as a match.
  var isAccepted: Bool { confidence >= SignatureMatch.minimumConfidence }
}
