internal import BuiltInAnalyzers
package import Filters

extension FindingColumn {
  /// Columns for all built-in findings.
  package static let known = all(of: BuiltInAnalyzers.findings)
}
