internal import Platform
internal import SystemPackage

/// Reads regular files that are expected to be small.
enum SmallFile {
  /// - Throws: `.noSuchFileOrDirectory` and the like; `.notSupported` if it is not a file; `.fileTooLarge`.
  static func read(_ path: FilePath, limit: Int) throws(Errno) -> [UInt8] {
    do {
      // Non-blocking, in case this name is a named pipe.
      let descriptor = try FileDescriptor.open(path, .readOnly, options: [.closeOnExec, .nonBlocking])
      return try descriptor.closeAfter {
        guard try FileStatus(of: descriptor).kind == .regular else { throw Errno.notSupported }
        var content: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 1 << 14)
        while content.count <= limit {
          let count = try piece.withUnsafeMutableBytes { try unsafe descriptor.read(into: $0) }
          guard count > 0 else { return content }
          content += piece[..<count]
        }
        throw Errno.fileTooLarge
      }
    } catch {
      throw error as? Errno ?? .ioError
    }
  }
}
