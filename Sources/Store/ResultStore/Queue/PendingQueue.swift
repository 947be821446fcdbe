public import Analysis
internal import GRDB
public import Platform
internal import Synchronization
public import SystemPackage

/// A file waiting for analysis, with known facts that may save work.
public struct PendingFile: Sendable {
  public var fileID: Int64
  public var path: FilePath
  public var device: UInt64
  public var inode: UInt64
  public var sizeBytes: Int64
  public var modified: Timestamp
  public var reason: PendingReason
  /// The status after the last analysis; `nil` if there was none.
  public var status: FileAnalysis.Status?
  /// Analyzers that have an outcome for this file, except those that failed. The outcomes are current only if the file
  /// has not changed.
  public var known: Set<AnalyzerIdentity>
  /// Intact files that may have the same audio: files of the same size, or this file before it changed. This file comes
  /// first; vanished files are included. The list is short; `ResultStore.knownAudio(decodingID:)` finds other files.
  public var knownAudio: [KnownAudio]
  /// Number of earlier runs that took this file and ended abnormally before finishing it.
  public var unfinishedAttempts: Int
}

/// The files waiting for analysis in one run. New files come first, then changed, outdated, previously failed and
/// touched ones, and last those that were being analyzed when a run died. Each group is in path order.
///
/// The queue can be called from any thread, one call at a time. Each call blocks until its transaction is done.
public final class PendingQueue: Sendable {
  private let scan: ScanSession
  private let state = Mutex(State())

  private struct State {
    var after: (pending: Int64, path: FilePath)?
    /// Number of files that were waiting when the queue last started reading from the front.
    var waitingAtStart = -1
    var isClosed = false
  }

  init(scan: ScanSession) {
    self.scan = scan
  }

  /// Returns the next files, at most `limit`. The result is empty if there are none at this moment (a running scan may
  /// add more). Each file is handed out once per run. It is recorded as taken until it is committed or released, so
  /// that a later run can tell whether this run died while analyzing it.
  public func next(limit: Int) throws(StoreError) -> [PendingFile] {
    try state.withLock { state throws(StoreError) in
      while !state.isClosed {
        let batch = try take(limit, after: state.after)
        if let last = batch.last {
          state.after = (last.pending.rawValue, last.file.path)
          return batch.map(\.file)
        }
        let waiting = scan.counts.pending
        guard waiting > state.waitingAtStart else { break }
        // Files that the scan has found since then may sort before the last one handed out.
        state.waitingAtStart = waiting
        state.after = nil
      }
      return []
    }
  }

  /// Puts back files that were taken but not analyzed when a run ends early, so that they do not become suspects. The
  /// queue hands out no files afterwards.
  public func release(_ fileIDs: [Int64]) throws(StoreError) {
    state.withLock { $0.isClosed = true }
    try scan.store.write { db in
      for id in fileIDs { try InProgress.release(file: id, in: db) }
    }
  }

  /// Skips a taken file for the rest of this run. The next scan sees it again.
  /// - Parameters:
  ///   - code: The `SkippedFile.code`.
  ///   - message: The `SkippedFile.message`.
  public func postpone(_ fileID: Int64, code: String, message: String) throws(StoreError) {
    try scan.store.write { db in
      try Query(db, "UPDATE file SET skip_code = ?, skip_message = ? WHERE id = ?")
        .run(.text(code), .text(message), .integer(fileID))
      try InProgress.release(file: fileID, in: db)
    }
  }

  private func take(
    _ limit: Int, after: (pending: Int64, path: FilePath)?
  ) throws(StoreError) -> [(file: PendingFile, pending: PendingState)] {
    try scan.store.write { db in
      let select = try Query(
        db,
        """
        SELECT f.id, f.path, f.device, f.inode, f.size_bytes, f.mtime_ns, f.pending, f.status, f.analysis_set,
          coalesce(p.attempts, 0)
        FROM file f LEFT JOIN in_progress p ON p.file = f.id
        WHERE f.pending > 0 AND (f.pending, f.path) > (?, ?) AND f.skip_code IS NULL
          AND (p.run IS NULL OR p.run <> ?)
        ORDER BY f.pending, f.path
        """)
      var files: [(file: PendingFile, pending: PendingState)] = []
      try select.forEachWhile([
        .integer(after?.pending ?? 0), after.map { .path($0.path) } ?? .blob([]), .integer(scan.run),
      ]) {
        let id = select.integer(0)
        let pending = PendingState(rawValue: select.integer(6))
        guard let reason = pending.reason, scan.hasSeen(id) else { return files.count < limit }
        let file = PendingFile(
          fileID: id, path: select.path(1), device: UInt64(bitPattern: select.integer(2)),
          inode: UInt64(bitPattern: select.integer(3)), sizeBytes: select.integer(4),
          modified: Timestamp(nanoseconds: select.integer(5)), reason: reason,
          status: FileAnalysis.Status(rawValue: select.text(7)),
          known: try KnownAudioLookup.analyzers(ofSet: select.optionalInteger(8), store: scan.store, db),
          knownAudio: [],
          unfinishedAttempts: Int(select.integer(9)))
        files.append((file, pending))
        return files.count < limit
      }
      for index in files.indices {
        let file = files[index].file
        files[index].file.knownAudio = try KnownAudioLookup.candidates(
          forFile: file.fileID, sizeBytes: file.sizeBytes, store: scan.store, db)
        try InProgress.take(file: file.fileID, run: scan.run, in: db)
      }
      return files
    }
  }
}

/// Records which files a run is working on.
enum InProgress {
  static func take(file: Int64, run: Int64, in db: Database) throws {
    try Query(
      db,
      """
      INSERT INTO in_progress (file, run, attempts) VALUES (?, ?, 1)
      ON CONFLICT (file) DO UPDATE SET run = excluded.run, attempts = attempts + 1
      """
    ).run(.integer(file), .integer(run))
  }

  static func finish(file: Int64, in db: Database) throws {
    try Query(db, "DELETE FROM in_progress WHERE file = ?").run(.integer(file))
  }

  /// Undoes `take`. The attempts of earlier runs that died are kept.
  static func release(file: Int64, in db: Database) throws {
    try Query(db, "DELETE FROM in_progress WHERE file = ? AND attempts = 1").run(.integer(file))
    try Query(db, "UPDATE in_progress SET attempts = attempts - 1 WHERE file = ?").run(.integer(file))
  }

  /// Undoes `take` for all remaining files of a run that ends normally.
  static func releaseAll(ofRun run: Int64, in db: Database) throws {
    try Query(db, "DELETE FROM in_progress WHERE run = ? AND attempts = 1").run(.integer(run))
    try Query(db, "UPDATE in_progress SET attempts = attempts - 1 WHERE run = ?").run(.integer(run))
  }
}
