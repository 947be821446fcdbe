internal import GRDB
internal import Platform
internal import Synchronization
public import SystemPackage

/// A scanned folder or file within which missing files may count as gone.
public struct VanishScope: Hashable, Sendable {
  public var root: FilePath
  /// Folders below the root that could not be read; nothing in them counts as gone.
  public var unreadable: [FilePath]

  public init(root: FilePath, unreadable: [FilePath] = []) {
    self.root = root
    self.unreadable = unreadable
  }
}

/// Handles known files that a scan did not find.
extension ScanSession {
  /// Marks known files in these scopes as vanished if this session neither classified nor skipped them; their results
  /// stay. An existing file that was only ever skipped is forgotten, such as a folder that could not be read before but
  /// can be now. Call this after the whole scan, only with roots that exist and had files. Files that still exist
  /// (outside what the walker was told to scan) and files on unmounted disks are left unchanged.
  /// - Returns: Number of files marked.
  @discardableResult
  public func markVanished(in scopes: [VanishScope]) throws(StoreError) -> Int {
    var marked = 0
    for scope in scopes {
      for range in PathRange.covering(scope.root) {
        var start = range.start
        while true {
          let batch = try unseenFiles(in: PathRange(start: start, end: range.end), limit: 1000)
          guard let last = batch.last else { break }
          start = last.path.withBytes { Array($0) } + [0]
          let missing = batch.filter { file in
            !scope.unreadable.contains { file.path.starts(with: $0) }
              && !isOnMissingDisk(file.path, file.device, below: scope.root)
          }
          let gone = missing.filter { !pathExists($0.path) }
          marked += try markVanished(gone.map(\.id))
          let goneIDs = Set(gone.map(\.id))
          try forgetSkipped(missing.map(\.id).filter { !goneIDs.contains($0) })
        }
      }
    }
    return marked
  }

  private func isOnMissingDisk(_ path: FilePath, _ device: Int64?, below root: FilePath) -> Bool {
    state.withLock { $0.disks.holds(path, device, below: root, status: folderAt, exists: pathExists) }
  }

  private func unseenFiles(
    in range: PathRange, limit: Int
  ) throws(StoreError) -> [(id: Int64, path: FilePath, device: Int64?)] {
    try state.withLock { state throws(StoreError) in
      try store.read { db in
        // The index on paths alone answers this query.
        let select = try Query(db, "SELECT id, path FROM file WHERE \(PathRange.condition) ORDER BY path")
        let exists = try Query(db, "SELECT device FROM file WHERE id = ? AND vanished_run IS NULL")
        var unseen: [(id: Int64, path: FilePath, device: Int64?)] = []
        try select.forEachWhile(range.values) {
          let id = select.integer(0)
          if !state.seen.contains(id) {
            try exists.forEachRow(.integer(id)) { unseen.append((id, select.path(1), exists.optionalInteger(0))) }
          }
          return unseen.count < limit
        }
        return unseen
      }
    }
  }

  private func markVanished(_ ids: [Int64]) throws(StoreError) -> Int {
    if ids.isEmpty { return 0 }
    return try transact { state, db in
      var marked = 0
      let mark = try Query(db, "UPDATE file SET vanished_run = ? WHERE id = ?")
      for id in ids where state.seen.insert(id) {
        if !options.isDryRun { try mark.run(.integer(run), .integer(id)) }
        marked += 1
      }
      state.counts.vanished += marked
      return marked
    }
  }

  private func forgetSkipped(_ ids: [Int64]) throws(StoreError) {
    if ids.isEmpty || options.isDryRun { return }
    try transact { _, db in
      let forget = try Query(
        db, "DELETE FROM file WHERE id = ? AND status IS NULL AND pending = 0 AND skip_code IS NOT NULL")
      for id in ids { try forget.run(.integer(id)) }
    }
  }
}
