/// The findings of the analyzers that an analyzer `reads`, about the same audio. Analyzers that are not in the
/// pipeline, or that produced no finding, have none here.
///
///     let beats = earlier[TempoFinding.self]?.beats ?? []
public struct EarlierFindings: Sendable {
  private let findings: [any AnalysisFinding]

  public init(_ findings: [any AnalysisFinding] = []) {
    self.findings = findings
  }

  public subscript<Finding: AnalysisFinding>(_ type: Finding.Type) -> Finding? {
    for finding in findings { if let finding = finding as? Finding { return finding } }
    return nil
  }
}
