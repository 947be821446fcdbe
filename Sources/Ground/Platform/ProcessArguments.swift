internal import CSpawn
internal import Glibc

/// The command line of this process, as bytes. Swift's `CommandLine` reads it from `/proc`, which may be missing.
public enum ProcessArguments {
  /// The name of the program, then its arguments.
  public static var all: [[UInt8]] {
    (0..<cspawn_argument_count()).compactMap { position in
      guard let argument = unsafe cspawn_argument(position) else { return nil }
      return unsafe Array(UnsafeRawBufferPointer(start: argument, count: strlen(argument)))
    }
  }
}
