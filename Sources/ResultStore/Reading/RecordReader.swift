public import Analysis
internal import GRDB
public import Records
public import System
public import SystemPackage
internal import Text

/// Which files to read, and how much of each.
public struct RecordSelection: Hashable, Sendable {
  /// Files and folders; `nil` for the whole library.
  public var roots: [FilePath]?
  public var statuses: Set<FileRecord.Status>
  /// Files that are gone, too.
  public var includesVanished: Bool
  /// The long lists of each file: beats, downbeats and the course of onsets.
  public var includesBeats: Bool
  /// The words of songs.
  public var includesLyrics: Bool
  public var includesChapters: Bool

  public init(
    roots: [FilePath]? = nil, statuses: Set<FileRecord.Status> = Set(FileRecord.Status.allCases),
    includesVanished: Bool = false, includesBeats: Bool = false, includesLyrics: Bool = false,
    includesChapters: Bool = false
  ) {
    self.roots = roots
    self.statuses = statuses
    self.includesVanished = includesVanished
    self.includesBeats = includesBeats
    self.includesLyrics = includesLyrics
    self.includesChapters = includesChapters
  }
}

/// What the store knows about a file beside its findings: for `explain`.
public struct FileHistory: Hashable, Sendable {
  /// Waiting for analysis, and why.
  public var pending: PendingReason?
  /// The run that met the file first.
  public var firstSeenRun: Int64
  /// The run that analyzed it last.
  public var analyzedRun: Int64?
  public var analyzed: Timestamp?
  public var decoderVersion: Int?
  public var vanishedRun: Int64?
  /// The run in which it failed first, since it was last fine.
  public var firstFailedRun: Int64?
  /// How many times it was tried and failed, since it was last fine.
  public var failedAttempts: Int
  /// How many runs died while they were at it.
  public var unfinishedAttempts: Int
  /// When it last failed.
  public var failed: Timestamp?
  public var quarantine: Quarantine?
}

extension ResultStore {
  /// Reads files in library order (bytes of the path) from one snapshot of the database, in constant memory. Files that were
  /// never analyzed (of a run that ended early) are left out.
  /// - Throws: `StoreError`, or what `body` throws.
  public func forEachRecord(
    _ selection: RecordSelection = RecordSelection(), _ body: (FileRecord) throws -> Void
  ) throws {
    let ranges = selection.roots.map { PathRange.covering($0) }
    let condition =
      (selection.includesVanished ? "" : "file.vanished_run IS NULL AND ") + (ranges == nil ? "1" : PathRange.condition)
    // The errors of `body` are not those of the store.
    let outcome: Result<Void, any Error> = try read { db in
      let reader = try RecordReader(store: self, selection, condition: condition, db)
      for values in ranges.map({ $0.map(\.values) }) ?? [[]] {
        var failure: (any Error)?
        try reader.forEach(values) { record in
          guard selection.statuses.contains(record.status) else { return true }
          do {
            try body(record)
            return true
          } catch {
            failure = error
            return false
          }
        }
        if let failure { return .failure(failure) }
      }
      return .success(())
    }
    try outcome.get()
  }

  /// What is known of one file; `nil` if nothing is.
  public func record(
    at path: FilePath, includesBeats: Bool = false, includesLyrics: Bool = false, includesChapters: Bool = false
  ) throws(StoreError) -> FileRecord? {
    let selection = RecordSelection(
      includesBeats: includesBeats, includesLyrics: includesLyrics, includesChapters: includesChapters)
    return try read { db in
      var record: FileRecord?
      try RecordReader(store: self, selection, condition: "file.path = ?", db)
        .forEach([.path(path)]) {
          record = $0
          return false
        }
      return record
    }
  }

  public func history(at path: FilePath) throws(StoreError) -> FileHistory? {
    try read { db in
      let select = try Query(
        db,
        """
        SELECT f.pending, f.first_seen_run, f.analyzed_run, f.analyzed_ns, f.decoder_version, f.vanished_run,
          e.first_failed_run, coalesce(e.attempts, 0), coalesce(p.attempts, 0), \(Quarantine.columns)
        FROM file f LEFT JOIN failure e ON e.file = f.id LEFT JOIN in_progress p ON p.file = f.id
        WHERE f.path = ?
        """)
      return try select.first(.path(path)) {
        FileHistory(
          pending: PendingState(rawValue: select.integer(0)).reason, firstSeenRun: select.integer(1),
          analyzedRun: select.optionalInteger(2),
          analyzed: select.optionalInteger(3).map { Timestamp(nanoseconds: $0) },
          decoderVersion: select.optionalInteger(4).map { Int($0) }, vanishedRun: select.optionalInteger(5),
          firstFailedRun: select.optionalInteger(6), failedAttempts: Int(select.integer(7)),
          unfinishedAttempts: Int(select.integer(8)),
          failed: select.optionalInteger(11).map { Timestamp(nanoseconds: $0) },
          quarantine: Quarantine.read(select, from: 9))
      }
    }
  }

  /// The newest whole file that decodes to the same as one with this `FileAnalysis.decodingID`.
  public func knownAudio(decodingID: ContentID) throws(StoreError) -> KnownAudio? {
    try read { db in try KnownAudioLookup.first(decodingID: decodingID, store: self, db) }
  }
}

/// Makes records of the rows of one snapshot.
private struct RecordReader {
  private let store: ResultStore
  private let database: Database
  private let files: Query
  private let tags: Query
  private let messages: Query
  private let findings: Query
  private let includesBeats: Bool
  /// `nil` where they are not asked for.
  private let lyrics: Query?
  private let chapters: Query?

