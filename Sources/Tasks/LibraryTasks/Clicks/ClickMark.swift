package import Platform

/// The comment in files of `click` and `metronome`.
package enum ClickMark {
  static let text = "Made by Nocturne"

  /// The proof for such a file.
  package static let proof = OriginProof.text(marks: [text])
}
