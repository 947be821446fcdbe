internal import Glibc
public import SystemPackage

/// The reason nothing can be written to a path that is not a regular file.
public enum OutputObstacle: Error, Hashable, Sendable, CustomStringConvertible {
  case pipeWithoutReader
  case socket
  case blockDevice

  public var description: String {
    switch self {
    case .pipeWithoutReader: "it is a named pipe that no program reads"
    case .socket: "it is a socket"
    case .blockDevice: "it is a disk"
    }
  }
}

/// Opens paths to which bytes are written directly: devices, named pipes, descriptors.
enum OutputStream {
  /// Time that the reader of a named pipe may take to open it, if both programs start at the same time.
  private static let readerPatience = Duration.seconds(2)

  /// Returns the obstacle at a path, as far as it can be found without opening it; `nil` if none is found.
  static func obstacle(at path: FilePath) -> OutputObstacle? {
    var status = stat()
    guard path.withPlatformString({ unsafe stat($0, &status) }) == 0 else { return nil }
    return switch status.st_mode & S_IFMT {
    case S_IFSOCK: .socket
    case S_IFBLK: .blockDevice
    default: nil
    }
  }

  /// Opens a path for writing without blocking. Otherwise, the system would wait forever for the reader of a named
  /// pipe.
  /// - Throws: `OutputObstacle`, `Errno`.
  static func open(_ path: FilePath) throws -> FileDescriptor {
    if let obstacle = obstacle(at: path) { throw obstacle }
    let end = ContinuousClock.now + readerPatience
    while true {
      do {
        let descriptor = try FileDescriptor.open(
          path, .writeOnly, options: [.closeOnExec, .nonBlocking, .init(rawValue: O_NOCTTY)])
        descriptor.setBlocking()
        return descriptor
      } catch Errno.noSuchAddressOrDevice {
        guard ContinuousClock.now < end else { throw OutputObstacle.pipeWithoutReader }
        Threads.pause(milliseconds: 20)
      }
    }
  }
}

extension FileDescriptor {
  /// Opens a file for appending, or a device or a named pipe for writing. A file that does not exist is created.
  /// - Throws: `Errno`, `OutputObstacle`.
  public static func openForAppending(_ path: FilePath, permissions: FilePermissions) throws -> FileDescriptor {
    let kind = (try? FileStatus(at: path, followingLinks: true))?.kind
    guard kind == nil || kind == .regular || kind == .folder else { return try OutputStream.open(path) }
    return try .open(
      path, .writeOnly, options: [.create, .append, .closeOnExec, .nonBlocking], permissions: permissions)
  }
}
