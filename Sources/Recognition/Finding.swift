internal import Glibc

/// What a query was found to be part of: the best hit and what says whether it is right.
struct Finding {
  var hit: Matcher.Hit
  /// Other references that hold the same recording at this place, by their hits.
  var twins: [Matcher.Hit]
  /// Best z of the same track displaced in frequency, and of another track.
  var shifted: Float
  var runnerUp: Float
  /// What of the query is in the track, and of the track in the query.
  var overlap: Overlap
  /// See `Query.clarity`.
  var clarity: Float
  /// Seconds of the query.
  var duration: Double

  /// Natural logarithm of the odds that the hit is right.
  ///
  /// A logistic regression. Its data are queries of 3 to 15 s in noise, at changed speed and through a telephone, once
  /// with their track in the catalog and once without it, and queries from other tracks of the same albums: so the ways
  /// in which related music comes near, loops and samples above all, are in it. A given z says the more, the less the
  /// track fits at other pitches and the less other tracks fit; the more the track explains of the query, and the query
  /// has of the track; and the noisier the query is: in a clean one the right track would fit better than that. The
  /// least values of `shifted` and `runnerUp` are those that unrelated music reaches. Where another track reaches much
  /// more than that, the two share a loop or a sample, and so may the query: then what counts is that the hit be ahead
  /// of that track by a good measure.
  var logOdds: Float {
    let z = max(hit.z, 0.1) / 1.7
    let fit = 7.99 * log(z) - 4.91 * log(max(shifted, 2.5)) - 7.34 * log(min(max(runnerUp, 4), 11))
    let common = 37.1 * max(0, overlap.present - 0.8) - 6.62 * log(1.05 - overlap.explained)
    let odds = fit + common - (hit.placement.isNeutral ? 0 : 1.78) - 12.69
    return (runnerUp > 7 ? min(odds, 20 * log(z / (1.35 * runnerUp))) : odds) + Self.prior
  }

  /// In half of the data the track was taken out of the catalog; who asks a catalog mostly asks for what is in it. By so
  /// much more often does a finding come true then.
  private static let prior: Float = 0.8

  var confidence: Double { 1 / (1 + exp(-Double(logOdds))) }
  /// Beyond doubt: no further stage is needed.
  var isCertain: Bool { hit.z >= 10 && logOdds >= 4.5 }

  /// Whether it is a match. In a few seconds tracks that share a loop are hardly told apart: so of a short query, more
  /// confidence is asked.
  var isAccepted: Bool { confidence >= (duration < 8 ? 0.77 : 0.69) }
}
