internal import Platform
package import SystemPackage
internal import Text

/// Common fields for records of tracks. Findings have the same names as in the CSV report.
extension Field {
  package static func uri(_ path: @escaping @Sendable (Record) -> FilePath) -> Field {
    .required("uri", .uri, "The file, with the bytes of its path percent-encoded.") { path($0).uri }
  }

  package static func path(_ path: @escaping @Sendable (Record) -> FilePath) -> Field {
    .required("path", .text, "Absolute path for display, as in reports.") { DisplayPath.text(of: path($0)) }
  }

  package static func tempo(_ bpm: @escaping @Sendable (Record) -> Double?) -> Field {
    .optional("tempo_bpm", .number, "Beats per minute, as corrected or else as found.", bpm)
  }

  package static func tempoConfidence(_ confidence: @escaping @Sendable (Record) -> Double?) -> Field {
    .optional("tempo_confidence", .number, "0 to 1: that the tempo is right.", confidence)
  }

  package static func tempoIsLocked(_ isLocked: @escaping @Sendable (Record) -> Bool) -> Field {
    .required("tempo_locked", .boolean, "The tempo was set by a person.", isLocked)
  }

  package static func camelot(_ camelot: @escaping @Sendable (Record) -> String?) -> Field {
    .optional("key_camelot", .text, "Camelot name of the key.", camelot)
  }

  package static func loudness(_ lufs: @escaping @Sendable (Record) -> Double?) -> Field {
    .optional("loudness_integrated_lufs", .number, "Loudness of the track.", lufs)
  }
}
