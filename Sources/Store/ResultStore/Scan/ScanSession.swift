internal import Analysis
internal import GRDB
public import Platform
internal import Synchronization
public import SystemPackage

/// The scan of one run: compares the files found by the walker with the stored state and leaves the list of work in the
/// database. Memory use grows with the library by only one bit per known file and, in a dry run, 16 bytes per new file.
///
/// The session can be called from any thread, one call at a time. Each call blocks until its transaction is done.
public final class ScanSession: Sendable {
  let store: ResultStore
  let run: Int64
  let wanted: WantedAnalyses
  let options: ScanOptions
  let pathExists: @Sendable (FilePath) -> Bool
  let folderAt: @Sendable (FilePath) -> (device: Int64, isEmpty: Bool)?
  private let started: Timestamp
  let state = Mutex(State())

  struct State {
    var counts = ScanCounts()
    var seen = SeenFiles()
    /// Ids of the paths that a dry run cannot store in the database.
    var unstored: Set<ContentID> = []
    var currency: [Int64: Currency] = [:]
    var disks = MissingDisks()
    var moves = MoveSearches()
  }

  /// Searches for old paths of files with very many links: each continues where the last one ended, since a row that
  /// has been ruled out stays ruled out during a scan.
  struct MoveSearches {
    /// Minimum number of examined rows for a search to be remembered.
    private static let manyRows = 16

    private var ends: [Key: Int64] = [:]

    /// The columns by which a moved file is found.
    struct Key: Hashable {
      var inode: UInt64
      var device: UInt64
      var sizeBytes: Int64
      var modified: Int64

      init(_ file: FileStamp) {
        inode = file.inode
        device = file.device
        sizeBytes = file.sizeBytes
        modified = file.modified.nanoseconds
      }
    }

    /// Returns the row after which to search.
    func start(_ key: Key) -> Int64 { ends[key] ?? 0 }

    /// - Parameters:
    ///   - end: Last row examined.
    ///   - rowCount: Number of rows examined.
    mutating func end(_ key: Key, at end: Int64, rowCount: Int) {
      if rowCount >= Self.manyRows || ends[key] != nil { ends[key] = end }
    }
  }

  /// - Parameters:
  ///   - started: The current time; no file may have been examined before it.
  ///   - pathExists: `true` if something is at this path now (`lstat`). Called for the old path of an apparently moved
  ///     file, and before a file is marked as vanished.
  ///   - folderAt: Device of a folder and whether it is empty; `nil` if there is no such folder.
  public init(
    store: ResultStore, run: Int64, wanted: WantedAnalyses, options: ScanOptions = ScanOptions(),
    started: Timestamp = .now, pathExists: @escaping @Sendable (FilePath) -> Bool,
    folderAt: @escaping @Sendable (FilePath) -> (device: Int64, isEmpty: Bool)? = { _ in nil }
  ) {
    self.store = store
    self.run = run
    self.wanted = wanted
    self.options = options
    self.started = started
    self.pathExists = pathExists
    self.folderAt = folderAt
  }

  public var counts: ScanCounts { state.withLock { $0.counts } }

  /// Empty folders that `markVanished` considered to be unmounted disks, each with the number of files left unchanged.
  public var missingDisks: [(folder: FilePath, fileCount: Int)] {
    state.withLock { $0.disks.counts.map { ($0.key, $0.value) }.sorted { $0.0.string < $1.0.string } }
  }

  /// Returns the number of known files at or below a path that have not vanished. The number distinguishes an unmounted
  /// disk from an empty folder.
  public func knownFileCount(under root: FilePath) throws(StoreError) -> Int { try store.knownFileCount(under: root) }

  /// Compares files with the stored state in one transaction; a few hundred to a few thousand at a time work best.
  ///
  /// A file under a new path counts as moved, and keeps its results, if its device, inode, size and modification time
  /// are those of a known file whose old path is gone. A file passed twice counts once and gets the same verdict both
  /// times.
  /// - Returns: One verdict per file, in order.
  public func classify(_ files: [FileStamp]) throws(StoreError) -> [ScanVerdict] {
    try transact { state, db in try judge(files, &state, db).map(\.verdict) }
  }

