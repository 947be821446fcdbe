internal import Platform
public import SystemPackage

extension ResultStore {
  /// Returns the path under which a file is known, even if the given path leads to it in another way: through links, or
  /// through another name of the same inode. If the file is unknown, returns the given path.
  public func knownPath(of path: FilePath) throws(StoreError) -> FilePath {
    try read { db in
      let named = try Query(db, "SELECT 1 FROM file WHERE path = ?")
      if try named.first(.path(path), body: { true }) != nil { return path }
      guard let file = FileIdentity(path), file.isRegularFile else { return path }
      let others = try Query(
        db, "SELECT path FROM file WHERE inode = ? AND device = ? AND vanished_run IS NULL ORDER BY id")
      var known: FilePath?
      try others.forEachWhile([.integer(Int64(bitPattern: file.inode)), .integer(Int64(bitPattern: file.device))]) {
        // The inode of a deleted file may have been reused.
        let other = others.path(0)
        if other.isSameFile(as: path) { known = other }
        return known == nil
      }
      return known ?? path
    }
  }
}
