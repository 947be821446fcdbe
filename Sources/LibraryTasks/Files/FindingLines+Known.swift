internal import BuiltInAnalyzers
package import Records

extension FindingLines {
  /// Of all findings of this program.
  package static let known = FindingLines(BuiltInAnalyzers.findings)
}