  /// The verdict on a scanned file, with its row.
  struct Judgment {
    var verdict: ScanVerdict
    /// Id of the file's row; `nil` if it has no row, or if the row is new.
    var id: Int64?
    /// `true` if the session sees the file for the first time.
    var isFirst: Bool
  }

  func judge(_ files: [FileStamp], _ state: inout State, _ db: Database) throws -> [Judgment] {
    let lookup = try Query(db, Self.lookupSQL)
    var judgments: [Judgment] = []
    judgments.reserveCapacity(files.count)
    for file in files {
      if let known = try lookup.first(.path(file.path), body: { KnownFile(lookup) }) {
        judgments.append(try meet(file, known, state: &state, db))
      } else if let known = try findMoved(file, &state, db) {
        try rename(known, to: file.path, db)
        let judgment = try meet(file, known, state: &state, db)
        if !options.isDryRun || state.unstored.insert(ContentID(ofPath: file.path)).inserted {
          state.counts.moved += 1
        }
        judgments.append(judgment)
      } else {
        judgments.append(
          Judgment(verdict: .pending(.new), id: nil, isFirst: try insert(file, state: &state, db)))
      }
    }
    return judgments
  }

  /// Records skipped files. Earlier results are kept in case the files are not skipped in a later scan.
  public func skip(_ files: [SkippedFile]) throws(StoreError) {
    try transact { state, db in
      let lookup = try Query(
        db,
        """
        SELECT f.id, f.skip_code, f.skip_message, f.vanished_run, e.stage IS NOT NULL FROM file f
        LEFT JOIN failure e ON e.file = f.id AND e.stage = 'scan' WHERE f.path = ?
        """)
      for file in files {
        let known = try lookup.first(.path(file.path)) {
          let exists = lookup.isNull(3)
          let hasSameCode = lookup.optionalText(1) == file.code && exists
          return (
            id: lookup.integer(0), hasFailed: lookup.flag(4), failedBefore: lookup.flag(4) && exists,
            isSame: hasSameCode && lookup.optionalText(2) == file.message && lookup.flag(4) == file.isFailure
          )
        }
        guard let known else {
          if options.isDryRun {
            if state.unstored.insert(ContentID(ofPath: file.path)).inserted {
              state.counts.add(file, failedBefore: false)
            }
            continue
          }
          try Query(
            db,
            """
            INSERT INTO file (path, display_path, size_bytes, mtime_ns, skip_code, skip_message, first_seen_run)
            VALUES (?, ?, ?, ?, ?, ?, ?)
            """
          ).run(
            .path(file.path), .text(DisplayPath.text(of: file.path)), .integer(file.sizeBytes),
            .integer(file.modified?.nanoseconds), .text(file.code), .text(file.message), .integer(run))
          let id = db.lastInsertedRowID
          state.seen.insert(id)
          state.counts.add(file, failedBefore: false)
          if file.isFailure { try writeFailure(file, id, db) }
          continue
        }
        guard state.seen.insert(known.id) else { continue }
        state.counts.add(file, failedBefore: known.failedBefore)
        if known.isSame || options.isDryRun { continue }
        // An analyzed file keeps the size and time of its analysis, so a change is noticed once it is no longer
        // skipped.
        try Query(
          db,
          """
          UPDATE file SET skip_code = ?, skip_message = ?, vanished_run = NULL,
            size_bytes = iif(status IS NULL AND pending = 0, ?, size_bytes),
            mtime_ns = iif(status IS NULL AND pending = 0, ?, mtime_ns)
          WHERE id = ?
          """
        ).run(
          .text(file.code), .text(file.message), .integer(file.sizeBytes), .integer(file.modified?.nanoseconds),
          .integer(known.id))
        if known.hasFailed && !(file.isFailure && known.failedBefore) { try forgetFailure(known.id, db) }
        if file.isFailure { try writeFailure(file, known.id, db) }
      }
    }
  }

