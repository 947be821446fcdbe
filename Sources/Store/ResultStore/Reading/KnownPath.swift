internal import Platform
public import SystemPackage

extension ResultStore {
  /// Returns the path under which a file is known, although another path to it is given: through links, or through
  /// another name of the same inode. Returns the given path if the file is unknown.
  public func knownPath(of path: FilePath) throws(StoreError) -> FilePath {
    try read { db in
      let named = try Query(db, "SELECT 1 FROM file WHERE path = ?")
      if try named.first(.path(path), body: { true }) != nil { return path }
      guard let file = FileIdentity(path), file.isRegularFile else { return path }
      let others = try Query(
        db, "SELECT path FROM file WHERE inode = ? AND device = ? AND vanished_run IS NULL ORDER BY id")
      var known: FilePath?
      try others.forEachWhile([.integer(Int64(bitPattern: file.inode)), .integer(Int64(bitPattern: file.device))]) {
        // Inodes of deleted files are reused.
        let other = others.path(0)
        if other.isSameFile(as: path) { known = other }
        return known == nil
      }
      return known ?? path
    }
  }
}
