package import Platform

/// The comment tag in files made by `click` and `metronome`.
package enum ClickMark {
  static let text = "Made by Nocturne"

  /// Identifies a file with this comment.
  package static let proof = OriginProof.text(marks: [text])
}
