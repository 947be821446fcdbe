package import Analysis
package import Platform
package import Recognition
package import Records
package import SystemPackage
package import Text

/// The tracks recognized in one file: a line of `analyze match --json`.
package struct MatchRecord: Sendable {
  /// An absolute path.
  package var path: FilePath
  /// Why the file could not be searched; `nil` if it could.
  package var problem: Problem?
  /// Seconds of audio that were searched; `nil` if none were.
  package var duration: Double?
  /// Sorted by start.
  package var tracks: [CueSheet.Cue]
  /// Catalogs that did not answer, so their tracks may be missing.
  package var missing: [MissingCatalog]
  /// Files that the recording was split into; `nil` if it was not split.
  package var split: MixSplit.Outcome?

  package init(
    path: FilePath, problem: Problem? = nil, duration: Double? = nil, tracks: [CueSheet.Cue] = [],
    missing: [MissingCatalog] = []
  ) {
    self.path = path
    self.problem = problem
    self.duration = duration
    self.tracks = tracks
    self.missing = missing
  }

  /// Includes the line break.
  package var ndjsonLine: [UInt8] { Shape.match.ndjsonLine(self) }

  /// The fields about recognized tracks, without the fields about the file.
  package static var recognizedFields: [Field<MatchRecord>] {
    Shape.match.fields.filter { ["duration_s", "tracks", "partial", "missing_catalogs"].contains($0.name) }
  }
}

/// A track that starts or ends in a live stream: a line of `analyze listen --json`.
package struct DetectionRecord: Sendable {
  package var heard: Timestamp
  package var change: TrackChanges.Change

  package init(heard: Timestamp, change: TrackChanges.Change) {
    self.heard = heard
    self.change = change
  }

  var match: SignatureMatch { change.match }

  package func writeJSON(into writer: inout JSONWriter) { Shape.heard.writeJSON(self, into: &writer) }

  /// Includes the line break.
  package var ndjsonLine: [UInt8] { Shape.heard.ndjsonLine(self) }
}
