public import Analysis

public struct ReportOptions: Sendable {
  /// The declared findings, in report order.
  public var findings: [any DeclaredFinding.Type]
  /// The long fields to include, by their names in `FindingField.long`. The records must have been read with these
  /// fields.
  public var long: Set<String>
  /// For CSV only: `true` to put an apostrophe before text that a spreadsheet would run as a formula. The apostrophe
  /// changes the text.
  public var guardsFormulas: Bool

  public init(findings: [any DeclaredFinding.Type], long: Set<String> = [], guardsFormulas: Bool = true) {
    self.findings = findings
    self.long = long
    self.guardsFormulas = guardsFormulas
  }
}
