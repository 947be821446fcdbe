public import Analysis
internal import GRDB
public import Platform
internal import Synchronization
public import SystemPackage

/// A file to read again, with its stored checksum.
public struct VerifiableFile: Sendable {
  public var fileID: Int64
  public var path: FilePath
  public var device: UInt64
  public var sizeBytes: Int64
  public var status: FileAnalysis.Status
  public var contentID: ContentID?
  /// The container according to the last analysis; `nil` if it found no audio.
  public var container: String?
  /// The stored checksum; `nil` if nothing is known about the file's bytes.
  public var known: StoredChecksum?
  let stamp: FileChange.Known

  /// Returns `true` if the size or times show that the file has changed, in which case the next scan will handle it.
  public func isChanged(_ found: FileStamp) -> Bool { FileChange.between(stamp, and: found) == .changed }

  /// Returns `true` if the status time has changed, so a program may have written to the file; `nil` if unknown.
  public func wasWritten(_ found: FileStamp) -> Bool? {
    guard let known = stamp.statusChanged, let now = found.statusChanged?.nanoseconds else { return nil }
    return known != now
  }
}

public struct VerifiedFile: Sendable {
  public enum Outcome: Sendable {
    /// The bytes are the known ones.
    case well(FileChecksum)
    /// The bytes were not known, so the present ones are stored.
    case taken(FileChecksum)
    case changed(FileChecksum, SilentChange)
    /// The system could not read the file, for the given reason.
    case unreadable(String)
    case missing
    /// The size or time differs, so the next scan will handle the file.
    case leftToScan
  }

  public var file: VerifiableFile
  public var outcome: Outcome
  public var byteCount: Int64

  public init(file: VerifiableFile, outcome: Outcome, byteCount: Int64 = 0) {
    self.file = file
    self.outcome = outcome
    self.byteCount = byteCount
  }
}

/// The number of bytes that a verification has read, and the numbers of files by outcome. Each file counts once.
public struct VerificationTotals: Hashable, Sendable {
  public var bytes: Int64 = 0
  public var verified = 0
  public var taken = 0
  /// Files that have their former bytes again.
  public var restored = 0
  public var changedSilently = 0
  /// Files with different bytes that an earlier verification has already reported.
  public var knownChanged = 0
  /// Files that cannot be read now, but could be read before.
  public var unreadable = 0
  /// Files that cannot be read, as an earlier verification has already reported.
  public var knownUnreadable = 0
  public var missing = 0
  public var leftToScan = 0

  public init() {}

  public var all: Int {
    verified + taken + restored + changedSilently + knownChanged + unreadable + knownUnreadable + missing + leftToScan
  }
  /// Changes and failures that were not known before.
  public var news: Int { changedSilently + unreadable }
}

/// A verification. It hands out the files to read, starting with those that were never read or read longest ago, and
/// stores the results. Memory use does not grow with the library.
///
/// The session can be called from any thread, one call at a time. Each call blocks until its transaction is done.
public final class VerificationSession: Sendable {
  private let store: ResultStore
  /// The run that the verification belongs to; `nil` if it is independent.
  private let run: Int64?
  private let id: Int64
  private let started: Timestamp
  private let ranges: [PathRange]?
  private let accepts: Bool
  private let state = Mutex(State())

  private struct State {
    var totals = VerificationTotals()
    /// Index of the range from which files are read.
    var range = 0
    var isAmongUnread = true
    /// The last file read from the range.
    var after: (read: Int64, id: Int64) = (.min, .min)
  }

  /// - Parameters:
  ///   - roots: Files and folders; `nil` for the whole library.
  ///   - accepts: `true` to accept changed bytes as correct.
  public init(
    store: ResultStore, run: Int64? = nil, roots: [FilePath]? = nil, accepts: Bool = false, started: Timestamp = .now
  ) throws(StoreError) {
    self.store = store
    self.run = run
    self.started = started
    self.accepts = accepts
    ranges = roots.map { PathRange.covering($0) }
    id = try store.write { db in
      try Query(db, "INSERT INTO verification (run, started_ns) VALUES (?, ?)")
        .run(.integer(run), .integer(started.nanoseconds))
      return db.lastInsertedRowID
    }
  }

  public var totals: VerificationTotals { state.withLock { $0.totals } }

  /// Condition for existing, analyzed files that are not waiting for an analysis because of a change. It excludes
  /// remote objects, whose names do not begin with a slash, because they would have to be fetched.
  private static let isCandidate = """
    substr(file.path, 1, 1) = x'2F' AND file.vanished_run IS NULL AND file.skip_code IS NULL AND file.status IS NOT NULL
    AND (file.pending & \(PendingState.reasonMask)) NOT IN (\(PendingReason.new.rawValue), \(PendingReason.changed.rawValue))
    """

