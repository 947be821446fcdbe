package import Analysis
package import Platform
package import Recognition
package import Records
package import SystemPackage
package import Text

/// The tracks recognized in one file: a line of `analyze match --json`.
package struct MatchRecord: Sendable {
  /// Absolute.
  package var path: FilePath
  /// Why nothing could be looked for.
  package var problem: Problem?
  /// Seconds that were listened to; `nil` if none were.
  package var duration: Double?
  /// Ascending by start.
  package var tracks: [CueSheet.Cue]
  /// Catalogs that did not answer: their tracks may be missing.
  package var missing: [MissingCatalog]
  /// The files into which the recording was cut; `nil` if it was not.
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

  /// As a line of NDJSON, line break included.
  package var ndjsonLine: [UInt8] { Shape.match.ndjsonLine(self) }

  /// What was recognized, without what says in which file.
  package static var heardFields: [Field<MatchRecord>] {
    Shape.match.fields.filter { ["duration_s", "tracks", "partial", "missing_catalogs"].contains($0.name) }
  }
}

/// A track that begins or ends as one listens: a line of `analyze listen --json`.
package struct HeardRecord: Sendable {
  package var heard: Timestamp
  package var change: TrackChanges.Change

  package init(heard: Timestamp, change: TrackChanges.Change) {
    self.heard = heard
    self.change = change
  }

  var match: SignatureMatch { change.match }

  package func writeJSON(into writer: inout JSONWriter) { Shape.heard.writeJSON(self, into: &writer) }

  /// As a line of NDJSON, line break included.
  package var ndjsonLine: [UInt8] { Shape.heard.ndjsonLine(self) }
}
