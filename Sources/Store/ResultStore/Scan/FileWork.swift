public import Analysis
internal import GRDB

/// The work that a run would have to do on a file, and known facts that determine its amount.
public struct FileWork: Hashable, Sendable {
  public var reason: PendingReason
  /// Ids of wanted analyzers. If the reason is `outdated`, and the run does not repeat everything, those whose findings
  /// are missing or come from another version or configuration; otherwise, all of them.
  public var missing: [String]
  /// Format at the last analysis; `nil` if there is none.
  public var format: AudioFormat?

  public init(_ reason: PendingReason, missing: [String], format: AudioFormat?) {
    self.reason = reason
    self.missing = missing
    self.format = format
  }
}

extension ScanSession {
  /// Compares files with the stored state for a plan, as `classify` does.
  /// - Returns: One element per file, in order; `nil` for a file that needs no work or has been seen before.
  public func work(for files: [FileStamp]) throws(StoreError) -> [FileWork?] {
    try transact { state, db in
      try judge(files, &state, db).map { judgment in
        guard judgment.isFirst, case .pending(let reason) = judgment.verdict else { return nil }
        return try work(reason, row: judgment.id, db)
      }
    }
  }

  private func work(_ reason: PendingReason, row id: Int64?, _ db: Database) throws -> FileWork {
    var work = FileWork(reason, missing: wanted.members.map(\.identity.id), format: nil)
    guard let id else { return work }
    let select = try Query(
      db,
      "SELECT f.analysis_set, \(StoredFormat.columns) FROM file f LEFT JOIN format m ON m.file = f.id WHERE f.id = ?")
    var set: Int64?
    _ = try select.first(.integer(id)) {
      set = select.optionalInteger(0)
      work.format = StoredFormat.read(select, from: 1)
    }
    if reason == .outdated, !options.force {
      let known = Set(try store.analysisSets.members(of: set, in: db).map(\.identity))
      work.missing = wanted.members.filter { !$0.accepted.contains(where: known.contains) }.map(\.identity.id)
    }
    return work
  }
}
