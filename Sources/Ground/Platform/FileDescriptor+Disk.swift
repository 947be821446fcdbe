internal import Glibc
public import SystemPackage

extension FileDescriptor {
  /// Waits until everything written so far is on the disk.
  public func synchronize() throws(Errno) {
    guard fsync(rawValue) == 0 else { throw .current }
  }

  /// Shortens the file. Writing continues at its new end.
  public func truncate(to size: Int64) throws(Errno) {
    guard ftruncate(rawValue, off_t(size)) == 0, Glibc.lseek(rawValue, off_t(size), SEEK_SET) >= 0 else {
      throw .current
    }
  }

  /// Maximum number of holes that are subtracted.
  private static let holeLimit = 10_000

  /// Returns the number of bytes of a file that are not in holes. Holes read as zeros and take no space on the disk.
  /// Returns the size of the file if its file system does not report holes. The position in the file stays the same.
  public func storedSize(of size: Int64) -> Int64 {
    let position = Glibc.lseek(rawValue, 0, SEEK_CUR)
    defer { _ = Glibc.lseek(rawValue, position, SEEK_SET) }
    // `SEEK_DATA` and `SEEK_HOLE`, which Swift does not import.
    let (seekData, seekHole): (CInt, CInt) = (3, 4)
    var (stored, end): (Int64, Int64) = (0, 0)
    for _ in 0..<Self.holeLimit {
      let start = Int64(Glibc.lseek(rawValue, off_t(end), seekData))
      // The rest of the file is a hole.
      if start < 0 { return errno == ENXIO ? stored : size }
      end = Int64(Glibc.lseek(rawValue, off_t(start), seekHole))
      if end < 0 { return size }
      stored += end - start
      if end >= size { return stored }
    }
    return stored + size - end
  }
}
