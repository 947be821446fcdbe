package import Recognition

/// The least confidence of matches.
package struct ConfidenceLimit: Sendable {
  package var least: Double

  /// The range of limits: less likely matches are never found.
  package static let range = SignatureMatch.minimumConfidence...1

  package init(least: Double = range.lowerBound) {
    self.least = least
  }

  package func accepts(_ confidence: Double) -> Bool { confidence >= least }

  /// A result without the matches that are not good enough.
  package func accepted(_ result: RecognitionSession.Result) -> RecognitionSession.Result {
    guard case .matches(let all) = result, let first = all.first else { return result }
    let matches = all.filter { accepts($0.best.confidence) }
    return matches.isEmpty
      ? .noMatch(queryStart: first.queryStart, queryDuration: first.queryDuration) : .matches(matches)
  }
}
