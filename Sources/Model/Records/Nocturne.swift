/// The program as a whole.
package enum Nocturne {
  /// The semantic version of the program. Findings have their own versions, one for each analyzer.
  package static let version = "0.2.0"
}
