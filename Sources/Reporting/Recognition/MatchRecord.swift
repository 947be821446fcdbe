public import Analysis
public import Recognition
internal import Records
public import System
public import SystemPackage
internal import Text

/// What was recognised in one file: a line of `analyze match --json`.
public struct MatchRecord: Sendable {
  /// Absolute.
  public var path: FilePath
  /// Why nothing could be looked for.
  public var problem: Problem?
  /// Seconds that were listened to; `nil` if none were.
  public var duration: Double?
  /// Ascending by start.
  public var tracks: [CueSheet.Cue]

  public init(path: FilePath, problem: Problem? = nil, duration: Double? = nil, tracks: [CueSheet.Cue] = []) {
    self.path = path
    self.problem = problem
    self.duration = duration
    self.tracks = tracks
  }

  /// As a line of NDJSON, line break included.
  public var ndjsonLine: [UInt8] { Shape.match.line(of: self) }
}

/// A track that begins or ends as one listens: a line of `analyze listen --json`.
public struct HeardRecord: Sendable {
  public var heard: Timestamp
  public var change: TrackChanges.Change

  public init(heard: Timestamp, change: TrackChanges.Change) {
    self.heard = heard
    self.change = change
  }

  var match: Match { change.match }

  /// As a line of NDJSON, line break included.
  public var ndjsonLine: [UInt8] { Shape.heard.line(of: self) }
}

extension Shape {
  fileprivate func line(of record: Record) -> [UInt8] {
    var json = JSONWriter()
    writeJSON(record, into: &json)
    json.endLine()
    return json.bytes
  }
}
