package import Platform

/// The comment tag of files made by `click` and `metronome`.
package enum ClickMark {
  static let text = "Made by Nocturne"

  /// Recognizes such a file.
  package static let proof = OriginProof.text(marks: [text])
}
