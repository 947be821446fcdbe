internal import Glibc

/// What a query was found to be part of: the best hit and what it has to be measured against.
struct Finding {
  var hit: Matcher.Hit
  /// Other references that hold the same recording at this place, by their hits.
  var twins: [Matcher.Hit]
  /// Best z of the same track displaced in time, and in frequency, and of another track.
  var elsewhere: Float
  var shifted: Float
  var runnerUp: Float
  /// Seconds of the query.
  var duration: Float

  /// Natural logarithm of the odds that the hit is right.
  ///
  /// A logistic regression on the logarithms of z and of what z has to beat. Its data are queries of 3 to 15 s in
  /// noise, at changed speed and through a telephone, once with their track in the catalog and once without it: so
  /// the ways in which other music of the same album comes near are in it. The least values are those that unrelated
  /// music reaches. Where another track reaches more than that, the two share a loop or a sample, and so may the
  /// query: then it must also be ahead of that track by a good measure.
  var logOdds: Float {
    let odds =
      13.5 * log(max(hit.z, 0.1)) - 4.1 * log(max(elsewhere, 2.5)) - 2.2 * log(max(shifted, 2.5))
      - 6.2 * log(max(runnerUp, 4)) - 1.1 * log(duration / 10) - 8.85
    return runnerUp > 6 ? min(odds, 20 * log(hit.z / (1.35 * runnerUp))) : odds
  }

  var confidence: Double { 1 / (1 + exp(-Double(logOdds))) }
  /// Beyond doubt: no further stage is needed.
  var isCertain: Bool { hit.z >= 12 && logOdds >= 5 }

  /// Whether it is a match. In a few seconds tracks that share a loop are hardly told apart: so of a short query, more
  /// confidence is asked.
  var isAccepted: Bool { confidence >= (duration < 8 ? 0.85 : 0.5) }
}
