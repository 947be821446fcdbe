/// The program as a whole.
package enum Nocturne {
  /// Semantic version of the program; findings have versions of their own, one per analyzer.
  package static let version = "0.2.0"
}