  /// Returns the number of files to verify and the total number of their bytes.
  public func extent() throws(StoreError) -> (fileCount: Int, byteCount: Int64) {
    try store.read { db in
      var total = (fileCount: 0, byteCount: Int64(0))
      for range in parts {
        let select = try Query(
          db, "SELECT count(*), coalesce(sum(size_bytes), 0) FROM file WHERE \(Self.isCandidate) \(Self.within(range))")
        try select.forEachRow(range?.values ?? []) {
          total.fileCount += Int(select.integer(0))
          total.byteCount += select.integer(1)
        }
      }
      return total
    }
  }

  private var parts: [PathRange?] { ranges.map { $0.map { $0 } } ?? [nil] }

  private static func within(_ range: PathRange?) -> String { range == nil ? "" : "AND \(PathRange.condition)" }

  /// Returns the next files: first those that were never read, then those read longest ago; empty at the end. Each file
  /// is handed out once.
  public func next(limit: Int) throws(StoreError) -> [VerifiableFile] {
    try state.withLock { state throws(StoreError) in
      while true {
        let files = try store.read { [state] db in try read(limit, state, db) }
        if let last = files.last {
          state.after = (last.read ?? .min, last.file.fileID)
          return files.map(\.file)
        }
        state.after = (.min, .min)
        state.range += 1
        if state.range < parts.count { continue }
        guard state.isAmongUnread else { return [] }
        state.isAmongUnread = false
        state.range = 0
      }
    }
  }

  private func read(
    _ limit: Int, _ state: State, _ db: Database
  ) throws -> [(file: VerifiableFile, read: Int64?)] {
    guard state.range < parts.count else { return [] }
    let range = parts[state.range]
    let order =
      state.isAmongUnread
      ? "c.file IS NULL AND file.id > ? ORDER BY file.id"
      : "c.read_ns < \(started.nanoseconds) AND (c.read_ns, c.file) > (?, ?) ORDER BY c.read_ns, c.file"
    let source =
      state.isAmongUnread
      ? "file LEFT JOIN checksum c ON c.file = file.id" : "checksum c CROSS JOIN file ON file.id = c.file"
    let select = try Query(
      db,
      """
      SELECT \(StoredChecksum.columns), file.id, file.path, file.device, file.size_bytes, file.status, file.content_id,
        m.container, file.mtime_ns, file.ctime_ns, c.read_ns
      FROM \(source) LEFT JOIN format m ON m.file = file.id
      WHERE \(Self.isCandidate) \(Self.within(range)) AND \(order) LIMIT ?
      """)
    let place: [SQLValue] =
      state.isAmongUnread ? [.integer(state.after.id)] : [.integer(state.after.read), .integer(state.after.id)]
    var files: [(file: VerifiableFile, read: Int64?)] = []
    try select.forEachRow((range?.values ?? []) + place + [.integer(limit)]) {
      let first = StoredChecksum.columnCount
      let size = select.integer(first + 3)
      guard let status = FileAnalysis.Status(rawValue: select.text(first + 4)) else { return }
      let readAt = select.optionalInteger(first + 9)
      let file = VerifiableFile(
        fileID: select.integer(first), path: select.path(first + 1),
        device: UInt64(bitPattern: select.integer(first + 2)), sizeBytes: size, status: status,
        contentID: ContentID(select.text(first + 5)), container: select.optionalText(first + 6),
        known: readAt == nil ? nil : StoredChecksum.read(select, from: 0, byteCount: size),
        stamp: FileChange.Known(
          sizeBytes: size, modified: select.optionalInteger(first + 7),
          statusChanged: select.optionalInteger(first + 8), looked: nil))
      files.append((file, readAt))
    }
    return files
  }

  // MARK: Writing

  /// Stores the results for some files in one transaction. Files that a run has analyzed in the meantime are left
  /// unchanged.
  public func commit(_ files: [VerifiedFile], at time: Timestamp = .now) throws(StoreError) {
    if files.isEmpty { return }
    try state.withLock { state throws(StoreError) in
      var totals = state.totals
      try store.write { db in
        for file in files { try write(file, at: time, &totals, db) }
        try writeTotals(totals, finished: nil, db)
      }
      state.totals = totals
    }
  }

  public func finish(at time: Timestamp = .now) throws(StoreError) {
    let totals = totals
    try store.write { db in try writeTotals(totals, finished: time, db) }
  }

  private func writeTotals(_ totals: VerificationTotals, finished: Timestamp?, _ db: Database) throws {
    try Query(
      db,
      """
      UPDATE verification SET finished_ns = ?, bytes = ?, verified = ?, taken = ?, restored = ?, changed_silently = ?,
        known_changed = ?, unreadable = ?, missing = ?, left_to_scan = ? WHERE id = ?
      """
    ).run(
      .integer(finished?.nanoseconds), .integer(totals.bytes), .integer(totals.verified), .integer(totals.taken),
      .integer(totals.restored), .integer(totals.changedSilently), .integer(totals.knownChanged),
      .integer(totals.unreadable + totals.knownUnreadable), .integer(totals.missing), .integer(totals.leftToScan),
      .integer(id))
  }

