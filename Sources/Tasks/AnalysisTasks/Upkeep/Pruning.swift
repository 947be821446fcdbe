package import ResultStore
package import SystemPackage

/// Removes vanished files and their findings from the database.
package struct Pruning {
  package var store: ResultStore
  /// The paths to which pruning is limited; `nil` for the whole library.
  package var roots: [FilePath]?
  package var isDryRun: Bool

  package init(_ store: ResultStore, roots: [FilePath]? = nil, isDryRun: Bool = false) {
    self.store = store
    self.roots = roots
    self.isDryRun = isDryRun
  }

  /// - Throws: `StoreError`, which is `lockedByRun` while a run is active, except for a dry run.
  /// - Returns: The number of files that were or would be removed.
  package func perform() throws -> Int {
    let lock = isDryRun ? nil : try RunLock.acquire(forDatabase: store.path)
    defer { lock?.release() }
    return try store.pruneVanished(in: roots, isDryRun: isDryRun)
  }
}
