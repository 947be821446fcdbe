public import Analysis

/// The content and form of a report.
public struct ReportOptions: Sendable {
  /// The declared findings, in report order.
  public var findings: [any DeclaredFinding.Type]
  /// The long fields to include, by the names in `FindingField.long`; the records must have been read with them.
  public var long: Set<String>
  /// CSV only: adds an apostrophe before text that a spreadsheet would run as a formula. This changes such text.
  public var guardsFormulas: Bool

  public init(findings: [any DeclaredFinding.Type], long: Set<String> = [], guardsFormulas: Bool = true) {
    self.findings = findings
    self.long = long
    self.guardsFormulas = guardsFormulas
  }
}
