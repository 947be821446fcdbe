public import Analysis
package import GRDB
internal import Library
public import Platform
public import Records
public import SystemPackage
internal import Text

/// The files to read, and the data to read for each.
public struct RecordSelection: Hashable, Sendable {
  /// Files and folders; `nil` for the whole library.
  public var roots: [FilePath]?
  public var statuses: Set<FileRecord.Status>
  /// `true` to include vanished files as well.
  public var includesVanished: Bool
  /// Long fields of findings to read, by their `FindingField.long` names: `beats`, `lyrics`, …
  public var long: Set<String>
  /// `true` to include `FileRecord.runs`, the runs in which something happened to a file.
  public var includesRuns: Bool
  /// `true` to include `FileRecord.checksum`.
  public var includesChecksums: Bool

  public init(
    roots: [FilePath]? = nil, statuses: Set<FileRecord.Status> = Set(FileRecord.Status.allCases),
    includesVanished: Bool = false, long: Set<String> = [], includesRuns: Bool = false, includesChecksums: Bool = false
  ) {
    self.roots = roots
    self.statuses = statuses
    self.includesVanished = includesVanished
    self.long = long
    self.includesRuns = includesRuns
    self.includesChecksums = includesChecksums
  }
}

/// The stored facts about the analyses and failures of a file, for `show --why`.
public struct FileHistory: Hashable, Sendable {
  /// The reason the file is waiting for analysis; `nil` if it is not waiting.
  public var pending: PendingReason?
  public var firstSeenRun: Int64
  public var analyzedRun: Int64?
  public var analyzed: Timestamp?
  public var decoderVersion: Int?
  public var vanishedRun: Int64?
  /// First run in the current series of failures or damage; `nil` if there is none. A failure after mere damage begins
  /// a new series.
  public var firstFailedRun: Int64?
  /// Number of attempts in the current series of failures or damage.
  public var failedAttempts: Int
  /// Number of runs that died while analyzing the file.
  public var unfinishedAttempts: Int
  public var failed: Timestamp?
  public var quarantine: Quarantine?
}

