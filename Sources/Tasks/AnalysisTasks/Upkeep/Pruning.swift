package import ResultStore
package import SystemPackage

/// Forgets files that have gone, and all that was found of them.
package struct Pruning {
  package var store: ResultStore
  /// Only what was here; `nil` for everywhere.
  package var roots: [FilePath]?
  package var isDryRun: Bool

  package init(_ store: ResultStore, roots: [FilePath]? = nil, isDryRun: Bool = false) {
    self.store = store
    self.roots = roots
    self.isDryRun = isDryRun
  }

  /// - Throws: `StoreError`; `lockedByRun` while a run is at work.
  /// - Returns: How many files were, or would be, forgotten.
  package func perform() throws -> Int {
    let lock = isDryRun ? nil : try RunLock.acquire(forDatabase: store.path)
    defer { lock?.release() }
    return try store.pruneVanished(in: roots, isDryRun: isDryRun)
  }
}
