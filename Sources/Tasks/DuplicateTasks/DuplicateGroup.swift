internal import Analysis
internal import Library
package import Records
package import ResultStore

/// A group of files that contain the same recording.
package struct DuplicateGroup: Sendable {
  /// Advice on what to do with a file.
  package enum Advice: String, Sendable, CaseIterable {
    /// Keep this file, the best of the group.
    case keep
    /// This file can go, because all of its audio is also in the file to keep.
    case spare
    /// Listen first: it is the same recording, but may have something that the file to keep lacks, such as another
    /// edit, more audio or lossless quality.
    case review
  }

  package struct File: Sendable {
    package var record: FileRecord
    package var advice: Advice
    /// The difference from the file to keep: `audio`, or a relation of `StoredPair`. `nil` for the file to keep itself,
    /// and for a file whose alignment with that file is unknown.
    package var relation: String?
    /// Alignment with the file to keep (`second`).
    package var pair: StoredPair?
    /// The duration of the file to keep, in seconds.
    package var keptDuration: Double?
    /// The reasons to keep this file or, if it is not the file to keep, the reasons to keep that one instead.
    package var reasons: [String]
  }

  /// The lowest content id in the group, which stays the same while the files do not change.
  package var id: String
  /// The files, starting with the one to keep.
  package var files: [File]

  /// Total size of the files that can go (`spare`), in bytes.
  package var spareBytes: Int64 {
    files.reduce(0) { $0 + ($1.advice == .spare ? $1.record.sizeBytes ?? 0 : 0) }
  }

  package var spareCount: Int { files.count { $0.advice == .spare } }
  /// The artist and title of the file to keep.
  package var name: String { files.first?.record.track.name ?? "" }
  /// `true` if all files contain the same encoded audio.
  package var isSameAudio: Bool { Set(files.map(\.record.contentID)).count == 1 }
}

/// Two files with different mixes of the same performance.
package struct OtherVersion: Sendable {
  package var first: FileRecord
  package var second: FileRecord
}

/// A file that contains other recordings of the library.
package struct LongerFile: Sendable {
  package struct Part: Sendable {
    package var record: FileRecord
    /// Position in the longer file, in seconds.
    package var start: Double
    package var end: Double
  }

  package var record: FileRecord
  /// The recordings in the file, in the order of their positions.
  package var parts: [Part]
}
