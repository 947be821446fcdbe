package import Platform

/// The comment tag of files made by `click` and `metronome`.
package enum ClickMark {
  static let text = "Made by Nocturne"

  /// Recognizes a file with this comment.
  package static let proof = OriginProof.text(marks: [text])
}
