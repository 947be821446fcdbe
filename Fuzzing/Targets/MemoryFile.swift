import Foundation
import Glibc
import SystemPackage

/// A regular file without a name, for interfaces that take a path.
final class MemoryFile {
  private let descriptor: FileDescriptor
  let path: FilePath

  init() throws {
    let place = ScratchFolder.parent.appending("nocturne-fuzz-\(getpid()).file")
    descriptor = try FileDescriptor.open(
      place, .readWrite, options: [.create, .truncate, .closeOnExec], permissions: [.ownerReadWrite])
    // Nothing is left behind, however this ends.
    unlink(place.string)
    path = FilePath("/proc/self/fd/\(descriptor.rawValue)")
  }

  deinit { try? descriptor.close() }

  func hold(_ bytes: [UInt8]) throws {
    try descriptor.resize(to: 0)
    _ = try descriptor.writeAll(toAbsoluteOffset: 0, bytes)
  }
}

/// A folder for files that need names.
final class ScratchFolder {
  /// `Fuzzing/run` has it in memory, and removes it.
  static let parent = FilePath(ProcessInfo.processInfo.environment["TMPDIR"] ?? "/tmp")

  let path: FilePath

  init() throws {
    path = Self.parent.appending("nocturne-fuzz-\(getpid())")
    guard mkdir(path.string, 0o700) == 0 || errno == EEXIST else { throw Errno(rawValue: errno) }
  }

  func write(_ bytes: [UInt8], as name: String) throws -> FilePath {
    let path = path.appending(name)
    let file = try FileDescriptor.open(
      path, .writeOnly, options: [.create, .truncate], permissions: [.ownerReadWrite])
    try file.closeAfter { _ = try file.writeAll(bytes) }
    return path
  }
}
