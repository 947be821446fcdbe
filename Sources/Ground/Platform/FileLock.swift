internal import Glibc
public import SystemPackage

/// Prevents concurrent work in other processes with an advisory lock (`flock`) on a file. The system releases the lock
/// when the process ends for any reason. The file stays: another process may be waiting on it.
public final class FileLock: Sendable {
  private let file: FileDescriptor

  /// Acquires the lock, creating the file if needed. A symbolic link in its place is an error, since it could lead
  /// anywhere.
  /// - Returns: `nil` if another process holds it.
  public init?(_ path: FilePath) throws(Errno) {
    do {
      file = try FileDescriptor.open(
        path, .readWrite, options: [.create, .noFollow, .closeOnExec],
        permissions: [.ownerReadWrite, .groupRead, .otherRead])
    } catch {
      throw error as? Errno ?? .ioError
    }
    guard flock(file.rawValue, LOCK_EX | LOCK_NB) != 0 else { return }
    let code = Errno(rawValue: errno)
    try? file.close()
    guard code == .wouldBlock else { throw code }
    return nil
  }

  deinit { try? file.close() }
}
