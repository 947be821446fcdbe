/// Findings of other analyzers in the same audio: those that an analyzer `reads`, if the pipeline has them and they
/// found something.
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