  /// Records why a file could not be read. A reason from an earlier analysis stays: it concerns the file itself.
  private func writeFailure(_ file: SkippedFile, _ id: Int64, _ db: Database) throws {
    try Query(
      db,
      """
      INSERT INTO failure (file, stage, code, message, first_failed_run, last_failed_run, attempts)
      VALUES (?, 'scan', ?, ?, ?, ?, 1)
      ON CONFLICT (file) DO UPDATE SET code = excluded.code, message = excluded.message,
        last_failed_run = excluded.last_failed_run, attempts = attempts + 1
      WHERE stage = 'scan'
      """
    ).run(.integer(id), .text(file.code), .text(file.message), .integer(run), .integer(run))
  }

  private func forgetFailure(_ id: Int64, _ db: Database) throws {
    try Query(db, "DELETE FROM failure WHERE file = ? AND stage = 'scan'").run(.integer(id))
  }

  /// Returns the queue of the waiting files that this scan has found. Files found later are added to it.
  public func makePendingQueue() -> PendingQueue { PendingQueue(scan: self) }

  func hasSeen(_ id: Int64) -> Bool { state.withLock { $0.seen.contains(id) } }

  // MARK: Verdicts

  private struct KnownFile {
    var id: Int64
    var stamp: FileChange.Known
    var device: Int64?
    var inode: Int64?
    var status: FileAnalysis.Status?
    var analysisSet: Int64?
    var decoderVersion: Int64
    var pending: PendingState
    var isSkipped: Bool
    var hasVanished: Bool
    /// `true` if the file was known by another path, and its inode alone does not prove that it is the same file.
    var isDoubtful = false

    init(_ row: Query) {
      id = row.integer(0)
      stamp = FileChange.Known(
        sizeBytes: row.optionalInteger(1), modified: row.optionalInteger(2), statusChanged: row.optionalInteger(12),
        looked: row.optionalInteger(13))
      device = row.optionalInteger(3)
      inode = row.optionalInteger(4)
      // The first letter distinguishes the values without creating a string.
      status =
        switch row.bytes(5).first {
        case UInt8(ascii: "o"): .ok
        case UInt8(ascii: "p"): .partial
        case UInt8(ascii: "f"): .failed
        default: nil
        }
      analysisSet = row.optionalInteger(6)
      decoderVersion = row.integer(7)
      pending = PendingState(rawValue: row.integer(8))
      isSkipped = !row.isNull(9)
      hasVanished = !row.isNull(10)
    }
  }

  private static let columns = """
    id, size_bytes, mtime_ns, device, inode, status, analysis_set, decoder_version, pending, skip_code, vanished_run, path,
    ctime_ns, looked_ns
    """
  private static let lookupSQL = "SELECT \(columns) FROM file WHERE path = ?"
  /// The index on inode and device has the rows in the order of their ids.
  private static let moveSQL = """
    SELECT \(columns) FROM file WHERE inode = ? AND device = ? AND size_bytes = ? AND mtime_ns = ? AND id > ?
    ORDER BY id
    """

  /// The result of comparing an analysis set with the wanted analyses.
  struct Currency {
    var coversAll: Bool
    /// `true` if the set covers all analyzers that do not read audio, which is all that a file without audio needs.
    var coversFileFeeds: Bool
    var hasFailure: Bool
  }

  private func currency(
    of set: Int64?, in cache: inout [Int64: Currency], _ db: Database
  ) throws -> Currency {
    // Row ids start at 1.
    if let known = cache[set ?? 0] { return known }
    let members = try store.analysisSets.members(of: set, in: db)
    let identities = Set(members.map(\.identity))
    let currency = Currency(
      coversAll: wanted.members.allSatisfy { $0.accepted.contains(where: identities.contains) },
      coversFileFeeds: wanted.members.allSatisfy { $0.readsAudio || $0.accepted.contains(where: identities.contains) },
      hasFailure: members.contains { member in
        member.outcome == .failed && wanted.members.contains { $0.accepted.contains(member.identity) }
      })
    cache[set ?? 0] = currency
    return currency
  }

