internal import Glibc
public import SystemPackage

/// Reads files that are expected to be small.
public enum SmallFile {
  /// - Parameters:
  ///   - limit: Maximum size in bytes.
  ///   - isRegular: `true` if the file must be a regular file; `false` to read pipes as well.
  /// - Throws: `.isDirectory` for a folder; `.notSupported` if the file must be regular but is not; `.fileTooLarge`; or
  ///   the system's error, such as `.noSuchFileOrDirectory`.
  public static func read(_ path: FilePath, limit: Int, isRegular: Bool = true) throws(Errno) -> [UInt8] {
    do {
      // The file is opened nonblocking, in case it is a named pipe without a writer.
      let descriptor = try FileDescriptor.openWithoutWaiting(path)
      return try descriptor.closeAfter {
        let kind = try FileStatus(of: descriptor).kind
        if kind != .regular {
          if kind == .folder { throw Errno.isDirectory }
          if isRegular { throw Errno.notSupported }
          // This makes reads wait for the writer.
          _ = fcntl(descriptor.rawValue, F_SETFL, 0)
        }
        let content = try descriptor.readToEnd(limit: limit + 1)
        guard content.count <= limit else { throw Errno.fileTooLarge }
        return content
      }
    } catch {
      throw error as? Errno ?? .ioError
    }
  }
}

extension FileDescriptor {
  /// - Parameter limit: Maximum number of bytes to read.
  public func readToEnd(limit: Int) throws(Errno) -> [UInt8] {
    var content: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: min(limit, 1 << 16))
    do {
      while content.count < limit {
        let wanted = min(piece.count, limit - content.count)
        let count = try piece.withUnsafeMutableBytes {
          try unsafe read(into: UnsafeMutableRawBufferPointer(rebasing: $0[..<wanted]))
        }
        guard count > 0 else { break }
        content += piece[..<count]
      }
    } catch {
      throw error as? Errno ?? .ioError
    }
    return content
  }
}
