internal import Glibc
public import SystemPackage

/// Prevents concurrent work in other processes with an advisory lock (`flock`) on a file. The system releases the lock
/// when the process ends for any reason. The file is not removed, because another process may be about to lock it.
public final class FileLock: Sendable {
  private let file: FileDescriptor

  /// Acquires the lock, creating the file if necessary. A symbolic link in its place is an error, because it could lead
  /// anywhere.
  /// - Returns: `nil` if another process holds the lock.
  public init?(_ path: FilePath) throws(Errno) {
    do {
      file = try FileDescriptor.open(
        path, .readWrite, options: [.create, .noFollow, .closeOnExec],
        permissions: [.ownerReadWrite, .groupRead, .otherRead])
    } catch {
      throw error as? Errno ?? .ioError
    }
    do {
      if try file.lock(.exclusive) { return }
    } catch {
      try? file.close()
      throw error
    }
    try? file.close()
    return nil
  }

  deinit { try? file.close() }
}

extension FileDescriptor {
  public enum Lock: Sendable { case shared, exclusive }

  /// Acquires an advisory lock (`flock`) without waiting. Closing the descriptor releases it.
  /// - Returns: `false` if another process holds the lock.
  public func lock(_ kind: Lock) throws(Errno) -> Bool {
    while flock(rawValue, (kind == .exclusive ? LOCK_EX : LOCK_SH) | LOCK_NB) != 0 {
      switch Errno.current {
      case .interrupted: continue
      case .wouldBlock: return false
      case let error: throw error
      }
    }
    return true
  }
}
