internal import Analysis
internal import GRDB
public import Platform

/// Compares the bytes that an analysis has read with the stored checksum of the file, and adds events to its history.
struct ChecksumComparison {
  let file: Int64
  let reason: PendingReason?
  /// The status after the last analysis; `nil` if there was none.
  let status: FileAnalysis.Status?
  let problem: Problem?
  let contentID: ContentID?
  let sizeBytes: Int64?
  let run: Int64
  let time: Timestamp

  /// Updates the stored checksum. If the bytes of a file differ although its size and times do not, the file counts as
  /// damaged, no matter what its decoder reports.
  func settle(_ analysis: inout FileAnalysis, in db: Database) throws {
    let isNew = reason == .new || reason == .changed
    guard let found = analysis.checksum, found.byteCount == sizeBytes else {
      // If the file cannot be read today, or has been replaced by a different one, nothing can be concluded.
      if isNew { try Checksums.forget(file: file, in: db) }
      return try noteOutcome(of: analysis, in: db)
    }
    guard !isNew, let known = try Checksums.read(file: file, in: db), let checksum = known.checksum else {
      try Checksums.take(found, file: file, at: time, in: db)
      if reason == .changed, status != nil { try noteEdit(analysis, in: db) }
      return try noteOutcome(of: analysis, in: db)
    }
    if checksum.whole == found.whole {
      if known.state == .changedSilently {
        try add(.restored, in: db)
        if analysis.problem?.code == Problem.changedSilently { (analysis.status, analysis.problem) = (.ok, nil) }
      }
      try Checksums.confirm(found, file: file, at: time, verification: nil, in: db)
      return try noteOutcome(of: analysis, in: db)
    }
    let hit =
      known.hit(in: found) ?? (analysis.contentID != nil && analysis.contentID == contentID ? .tags : .audio)
    if reason == .touched, hit == .tags, known.state != .changedSilently {
      // The status time shows that a program has written to the file, for example an editor that restores the old time.
      try Checksums.take(found, file: file, at: time, in: db)
      try add(.changed, "tags", in: db)
      return try noteOutcome(of: analysis, in: db)
    }
    if known.found == found.whole {
      try Checksums.noteReading(file: file, at: time, in: db)
    } else {
      try Checksums.noteChange(found.whole, hit: hit, file: file, at: time, in: db)
      try add(.changedSilently, hit.rawValue, in: db)
    }
    if analysis.status == .ok {
      analysis.status = .partial
      analysis.problem = Problem(
        stage: .open, code: Problem.changedSilently, message: SilentChange(hit: hit, well: known.well).message)
    }
    try noteOutcome(of: analysis, in: db)
  }

  private func noteEdit(_ analysis: FileAnalysis, in db: Database) throws {
    let hasSameAudio = analysis.contentID != nil && analysis.contentID == contentID
    try add(.changed, hasSameAudio ? "tags" : "audio", in: db)
  }

  private func noteOutcome(of analysis: FileAnalysis, in db: Database) throws {
    let code = analysis.problem?.code
    switch analysis.status {
    case .ok: if status == .partial || status == .failed { try add(.recovered, in: db) }
    case .partial, .failed:
      guard analysis.status != status || code != problem?.code, code != Problem.changedSilently,
        !Problem.movingTargets.contains(code ?? "")
      else { return }
      try add(analysis.status == .failed ? .failed : .damaged, code, in: db)
    }
  }

  private func add(_ event: FileEvent.Kind, _ detail: String? = nil, in db: Database) throws {
    try FileEvents.add(event, file: file, at: time, run: run, detail, in: db)
  }
}

/// A change of bytes without a change of size or times, with a description for people.
public struct SilentChange: Hashable, Sendable {
  public var hit: StoredChecksum.Hit
  /// The time at which the file was last known to be intact; `nil` if unknown.
  public var well: Timestamp?
  /// The error that a decoder reports for the present file; `nil` if there is none.
  public var symptom: String?
  /// `true` if the status time has changed, so a program may have written to the file; `nil` if unknown.
  public var wasWritten: Bool?

  public init(hit: StoredChecksum.Hit, well: Timestamp?, symptom: String? = nil, wasWritten: Bool? = nil) {
    self.hit = hit
    self.well = well
    self.symptom = symptom
    self.wasWritten = wasWritten
  }

  /// A description of the change in whole sentences, without the name of the file.
  public var message: String {
    let place = hit == .audio ? "the audio" : "the tags or headers; the audio is untouched"
    let since = well.map { " It was intact on \($0.description.prefix(10))." } ?? ""
    let writer =
      wasWritten == true ? " Its status time differs: a program may have written it and restored the other times." : ""
    return "Bytes changed although size and times did not, in \(place).\(since)\(writer)"
      + (symptom.map { " \($0)" } ?? "")
  }
}