  /// - Parameter condition: on the table `file`.
  init(store: ResultStore, _ selection: RecordSelection, condition: String, _ db: Database) throws {
    self.store = store
    let includesBeats = selection.includesBeats
    self.includesBeats = includesBeats
    lyrics = selection.includesLyrics ? try Query(db, StoredFindings.lyricsSQL) : nil
    chapters = selection.includesChapters ? try Query(db, StoredFindings.chaptersSQL) : nil
    database = db
    files = try Query(
      db,
      """
      SELECT file.id, file.path, file.status, file.content_id, file.size_bytes, file.mtime_ns, file.remarks,
        file.analysis_set, file.skip_code, file.skip_message, file.vanished_run, e.stage, e.code, e.message, g.formats, g.has_lyrics, g.pictures,
        p.algorithm, p.duration_s, p.value, s.version, s.landmarks, file.analyzed_ns,
        \(StoredFormat.columns), \(StoredFindings.tempoColumns)
        \(includesBeats ? ", \(StoredFindings.beatColumns)" : ""),
        \(TempoCorrections.columns(includesBeats: includesBeats))
      FROM file
      LEFT JOIN failure e ON e.file = file.id
      LEFT JOIN tag_summary g ON g.file = file.id
      LEFT JOIN fingerprint p ON p.file = file.id
      LEFT JOIN signature s ON s.file = file.id
      LEFT JOIN tempo o ON o.file = file.id
      LEFT JOIN tempo_correction c ON c.content_id = file.content_id
      LEFT JOIN format m ON m.file = file.id
      \(includesBeats ? "LEFT JOIN beat_grid b ON b.file = file.id LEFT JOIN onset_summary n ON n.file = file.id" : "")
      WHERE (file.status IS NOT NULL OR file.skip_code IS NOT NULL) AND \(condition)
      ORDER BY file.path
      """)
    tags = try Query(db, StoredFindings.tagRowsSQL)
    messages = try Query(
      db,
      """
      SELECT n.name, a.outcome, a.message FROM analysis a JOIN analyzer n ON n.id = a.analyzer
      WHERE a.file = ? AND a.outcome <> 'ok' ORDER BY n.name
      """)
    findings = try Query(db, "SELECT analyzer, value FROM finding WHERE file = ?")
  }

  /// Calls `body` for records until it returns false.
  func forEach(_ values: [SQLValue], _ body: (FileRecord) throws -> Bool) throws {
    try files.forEachWhile(values) {
      guard let record = try record() else { return true }
      return try body(record)
    }
  }

  /// Of the row that `files` stands at.
  private func record() throws -> FileRecord? {
    let id = files.integer(0)
    var record = FileRecord(path: files.path(1), status: .ok)
    record.sizeBytes = files.optionalInteger(4)
    record.modified = files.optionalInteger(5).map { Timestamp(nanoseconds: $0) }
    record.isVanished = !files.isNull(10)
    if let code = files.optionalText(8) {
      record.status = files.text(11) == Problem.Stage.scan.rawValue ? .failed : .skipped
      record.problem = Problem(stage: .scan, code: code, message: files.text(9))
      return record
    }
    guard let status = FileRecord.Status(rawValue: files.text(2)) else { return nil }
    record.status = status
    record.problem = StoredProblem.read(files, stage: 11, code: 12, message: 13)
    record.remarks = StoredProblem.list(fromJSON: files, column: 6)
    record.contentID = ContentID(files.text(3))
    record.analyzed = files.optionalInteger(22).map { Timestamp(nanoseconds: $0) }
    record.format = StoredFormat.read(files, from: 23)
    record.tags = try StoredFindings.readTags(
      file: id, formats: 14, hasLyrics: 15, pictures: 16, of: files, tagRows: tags)
    if let lyrics, record.tags?.hasLyrics == true {
      record.tags?.lyrics = try StoredFindings.readLyrics(file: id, rows: lyrics)
    }
    if let chapters, record.tags != nil {
      record.tags?.chapters = try StoredFindings.readChapters(file: id, rows: chapters)
    }
    if !files.isNull(17) {
      record.fingerprint = FingerprintFinding(
        algorithm: files.text(17), duration: files.real(18), value: files.text(19))
    }
    if !files.isNull(20) {
      record.signature = FileRecord.Signature(version: Int(files.integer(20)), landmarkCount: Int(files.integer(21)))
    }
    let tempoColumn = 23 + StoredFormat.columnCount
    record.tempo = StoredFindings.readTempo(
      files, from: tempoColumn, beats: includesBeats ? tempoColumn + StoredFindings.tempoColumnCount : nil)
    let correctionColumn =
      tempoColumn + StoredFindings.tempoColumnCount + (includesBeats ? StoredFindings.beatColumnCount : 0)
    if let correction = TempoCorrections.read(
      files, from: correctionColumn, includesBeats: includesBeats, found: record.tempo)
    {
      record.tempo = correction.finding
      record.tempoCorrection = correction
    }

    let members = try store.analysisSets.members(of: files.optionalInteger(7), in: database)
    record.analyzers = members.map(\.identity)
    if members.contains(where: { $0.outcome != .ok }) {
      try messages.forEach(.integer(id)) {
        guard let outcome = FileRecord.AnalyzerProblem.Outcome(rawValue: messages.text(1)) else { return }
        record.analyzerProblems.append(
          FileRecord.AnalyzerProblem(analyzer: messages.text(0), outcome: outcome, message: messages.text(2)))
      }
    }
    if members.contains(where: { !KnownAnalyzer.all.contains($0.identity.id) }) {
      try findings.forEach(.integer(id)) {
        record.findings[findings.text(0)] = try? JSONValue(parsing: findings.bytes(1))
      }
    }
    return record
  }
}
