package import Analysis
package import Platform
package import Recognition
package import Records
package import SystemPackage
package import Text

/// The tracks that were recognized in one file: a line of `analyze match --json`.
package struct MatchRecord: Sendable {
  /// The absolute path of the file.
  package var path: FilePath
  /// The reason the file could not be searched; `nil` if it was searched.
  package var problem: Problem?
  /// Number of seconds of audio that were searched; `nil` if no audio was searched.
  package var duration: Double?
  /// The tracks, sorted by start.
  package var tracks: [CueSheet.Cue]
  /// Catalogs that did not answer, so their tracks may be missing.
  package var missing: [MissingCatalog]
  /// The files into which the recording was split; `nil` if it was not split.
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

  /// One line of JSON, including its line break.
  package var ndjsonLine: [UInt8] { Shape.match.ndjsonLine(self) }

  /// The fields that describe recognized tracks, without those that describe the file.
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

  /// One line of JSON, including its line break.
  package var ndjsonLine: [UInt8] { Shape.heard.ndjsonLine(self) }
}