  private func write(
    _ result: VerifiedFile, at time: Timestamp, _ totals: inout VerificationTotals, _ db: Database
  ) throws {
    let file = result.file
    totals.bytes += result.byteCount
    let present = try Checksums.read(file: file.fileID, in: db)
    if present?.checksum?.whole != file.known?.checksum?.whole {
      // A run has analyzed the file in the meantime.
      totals.leftToScan += 1
      return
    }
    switch result.outcome {
    case .well(let found):
      try Checksums.confirm(found, file: file.fileID, at: time, verification: id, in: db)
      if file.known?.state == .changedSilently {
        totals.restored += 1
        try add(.restored, file, at: time, nil, db)
        try clearProblem(of: file, in: db)
      } else {
        totals.verified += 1
      }
    case .taken(let found):
      try Checksums.take(found, file: file.fileID, at: time, in: db)
      if file.known?.state == .changedSilently {
        totals.restored += 1
        try add(.restored, file, at: time, nil, db)
        try clearProblem(of: file, in: db)
      } else {
        totals.taken += 1
      }
    case .changed(let found, _) where accepts:
      totals.taken += 1
      try Checksums.take(found, file: file.fileID, at: time, in: db)
      try add(.accepted, file, at: time, nil, db)
      try clearProblem(of: file, in: db)
    case .changed(let found, _) where file.known?.found == found.whole:
      totals.knownChanged += 1
      try Checksums.noteReading(file: file.fileID, at: time, in: db)
    case .changed(let found, let change):
      totals.changedSilently += 1
      if file.known?.checksum == nil {
        // Only the content id of the audio was known. If the file has no row yet, this adds one, which `noteChange`
        // updates.
        try Checksums.noteUnreadable(file: file.fileID, at: time, in: db)
      }
      try Checksums.noteChange(found.whole, hit: change.hit, file: file.fileID, at: time, in: db)
      try add(.changedSilently, file, at: time, change.hit.rawValue, db)
      try writeProblem(change, of: file, at: time, in: db)
    case .unreadable(let reason):
      if file.known?.state == .unreadable { totals.knownUnreadable += 1 } else { totals.unreadable += 1 }
      try Checksums.noteUnreadable(file: file.fileID, at: time, in: db)
      if file.known?.state != .unreadable { try add(.unreadable, file, at: time, reason, db) }
    case .missing: totals.missing += 1
    case .leftToScan: totals.leftToScan += 1
    }
  }

  private func add(
    _ event: FileEvent.Kind, _ file: VerifiableFile, at time: Timestamp, _ detail: String?, _ db: Database
  ) throws {
    try FileEvents.add(event, file: file.fileID, at: time, run: run, detail, in: db)
  }

  /// Marks an intact file as damaged. A file that already has another problem keeps it.
  private func writeProblem(_ change: SilentChange, of file: VerifiableFile, at time: Timestamp, in db: Database) throws
  {
    let isOwn = try Query(db, "SELECT 1 FROM failure WHERE file = ? AND code = ?")
      .first(.integer(file.fileID), .text(Problem.changedSilently)) { true }
    guard file.status == .ok || isOwn == true else { return }
    let latest = try Query(db, "SELECT max(id) FROM run")
    let run = try run ?? latest.first { latest.integer(0) }
    try Query(db, "UPDATE file SET status = 'partial' WHERE id = ?").run(.integer(file.fileID))
    try Query(db, "DELETE FROM failure WHERE file = ?").run(.integer(file.fileID))
    try Query(
      db,
      """
      INSERT INTO failure (file, stage, code, message, first_failed_run, last_failed_run, attempts, failed_ns)
      VALUES (?, 'verify', ?, ?, ?, ?, 1, ?)
      """
    ).run(
      .integer(file.fileID), .text(Problem.changedSilently), .text(change.message), .integer(run), .integer(run),
      .integer(time.nanoseconds))
    try noteSong(file, in: db)
  }

  /// Removes the problem `Problem.changedSilently`, which `writeProblem` or an analysis has recorded.
  private func clearProblem(of file: VerifiableFile, in db: Database) throws {
    let own = try Query(db, "SELECT 1 FROM failure WHERE file = ? AND code = ?")
    guard try own.first(.integer(file.fileID), .text(Problem.changedSilently), body: { true }) == true else { return }
    try Query(db, "DELETE FROM failure WHERE file = ?").run(.integer(file.fileID))
    try Query(db, "UPDATE file SET status = 'ok' WHERE id = ? AND status = 'partial'").run(.integer(file.fileID))
    try noteSong(file, in: db)
  }

  private func noteSong(_ file: VerifiableFile, in db: Database) throws {
    try Query(db, "INSERT OR IGNORE INTO \(SongCatalog.changes) (file) VALUES (?)").run(.integer(file.fileID))
  }
}
