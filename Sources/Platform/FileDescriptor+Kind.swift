internal import Glibc
public import SystemPackage

extension FileDescriptor {
  /// Whether writing may wait for somebody who reads: a pipe, a terminal or another device, and no file.
  public var isPipeOrDevice: Bool {
    var status = Glibc.stat()
    guard unsafe fstat(rawValue, &status) == 0 else { return false }
    return [S_IFIFO, S_IFCHR].contains(status.st_mode & S_IFMT)
  }
}
