internal import Analysis
public import Filters
internal import GRDB
internal import Platform
public import Records
public import ResultStore
public import SystemPackage

/// Tracks from one snapshot of the library: either all matches of a filter, or the changed tracks among them along with
/// the removed tracks.
public struct LibraryExtract {
  /// The state that the extract represents; `nil` if the database has no log of changes.
  public let cursor: LibraryCursor?
  public let count: Int

  private let store: ResultStore
  private let db: Database
  private let selection: RecordSelection
  private let records: TrackSet
  /// The changes; `nil` for an extract of the whole library, which reports no removals.
  private let changes: Changes?

  private struct Changes {
    var revision: Int64
    var files: TrackSet
  }

  /// Maximum number of rows that are read and then sorted by path. If there are more, all paths are read in order.
  private static let fewRecords = 5000

  fileprivate init(
    _ selection: RecordSelection, filter: TrackFilter?, since point: ChangePoint?, store: ResultStore, _ db: Database
  ) throws {
    self.store = store
    self.db = db
    self.selection = selection
    let isLogged = try ChangeLog.isKept(in: db)
    let cursor = isLogged ? try Self.cursor(db) : nil
    let changes = try point.map { point in
      guard let cursor else { throw ChangePointError.noLog }
      let revision = try Self.revision(of: point, cursor, db)
      return Changes(
        revision: revision,
        files: try TrackSet(
          db, "file", from: "\(ChangeLog.table) WHERE file IS NOT NULL AND revision > ?", [.integer(revision)]))
    }
    var wanted = changes?.files ?? .all
    if let filter {
      let evaluation = FilterEvaluation(db, tables: store.songs.tables)
      wanted = try wanted.intersection(evaluation.tracks(matching: filter, among: wanted))
    }
    records = try Self.listed(wanted, selection, db)
    count = records.count(ofAll: 0)
    self.cursor = cursor
    self.changes = changes
  }

  /// Calls `body` for each record in library order (path bytes), in constant memory.
  /// - Throws: `StoreError`, or any error that `body` throws.
  public func forEachRecord(_ body: (FileRecord) throws -> Void) throws {
    let ids = records.ids(atMost: Self.fewRecords)
    let values: [SQLValue] = ids.map { [.list($0)] } ?? [.tracks(TrackSet.Argument(records))]
    let condition = ids == nil ? TrackSet.condition(on: "file.id") : "file.id IN (SELECT value FROM json_each(?))"
    try read { failure in
      let reader = try RecordReader(store: store, selection, condition: condition, db)
      try reader.forEach(values) { record in
        do {
          try body(record)
          return true
        } catch {
          failure = error
          return false
        }
      }
    }
  }

  /// Calls `body` with the paths of changed tracks that no longer have a record, in library order: tracks that
  /// vanished, were moved or forgotten, or no longer match. Some of them may never have had a record. An extract of the
  /// whole library has no removals.
  /// - Throws: `StoreError`, or any error that `body` throws.
  public func forEachRemoval(_ body: (FilePath) throws -> Void) throws {
    guard let changes else { return }
    let gone = changes.files.intersection(records.complement)
    let ranges = selection.roots.map { PathRange.covering($0) }
    try read { failure in
      // A path that now belongs to a new file is among the changes of that file.
      let select = try Query(
        db,
        """
        SELECT file.path FROM \(ChangeLog.table) change CROSS JOIN file ON file.id = change.file
        WHERE change.revision > ?1 AND \(TrackSet.condition(on: "file.id", parameter: 2))
        UNION
        SELECT change.path FROM \(ChangeLog.table) change
        WHERE change.revision > ?1 AND change.path IS NOT NULL AND NOT EXISTS (
          SELECT 1 FROM file WHERE file.path = change.path AND \(TrackSet.condition(on: "file.id", parameter: 3)))
        ORDER BY 1
        """)
      try select.forEachWhile([
        .integer(changes.revision), .tracks(TrackSet.Argument(gone)), .tracks(TrackSet.Argument(records)),
      ]) {
        let path = select.path(0)
        guard ranges?.contains(where: { $0.contains(path) }) ?? true else { return true }
        do {
          try body(path)
          return true
        } catch {
          failure = error
          return false
        }
      }
    }
  }

