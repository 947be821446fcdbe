/// The evidence for the best place that was found for a query, probable or not, from which the confidence follows. For
/// `Benchmarks/recognition/confidence.py`, which fits that.
@_spi(Measuring) public struct Evidence: Sendable {
  public var referenceIdentifier: String
  /// Seconds from the start of the reference to where the query's first sample lies.
  public var matchOffset: Double
  public var confidence: Double
  /// Numbers, each with its name.
  public var values: KeyValuePairs<String, Float>
}

extension RecognitionSession {
  /// - Parameter excluded: A reference that is to be taken as not in the catalog.
  @_spi(Measuring) public func evidence(for query: RecognitionQuery, without excluded: String? = nil) -> Evidence? {
    withMatcher { $0.evidence(for: query, without: excluded) }
  }
}

extension CatalogMatcher {
  mutating func evidence(for query: RecognitionQuery, without excluded: String?) -> Evidence? {
    guard let finding = finding(for: query, without: excluded) else { return nil }
    return Evidence(
      referenceIdentifier: identifier(of: finding.hit), matchOffset: matchOffset(of: finding.hit, query),
      confidence: finding.confidence,
      values: [
        "z": finding.hit.z, "shifted": finding.shifted, "runnerUp": finding.runnerUp,
        "explained": finding.overlap.explained, "present": finding.overlap.present, "clarity": finding.clarity,
        "neutral": finding.hit.placement.isNeutral ? 1 : 0, "duration": Float(finding.duration),
      ])
  }
}
