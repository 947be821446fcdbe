internal import Platform
internal import SystemPackage

/// Reads and writes the files of a catalog. Failures are thrown as `CatalogError`.
enum CatalogFile {
  /// Creates or replaces a file atomically, with contents that `body` writes.
  static func replace(
    _ path: FilePath, _ body: (FileDescriptor) throws(CatalogError) -> Void
  ) throws(CatalogError) {
    do {
      let file = try FileReplacement(path)
      try body(file.descriptor)
      try file.commit()
    } catch let error as CatalogError {
      throw error
    } catch {
      throw .unwritable(path: path.string, reason: "\(error)")
    }
  }

  static func read(_ path: FilePath, limit: Int = 1 << 28) throws(CatalogError) -> [UInt8] {
    do {
      return try SmallFile.read(path, limit: limit)
    } catch {
      throw .unreadable(path: path.string, reason: "\(error)")
    }
  }
}
