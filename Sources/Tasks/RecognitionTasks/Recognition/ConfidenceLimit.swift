package import Recognition

package struct ConfidenceLimit: Sendable {
  package var minimum: Double

  /// The allowed limits. Matches below this range are never found.
  package static let range = SignatureMatch.minimumConfidence...1

  package init(minimum: Double = range.lowerBound) {
    self.minimum = minimum
  }

  package func accepts(_ confidence: Double) -> Bool { confidence >= minimum }

  /// Returns a result without the matches below the limit; `noMatch` if no matches remain.
  package func accepted(_ result: RecognitionSession.Result) -> RecognitionSession.Result {
    guard case .matches(let all) = result, let first = all.first else { return result }
    let matches = all.filter { accepts($0.best.confidence) }
    return matches.isEmpty
      ? .noMatch(queryStart: first.queryStart, queryDuration: first.queryDuration) : .matches(matches)
  }
}
