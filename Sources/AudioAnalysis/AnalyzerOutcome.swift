/// An analyzer as one pipeline uses it: findings of equal identity are interchangeable.
public struct AnalyzerIdentity: Hashable, Codable, Sendable {
  public var id: String
  public var version: Int
  /// Digest of the configuration, and of what else in the definition shapes the finding.
  public var digest: String

  public init(id: String, version: Int, digest: String) {
    self.id = id
    self.version = version
    self.digest = digest
  }
}

/// What one analyzer had to say about one file.
public struct AnalyzerOutcome: Sendable {
  public enum Result: Sendable {
    case finding(any AnalysisFinding)
    /// Nothing to analyze; the sentence says why.
    case notApplicable(String)
    case failed(String)
  }

  public var analyzer: AnalyzerIdentity
  public var result: Result

  public init(analyzer: AnalyzerIdentity, result: Result) {
    self.analyzer = analyzer
    self.result = result
  }
}