extension ResultStore {
  /// Reads files in library order (path bytes) from one snapshot of the database. Memory use is constant. Files that
  /// were never analyzed, because a run ended early, are left out.
  /// - Throws: `StoreError`, or any error that `body` throws.
  public func forEachRecord(
    _ selection: RecordSelection = RecordSelection(), _ body: (FileRecord) throws -> Void
  ) throws {
    let ranges = selection.roots.map { PathRange.covering($0) }
    let condition =
      (selection.includesVanished ? "" : "file.vanished_run IS NULL AND ") + (ranges == nil ? "1" : PathRange.condition)
    // Errors that `body` throws must not be converted to `StoreError`.
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

  /// Returns the record of one file; `nil` if the file is unknown, or was neither analyzed nor skipped.
  /// - Parameter long: See `RecordSelection.long`.
  public func record(at path: FilePath, long: Set<String> = []) throws(StoreError) -> FileRecord? {
    try read { db in
      var record: FileRecord?
      try RecordReader(store: self, RecordSelection(long: long), condition: "file.path = ?", db)
        .forEach([.path(path)]) {
          record = $0
          return false
        }
      return record
    }
  }

  /// Reads files in the order of a list until `body` returns `false`.
  /// - Parameters:
  ///   - long: See `RecordSelection.long`.
  ///   - body: Receives records with their positions in the list. Unknown files are left out.
  /// - Throws: `StoreError`, or any error that `body` throws.
  public func forEachRecord(
    at paths: [FilePath], long: Set<String> = [], _ body: (Int, FileRecord) throws -> Bool
  ) throws {
    let outcome: Result<Void, any Error> = try read { db in
      let reader = try RecordReader(store: self, RecordSelection(long: long), condition: "file.path = ?", db)
      for (place, path) in paths.enumerated() {
        var goesOn: Result<Bool, any Error> = .success(true)
        try reader.forEach([.path(path)]) { record in
          goesOn = Result { try body(place, record) }
          return false
        }
        switch goesOn {
        case .success(true): continue
        case .success(false): return .success(())
        case .failure(let error): return .failure(error)
        }
      }
      return .success(())
    }
    try outcome.get()
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

  /// Returns the intact file that was analyzed last among those that decode to the same audio as a file with this
  /// `FileAnalysis.decodingID`; `nil` if there is none.
  public func knownAudio(decodingID: ContentID) throws(StoreError) -> KnownAudio? {
    try read { db in try KnownAudioLookup.first(decodingID: decodingID, store: self, db) }
  }
}

/// Creates records from the rows of one snapshot.
package struct RecordReader {
  private let store: ResultStore
  private let database: Database
  private let files: Query
  private let columns: Columns
  private let findings: [FindingReader]
  private let corrections: TempoCorrections.Reader
  private let runs: RunColumns?
  private let includesChecksums: Bool
  private let messages: Query
  private let otherFindings: Query
  /// Ids of the analyzers whose findings are declared.
  private let declared: Set<String>

  /// The indices of the columns in the row of a file.
  private struct Columns {
    let id, path, status, contentID, size, modified, remarks, analysisSet, skipCode, skipMessage, vanishedRun: Int32
    let analyzed, stage, code, message, format: Int32

    init(_ select: inout SelectList) {
      id = select.add("file.id")
      path = select.add("file.path")
      status = select.add("file.status")
      contentID = select.add("file.content_id")
      size = select.add("file.size_bytes")
      modified = select.add("file.mtime_ns")
      remarks = select.add("file.remarks")
      analysisSet = select.add("file.analysis_set")
      skipCode = select.add("file.skip_code")
      skipMessage = select.add("file.skip_message")
      vanishedRun = select.add("file.vanished_run")
      analyzed = select.add("file.analyzed_ns")
      stage = select.add("e.stage")
      code = select.add("e.code")
      message = select.add("e.message")
      format = select.add(StoredFormat.columnList)
    }
  }

  /// The indices of the columns of `FileRecord.runs`.
  private struct RunColumns {
    let firstSeen, added, analyzed, vanished, firstFailed: Int32

    init(_ select: inout SelectList) {
      firstSeen = select.add("file.first_seen_run")
      added = select.add("(SELECT started_ns FROM run WHERE run.id = file.first_seen_run)")
      analyzed = select.add("file.analyzed_run")
      vanished = select.add("file.vanished_run")
      firstFailed = select.add("e.first_failed_run")
    }
  }

  /// - Parameter condition: A condition on the table `file`.
  package init(store: ResultStore, _ selection: RecordSelection, condition: String, _ db: Database) throws {
    self.store = store
    database = db
    var select = SelectList()
    columns = Columns(&select)
    findings = try store.findings.types.compactMap {
      try FindingReader($0, long: selection.long, existing: store.existing, &select, db)
    }
    corrections = TempoCorrections.Reader(includesBeats: selection.long.contains("beats"), &select)
    includesChecksums = selection.includesChecksums
    runs = selection.includesRuns ? RunColumns(&select) : nil
    files = try Query(
      db,
      select.sql(
        joining: """
          LEFT JOIN failure e ON e.file = file.id
          LEFT JOIN format m ON m.file = file.id
          \(TempoCorrections.Reader.join)
          """,
        where: """
          (file.status IS NOT NULL OR file.skip_code IS NOT NULL) AND \(condition)
          ORDER BY file.path
          """))
    messages = try Query(
      db,
      """
      SELECT n.name, a.outcome, a.message FROM analysis a JOIN analyzer n ON n.id = a.analyzer
      WHERE a.file = ? AND a.outcome <> 'ok' ORDER BY n.name
      """)
    otherFindings = try Query(db, "SELECT analyzer, value FROM finding WHERE file = ?")
    declared = Set(store.findings.tables.map(\.analyzer))
  }

  /// Calls `body` for each record until it returns `false`.
  package func forEach(_ values: [SQLValue], _ body: (FileRecord) throws -> Bool) throws {
    try files.forEachWhile(values) {
      guard let record = try record() else { return true }
      return try body(record)
    }
  }

  private func record() throws -> FileRecord? {
    let id = files.integer(columns.id)
    var record = FileRecord(path: files.path(columns.path), status: .ok)
    record.sizeBytes = files.optionalInteger(columns.size)
    record.modified = files.optionalInteger(columns.modified).map { Timestamp(nanoseconds: $0) }
    record.isVanished = !files.isNull(columns.vanishedRun)
    record.runs = runs.map {
      FileRecord.Runs(
        firstSeen: files.integer($0.firstSeen),
        added: files.optionalInteger($0.added).map { Timestamp(nanoseconds: $0) },
        analyzed: files.optionalInteger($0.analyzed),
        vanished: files.optionalInteger($0.vanished), firstFailed: files.optionalInteger($0.firstFailed))
    }
    if let code = files.optionalText(columns.skipCode) {
      record.status = files.text(columns.stage) == Problem.Stage.scan.rawValue ? .failed : .skipped
      record.problem = Problem(stage: .scan, code: code, message: files.text(columns.skipMessage))
      return record
    }
    guard let status = FileRecord.Status(rawValue: files.text(columns.status)) else { return nil }
    record.status = status
    record.problem = StoredProblem.read(
      files, stage: columns.stage, code: columns.code, message: columns.message)
    record.remarks = StoredProblem.list(fromJSON: files, column: columns.remarks)
    record.contentID = ContentID(files.text(columns.contentID))
    record.analyzed = files.optionalInteger(columns.analyzed).map { Timestamp(nanoseconds: $0) }
    record.format = StoredFormat.read(files, from: columns.format)
    if includesChecksums { record.checksum = try Checksums.current(file: id, in: database) }
    var readCount = 0
    for reader in findings {
      guard let finding = try reader.read(files, id) else { continue }
      record.findings.append(finding)
      readCount += 1
    }
    if let correction = corrections.read(files, found: record.tempo) {
      record.tempo = correction.finding
      record.tempoCorrection = correction
    }

    let members = try store.analysisSets.members(of: files.optionalInteger(columns.analysisSet), in: database)
    record.analyzers = members.map(\.identity)
    if members.contains(where: { $0.outcome != .ok }) {
      try messages.forEachRow(.integer(id)) {
        guard let outcome = FileRecord.AnalyzerProblem.Outcome(rawValue: messages.text(1)) else { return }
        record.analyzerProblems.append(
          FileRecord.AnalyzerProblem(analyzer: messages.text(0), outcome: outcome, message: messages.text(2)))
      }
    }
    // At least one analyzer is not declared, or was not declared when it produced its finding.
    if members.count(where: { $0.outcome == .ok || !declared.contains($0.identity.id) }) > readCount {
      try otherFindings.forEachRow(.integer(id)) {
        record.otherFindings[otherFindings.text(0)] = try? JSONValue(parsing: otherFindings.bytes(1))
      }
    }
    return record
  }
}
