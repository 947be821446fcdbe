/// The program as a whole.
package enum Nocturne {
  /// The semantic version of the program. Findings have versions of their own, one per analyzer.
  package static let version = "0.2.0"
}
