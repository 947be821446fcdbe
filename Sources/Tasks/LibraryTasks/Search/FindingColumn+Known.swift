internal import BuiltInAnalyzers
package import Filters

extension FindingColumn {
  /// Columns of all findings of this program.
  package static let known = all(of: BuiltInAnalyzers.findings)
}
