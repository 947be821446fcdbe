/// The identity of an analyzer as configured in one pipeline. Findings with equal identities for the same audio are
/// interchangeable.
public struct AnalyzerIdentity: Hashable, Codable, Sendable {
  public var id: String
  public var version: Int
  /// The digest of the configuration and of everything else in the definition that affects the finding.
  public var digest: String

  public init(id: String, version: Int, digest: String) {
    self.id = id
    self.version = version
    self.digest = digest
  }
}

public struct AnalyzerOutcome: Sendable {
  public enum Result: Sendable {
    case finding(any AnalysisFinding)
    /// There was nothing to analyze; the sentence says why.
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

extension AnalyzerOutcome {
  /// The finding; `nil` if the analyzer left none.
  public var finding: (any AnalysisFinding)? {
    if case .finding(let finding) = result { finding } else { nil }
  }
}

extension CodingUserInfoKey {
  /// The key in a decoder's `userInfo` for the finding types by analyzer id (`[String: any AnalysisFinding.Type]`).
  /// Findings of these analyzers are decoded as their own types; all others become `JSONFinding`.
  public static let findingTypes = CodingUserInfoKey(rawValue: "findingTypes")
}

extension AnalyzerOutcome: Codable {
  private enum CodingKeys: String, CodingKey {
    case analyzer, finding, failed
    case notApplicable = "not_applicable"
  }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    analyzer = try container.decode(AnalyzerIdentity.self, forKey: .analyzer)
    if let reason = try container.decodeIfPresent(String.self, forKey: .failed) {
      result = .failed(reason)
    } else if let reason = try container.decodeIfPresent(String.self, forKey: .notApplicable) {
      result = .notApplicable(reason)
    } else {
      let types = CodingUserInfoKey.findingTypes.flatMap { decoder.userInfo[$0] } as? [String: any AnalysisFinding.Type]
      let type = types?[analyzer.id] ?? JSONFinding.self
      result = .finding(try container.decode(type, forKey: .finding))
    }
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(analyzer, forKey: .analyzer)
    switch result {
    case .finding(let finding): try container.encode(finding, forKey: .finding)
    case .failed(let reason): try container.encode(reason, forKey: .failed)
    case .notApplicable(let reason): try container.encode(reason, forKey: .notApplicable)
    }
  }
}
