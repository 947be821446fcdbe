/// The features of the best place found for a query, accepted or not, from which its confidence is computed.
/// `Benchmarks/recognition/confidence.py` uses them to fit the weights.
@_spi(Measuring) public struct Evidence: Sendable {
  public var referenceIdentifier: String
  /// Position of the query's first sample in the reference, in seconds.
  public var matchOffset: Double
  public var confidence: Double
  /// The values of the features by name.
  public var values: KeyValuePairs<String, Float>
}

extension RecognitionSession {
  /// - Parameter excluded: The identifier of a reference to ignore.
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
