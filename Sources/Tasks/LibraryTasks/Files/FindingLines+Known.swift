internal import BuiltInAnalyzers
package import Records

extension FindingLines {
  /// Lines for all built-in findings.
  package static let known = FindingLines(BuiltInAnalyzers.findings)
}
