internal import Platform
package import SystemPackage
internal import Text

/// Common fields for records of tracks. Fields of findings have the same names as in the CSV report.
extension Field {
  package static func uri(_ path: @escaping @Sendable (Record) -> FilePath) -> Field {
    .required("uri", .uri, "URI of the file, with the bytes of its path percent-encoded.") { path($0).uri }
  }

  package static func path(_ path: @escaping @Sendable (Record) -> FilePath) -> Field {
    .required("path", .text, "Absolute path for display, as in reports.") { DisplayPath.text(of: path($0)) }
  }

  package static func tempo(_ bpm: @escaping @Sendable (Record) -> Double?) -> Field {
    .optional(
      "tempo_bpm", .number, "Beats per minute: the corrected tempo, otherwise the analyzed one; null if there is none.",
      bpm)
  }

  package static func tempoConfidence(_ confidence: @escaping @Sendable (Record) -> Double?) -> Field {
    .optional(
      "tempo_confidence", .number, "Probability, 0 to 1, that the tempo is right; null if there is none.", confidence)
  }

  package static func tempoIsLocked(_ isLocked: @escaping @Sendable (Record) -> Bool) -> Field {
    .required("tempo_locked", .boolean, "The tempo was set by a person.", isLocked)
  }

  package static func camelot(_ camelot: @escaping @Sendable (Record) -> String?) -> Field {
    .optional("key_camelot", .text, "Key in Camelot notation; null if there is none.", camelot)
  }

  package static func loudness(_ lufs: @escaping @Sendable (Record) -> Double?) -> Field {
    .optional("loudness_integrated_lufs", .number, "Loudness of the track in LUFS; null if unknown.", lufs)
  }
}