  private func verdict(
    on file: FileStamp, _ known: KnownFile, _ quarantine: Quarantine?, _ cache: inout [Int64: Currency], _ db: Database
  ) throws -> ScanVerdict {
    guard let status = known.status else { return .pending(.new) }
    let change =
      file.path.isObject
      ? FileChange.betweenObjects(known.stamp, inode: known.inode, and: file) : .between(known.stamp, and: file)
    if change == .changed || known.pending.reason == .changed { return .pending(.changed) }
    // Backup programs and `chmod -R` touch whole libraries, which must not end every quarantine.
    let isTouched = change == .touched || known.isDoubtful || known.pending.reason == .touched
    if isTouched && quarantine == nil { return .pending(.touched) }
    if options.force { return .pending(.outdated) }
    let currency = try currency(of: known.analysisSet, in: &cache, db)
    let decodingMayDoBetter = status != .ok && known.decoderVersion < Int64(wanted.decoderVersion)
    let isRetried = options.retryFailed && (status == .failed || currency.hasFailure)
    if decodingMayDoBetter || isRetried { return .pending(.retry) }
    if let quarantine { return currency.coversAll && started < quarantine.until ? .knownFailure : .pending(.retry) }
    if status != .ok, try hasTransientProblem(known.id, db) { return .pending(.retry) }
    if status == .failed { return currency.coversFileFeeds ? .knownFailure : .pending(.outdated) }
    return currency.coversAll ? .cached : .pending(.outdated)
  }

  private func hasTransientProblem(_ id: Int64, _ db: Database) throws -> Bool {
    let select = try Query(db, "SELECT code FROM failure WHERE file = ?")
    return try select.first(.integer(id)) { DecodeError.Code(rawValue: select.text(0))?.isTransient } == true
  }

  private func quarantine(of known: KnownFile, _ db: Database) throws -> Quarantine? {
    guard known.status == .failed else { return nil }
    let select = try Query(db, "SELECT \(Quarantine.columns) FROM failure WHERE file = ?")
    return try select.first(.integer(known.id)) { Quarantine.read(select, from: 0) } ?? nil
  }

  /// Judges a file that has a row, counts it, and updates the row where it differs.
  private func meet(
    _ file: FileStamp, _ known: KnownFile, state: inout State, _ db: Database
  ) throws -> Judgment {
    let quarantine = try quarantine(of: known, db)
    let verdict = try verdict(on: file, known, quarantine, &state.currency, db)
    let isFirst = state.seen.insert(known.id)
    if isFirst {
      state.counts.add(verdict)
      if quarantine != nil && verdict == .knownFailure { state.counts.quarantined += 1 }
      if known.status == .partial && verdict == .cached { state.counts.knownDamaged += 1 }
    }
    let pending = known.pending.with(verdict.pendingReason, deaths: quarantine?.losses ?? 0)
    let device = Int64(bitPattern: file.device)
    let inode = Int64(bitPattern: file.inode)
    if !file.path.isObject { state.disks.meet(device, file.path, knownAs: known.device) }
    let modified = file.modified.nanoseconds
    let statusChanged = file.statusChanged?.nanoseconds ?? known.stamp.statusChanged
    let isSameStamp =
      known.stamp.sizeBytes == file.sizeBytes && known.stamp.modified == modified
      && known.stamp.statusChanged == statusChanged
    let isUpToDate =
      pending == known.pending && !known.isSkipped && !known.hasVanished && isSameStamp && known.device == device
      && known.inode == inode
    if !isUpToDate && !options.isDryRun {
      if known.isSkipped { try forgetFailure(known.id, db) }
      // If the stamp or the pending state has changed, the time of this scan counts.
      let looked = isSameStamp && pending == known.pending ? known.stamp.looked : started.nanoseconds
      try Query(
        db,
        """
        UPDATE file SET size_bytes = ?, mtime_ns = ?, ctime_ns = ?, looked_ns = ?, device = ?, inode = ?, pending = ?,
          skip_code = NULL, skip_message = NULL, vanished_run = NULL
        WHERE id = ?
        """
      ).run(
        .integer(file.sizeBytes), .integer(modified), .integer(statusChanged), .integer(looked), .integer(device),
        .integer(inode), .integer(pending.rawValue), .integer(known.id))
    }
    return Judgment(verdict: verdict, id: known.id, isFirst: isFirst)
  }

