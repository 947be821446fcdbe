internal import Analysis
internal import Library
package import Records
package import ResultStore

/// Files of one recording.
package struct DuplicateGroup: Sendable {
  /// What may be done with a file.
  package enum Advice: String, Sendable, CaseIterable {
    /// The best one.
    case keep
    /// All that it holds is in the one to keep, too.
    case spare
    /// It is of the same recording, but holds something else: another edit, another speed.
    case review
  }

  package struct File: Sendable {
    package var record: FileRecord
    package var advice: Advice
    /// How it differs from the one to keep: `audio`, or a relation of `StoredPair`; `nil` for that one itself, and where
    /// the two were not found alike but both are like a third one.
    package var relation: String?
    /// Of this file to the one to keep, which is the second one.
    package var pair: StoredPair?
    /// Seconds of the one to keep.
    package var keptDuration: Double?
    /// Why it is kept, or why the other one is.
    package var reasons: [String]
  }

  /// Stays the same while the files do: the lowest content id.
  package var id: String
  /// The one to keep first.
  package var files: [File]

  /// Bytes of the files that can be spared.
  package var spareBytes: Int64 {
    files.reduce(0) { $0 + ($1.advice == .spare ? $1.record.sizeBytes ?? 0 : 0) }
  }

  package var spareCount: Int { files.count { $0.advice == .spare } }
  /// Artist and title of the one to keep.
  package var name: String { files.first?.record.track.name ?? "" }
  /// Whether all files hold the same encoded audio.
  package var isSameAudio: Bool { Set(files.map(\.record.contentID)).count == 1 }
}

/// Two files of one performance in different mixes.
package struct OtherVersion: Sendable {
  package var first: FileRecord
  package var second: FileRecord
}

/// A file that holds other recordings of the library.
package struct LongerFile: Sendable {
  package struct Part: Sendable {
    package var record: FileRecord
    /// Seconds in the longer file.
    package var start: Double
    package var end: Double
  }

  package var record: FileRecord
  /// In their order in the file.
  package var parts: [Part]
}
