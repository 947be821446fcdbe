package import Analysis
internal import Text

extension FileRecord {
  /// Returns the lines that `show` prints for a finding; empty if there is none.
  package func lines<Finding: DeclaredFinding>(of type: Finding.Type) -> [FindingLine] {
    findings[type].map { Finding.declaration.lines($0, context) } ?? []
  }
}

/// The findings that pages show as generic lines, because pages have no layout for their fields.
package struct FindingLines: Sendable {
  /// The findings that have their own layout on pages.
  private static let laidOut: Set = [
    TempoFinding.analyzer, TagFinding.analyzer, KeyFinding.analyzer, LoudnessFinding.analyzer, TraitsFinding.analyzer,
    SectionsFinding.analyzer, CuesFinding.analyzer, WaveformFinding.analyzer, LikenessFinding.analyzer,
  ]
  /// Maximum number of characters shown of an undeclared finding, which may have any length.
  private static let maxTextLength = 500

  private let types: [any DeclaredFinding.Type]

  package init(_ findings: [any DeclaredFinding.Type]) {
    types = findings.filter { $0.isOnPages && !Self.laidOut.contains($0.analyzer) }
  }

  /// Returns the lines of each finding. Findings without a declaration, which are JSON, come last.
  package func lines(of record: FileRecord) -> [[FindingLine]] {
    let declared = types.map { record.lines(of: $0) }.filter { !$0.isEmpty }
    return declared
      + record.otherFindings.sorted { $0.key < $1.key }.map { [FindingLine($0.key, Self.shortened($0.value.text))] }
  }

  private static func shortened(_ text: String) -> String {
    text.count > maxTextLength ? text.prefix(maxTextLength) + " …" : text
  }
}
