internal import Glibc
internal import SystemPackage

/// Replaces files as a whole: whoever looks sees the old file or the new one, also after a crash.
enum AtomicFile {
  /// Has `body` write a new file beside `path`, brings it to the disk and gives it the name.
  static func replace(
    _ path: FilePath, _ body: (FileDescriptor, _ path: String) throws(CatalogError) -> Void
  ) throws(CatalogError) {
    let beside = FilePath("\(path.string).new-\(getpid())")
    do {
      let file = try FileDescriptor.open(
        beside, .readWrite, options: [.create, .truncate, .closeOnExec],
        permissions: [.ownerReadWrite, .groupRead, .otherRead])
      do {
        try body(file, path.string)
        guard fsync(file.rawValue) == 0 else { throw Errno(rawValue: errno) }
        try file.close()
        guard rename(beside.string, path.string) == 0 else { throw Errno(rawValue: errno) }
      } catch {
        try? file.close()
        unlink(beside.string)
        throw error
      }
      try synchronizeDirectory(of: path)
    } catch let error as CatalogError {
      throw error
    } catch {
      throw .unwritable(path: path.string, reason: "\(error)")
    }
  }

  /// Makes a rename or removal in a directory last.
  private static func synchronizeDirectory(of path: FilePath) throws {
    var directory = path
    directory.removeLastComponent()
    let file = try FileDescriptor.open(directory.isEmpty ? "." : directory, .readOnly, options: .closeOnExec)
    defer { try? file.close() }
    // Some file systems cannot do this for directories, which is no reason to fail.
    _ = fsync(file.rawValue)
  }

  /// The bytes of a small file.
  static func read(_ path: FilePath, limit: Int = 1 << 28) throws(CatalogError) -> [UInt8] {
    do {
      let file = try FileDescriptor.open(path, .readOnly, options: .closeOnExec)
      defer { try? file.close() }
      var bytes: [UInt8] = []
      var chunk = [UInt8](repeating: 0, count: 1 << 16)
      while bytes.count < limit {
        let count = try chunk.withUnsafeMutableBytes { try file.read(into: $0) }
        if count == 0 { break }
        bytes.append(contentsOf: chunk[..<count])
      }
      return bytes
    } catch {
      throw .unreadable(path: path.string, reason: "\(error)")
    }
  }
}
