internal import BuiltInAnalyzers
package import Records

extension FindingLines {
  /// Lines of all findings of this program.
  package static let known = FindingLines(BuiltInAnalyzers.findings)
}
