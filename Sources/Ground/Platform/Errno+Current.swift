internal import Glibc
public import SystemPackage

extension Errno {
  /// The error of the last system call of this thread that failed.
  public static var current: Errno { Errno(rawValue: errno) }
}
