internal import Glibc
public import SystemPackage

extension Errno {
  /// The error of the last failed system call on this thread.
  public static var current: Errno { Errno(rawValue: errno) }
}