  /// Converts errors of the database to store errors. Errors thrown by the receiver of the records are passed on
  /// unchanged.
  private func read(_ read: (_ failure: inout (any Error)?) throws -> Void) throws {
    var failure: (any Error)?
    do {
      try read(&failure)
    } catch {
      throw ResultStore.storeError(error, path: store.path)
    }
    if let failure { throw failure }
  }

  // MARK: Selection

  private static func cursor(_ db: Database) throws -> LibraryCursor? {
    let select = try Query(db, "SELECT id FROM \(ChangeLog.library)")
    return try select.first { select.text(0) }.map {
      LibraryCursor(library: $0, revision: try ChangeLog.revision(in: db))
    }
  }

  private static func revision(of point: ChangePoint, _ present: LibraryCursor, _ db: Database) throws -> Int64 {
    switch point {
    case .cursor(let cursor):
      guard cursor.library == present.library else { throw ChangePointError.otherLibrary }
      guard (0...present.revision).contains(cursor.revision) else {
        throw ChangePointError.ahead(cursor: cursor.revision, database: present.revision)
      }
      return cursor.revision
    case .run(let run):
      let select = try Query(db, "SELECT started_ns FROM run WHERE id = ?")
      guard let started = try select.first(.integer(run), body: { select.integer(0) }) else {
        let latest = try Query(db, "SELECT max(id) FROM run")
        throw ChangePointError.unknownRun(run, latest: try latest.first { latest.optionalInteger(0) } ?? nil)
      }
      return try revision(before: started, present, db)
    case .time(let time): return try revision(before: time.nanoseconds, present, db)
    }
  }

  private static func revision(before nanoseconds: Int64, _ present: LibraryCursor, _ db: Database) throws -> Int64 {
    // The log has a precision of a millisecond.
    let start = nanoseconds / 1_000_000 * 1_000_000
    let select = try Query(db, "SELECT min(revision) FROM \(ChangeLog.table) WHERE changed_ns >= ?")
    let first = try select.first(.integer(start)) { select.optionalInteger(0) } ?? nil
    return first.map { $0 - 1 } ?? present.revision
  }

  /// Returns the files of a set that have records in the selection.
  private static func listed(_ wanted: TrackSet, _ selection: RecordSelection, _ db: Database) throws -> TrackSet {
    var conditions = [
      "(file.status IS NOT NULL OR file.skip_code IS NOT NULL)",
      """
      iif(file.skip_code IS NULL, file.status, iif(
        (SELECT stage FROM failure WHERE failure.file = file.id) = 'scan', 'failed', 'skipped'))
        IN (\(selection.statuses.map { "'\($0.rawValue)'" }.joined(separator: ", ")))
      """,
    ]
    if !selection.includesVanished { conditions.append("file.vanished_run IS NULL") }
    var source = "file"
    var values: [SQLValue] = []
    if let ids = wanted.ids(atMost: fewRecords) {
      source = "json_each(?) CROSS JOIN file ON file.id = json_each.value"
      values.append(.list(ids))
    } else if !wanted.isAll {
      conditions.append(TrackSet.condition(on: "file.id"))
      values.append(.tracks(TrackSet.Argument(wanted)))
    }
    guard let roots = selection.roots else {
      return try TrackSet(db, "file.id", from: "\(source) WHERE \(conditions.joined(separator: " AND "))", values)
    }
    conditions.append(PathRange.condition)
    return try PathRange.covering(roots).reduce(.none) { set, range in
      set.union(
        try TrackSet(
          db, "file.id", from: "\(source) WHERE \(conditions.joined(separator: " AND "))", values + range.values))
    }
  }
}

extension ResultStore {
  /// Reads tracks from one snapshot of the database.
  /// - Parameters:
  ///   - filter: The filter; `nil` for the whole selection, including files that are not tracks.
  ///   - point: The start of the changes; `nil` for all tracks, changed or not.
  ///   - body: Receives the extract, which must not be used after it returns.
  /// - Throws: `StoreError`, `ChangePointError`, or any error that `body` throws.
  public func extract<Result>(
    _ selection: RecordSelection, matching filter: TrackFilter? = nil, since point: ChangePoint? = nil,
    _ body: (LibraryExtract) throws -> Result
  ) throws -> Result {
    let outcome: Swift.Result<Result, any Error> = try read { db in
      let extract: LibraryExtract
      do {
        extract = try LibraryExtract(selection, filter: filter, since: point, store: self, db)
      } catch let error as ChangePointError {
        return .failure(error)
      }
      return Swift.Result { try body(extract) }
    }
    return try outcome.get()
  }
}