  /// - Returns: `true` if the session sees the file for the first time.
  private func insert(_ file: FileStamp, state: inout State, _ db: Database) throws -> Bool {
    if !file.path.isObject { state.disks.meet(Int64(bitPattern: file.device), file.path) }
    if options.isDryRun {
      let isFirst = state.unstored.insert(ContentID(ofPath: file.path)).inserted
      if isFirst { state.counts.add(.pending(.new)) }
      return isFirst
    }
    try Query(
      db,
      """
      INSERT INTO file (path, display_path, size_bytes, mtime_ns, ctime_ns, looked_ns, device, inode, pending,
        first_seen_run)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """
    ).run(
      .path(file.path), .text(DisplayPath.text(of: file.path)), .integer(file.sizeBytes),
      .integer(file.modified.nanoseconds), .integer(file.statusChanged?.nanoseconds), .integer(started.nanoseconds),
      .integer(Int64(bitPattern: file.device)),
      .integer(Int64(bitPattern: file.inode)), .integer(PendingState().with(.new).rawValue), .integer(run))
    state.seen.insert(db.lastInsertedRowID)
    state.counts.add(.pending(.new))
    return true
  }

  // MARK: Moves

  private func findMoved(_ file: FileStamp, _ state: inout State, _ db: Database) throws -> KnownFile? {
    // The existence of an object is unknown until its listing has ended.
    if file.path.isObject { return nil }
    let select = try Query(db, Self.moveSQL)
    let key = MoveSearches.Key(file)
    var (end, rowCount) = (state.moves.start(key), 0)
    var found: KnownFile?
    try select.forEachWhile([
      .integer(Int64(bitPattern: file.inode)), .integer(Int64(bitPattern: file.device)), .integer(file.sizeBytes),
      .integer(file.modified.nanoseconds), .integer(end),
    ]) {
      let candidate = KnownFile(select)
      (end, rowCount) = (candidate.id, rowCount + 1)
      guard !state.seen.contains(candidate.id), !pathExists(select.path(11)) else { return true }
      found = candidate
      return false
    }
    state.moves.end(key, at: end, rowCount: rowCount)
    // Renaming a file changes its status time.
    found?.stamp.statusChanged = nil
    if let id = found?.id { found?.isDoubtful = try hasTwin(file, id, db) }
    return found
  }

  /// `true` if another analyzed file has this size and modification time, and the time is in whole seconds (because of
  /// the file system, or because an archive set it). Inodes then prove nothing, because many file systems reuse or
  /// invent them.
  private func hasTwin(_ file: FileStamp, _ id: Int64, _ db: Database) throws -> Bool {
    guard file.modified.nanoseconds % 1_000_000_000 == 0 else { return false }
    let select = try Query(
      db, "SELECT 1 FROM file WHERE size_bytes = ? AND mtime_ns = ? AND id <> ? AND content_id IS NOT NULL LIMIT 1")
    return try select.first(
      .integer(file.sizeBytes), .integer(file.modified.nanoseconds), .integer(id), body: { true }) ?? false
  }

  private func rename(_ known: KnownFile, to path: FilePath, _ db: Database) throws {
    if options.isDryRun { return }
    let display = DisplayPath.text(of: path)
    let old = try Query(db, "SELECT display_path FROM file WHERE id = ?")
    let oldPath = try old.first(.integer(known.id)) { old.text(0) }
    try FileEvents.add(.moved, file: known.id, at: started, run: run, oldPath.map { "from \($0)" }, in: db)
    // This may be a different file with the same size and time.
    if known.isDoubtful { try Checksums.forget(file: known.id, in: db) }
    try Query(db, "UPDATE file SET path = ?, display_path = ? WHERE id = ?")
      .run(.path(path), .text(display), .integer(known.id))
  }

  // MARK: Transactions

  /// Runs a transaction (read-only in a dry run) on a copy of the state, which is kept only if the transaction commits.
  func transact<Result: Sendable>(
    _ body: (inout State, Database) throws -> Result
  ) throws(StoreError) -> Result {
    try state.withLock { state throws(StoreError) in
      var copy = state
      let result = options.isDryRun ? try store.read { try body(&copy, $0) } : try store.write { try body(&copy, $0) }
      state = copy
      return result
    }
  }

}
