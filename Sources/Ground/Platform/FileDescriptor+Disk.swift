internal import Glibc
public import SystemPackage

extension FileDescriptor {
  /// Waits until everything written so far is on the disk.
  public func synchronize() throws(Errno) {
    guard fsync(rawValue) == 0 else { throw .current }
  }

  /// Shortens the file; writing continues at its new end.
  public func truncate(to size: Int64) throws(Errno) {
    guard ftruncate(rawValue, off_t(size)) == 0, Glibc.lseek(rawValue, off_t(size), SEEK_SET) >= 0 else {
      throw .current
    }
  }
}
