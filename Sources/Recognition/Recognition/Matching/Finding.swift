internal import Mathematics

/// The track that a query was found to be part of: the best hit and the evidence whether it is right.
struct Finding {
  var hit: Matcher.Hit
  /// Other references that hold the same recording at this place, by their hits.
  var twins: [Matcher.Hit]
  /// Best z of the same track displaced in frequency, and of another track.
  var shifted: Float
  var runnerUp: Float
  /// The part of the query that is in the track, and of the track in the query.
  var overlap: Overlap
  /// See `RecognitionQuery.clarity`.
  var clarity: Float
  /// Seconds of the query.
  var duration: Double

  /// Gives the places as they are in the query that the finding's query is part of.
  mutating func move(from part: Range<Int>, toColumnCount whole: Int) {
    hit.placement = hit.placement.moved(from: part, toColumnCount: whole)
    for index in twins.indices {
      twins[index].placement = twins[index].placement.moved(from: part, toColumnCount: whole)
    }
  }

  /// Natural logarithm of the odds that the hit is right.
  ///
  /// A logistic regression, fitted by `Benchmarks/recognition/confidence.py`. Its data are clips of 3 to 15 s in
  /// noise, at changed speed and through a telephone, once with their track in the catalog and
  /// once without it, and clips of other tracks of the same albums: so the ways in which related music comes near,
  /// loops and samples above all, are in it. A given z says the more, the less the track fits at other pitches and the
  /// less other tracks fit; the more the track explains of the query, and the query has of the track; and the less
  /// clearly landmarks are heard: in a clean query the right track would fit better than that. The least values of
  /// `shifted` and `runnerUp` are those that unrelated music reaches. If another track comes near, the two share a
  /// loop or a sample, and so may the query.
  var logOdds: Float {
    let z = max(hit.z, 1)
    let other = max(runnerUp, 6)
    let weights = ConfidenceWeights.fitted
    let fit =
      weights.z * log(z) + weights.shifted * log(max(shifted, 4)) + weights.runnerUp * log(other)
      + weights.rival * max(0, log(other / z) + 1)
    let common = weights.present * overlap.present + weights.unexplained * log(1.05 - overlap.explained)
    // A very clear query may well hold other music as well, before the track or after it; and silence is nothing to go by.
    let query =
      weights.constant + weights.clarity * min(max(clarity, 0.1), 0.38) + weights.duration * log(Float(duration))
    return fit + common + query + (hit.placement.isNeutral ? weights.neutral : 0) + Self.prior - strangeness
  }

  /// However much noise there is in the development queries, none that has an answer is less clear than 0.126. The data
  /// say nothing about lower values, such as those of a gliding tone; slope and limit are set by hand.
  private var strangeness: Float { 80 * max(0, 0.12 - clarity) }

  /// In half of the data the track was taken out of the catalog; people mostly ask a catalog for tracks that are in it.
  /// By so much more often does a finding come true then.
  private static let prior: Float = 0.8

  var confidence: Double { 1 / (1 + exp(-Double(logOdds))) }
  /// Beyond doubt: no further stage is needed.
  var isCertain: Bool { hit.z >= Self.certainZ && logOdds >= 4.5 }
  static let certainZ: Float = 15

  /// Whether it is a match.
  var isAccepted: Bool { confidence >= SignatureMatch.leastConfidence }
}
