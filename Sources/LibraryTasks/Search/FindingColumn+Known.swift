internal import BuiltInAnalyzers
package import Filters

extension FindingColumn {
  /// Of all findings of this program.
  package static let known = all(of: BuiltInAnalyzers.findings)
}
