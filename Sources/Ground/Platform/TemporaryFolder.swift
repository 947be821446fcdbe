internal import Glibc
public import SystemPackage

/// A folder for temporary files that only this user may enter. It is removed, with its content, when the object is
/// deallocated.
public final class TemporaryFolder: Sendable {
  public let path: FilePath

  /// - Parameter parent: The folder in which it is created.
  public init(in parent: FilePath = .temporaryFolder) throws(Errno) {
    path = try .makeTemporaryFolder(in: parent, prefix: "nocturne-")
  }

  deinit { path.removeAll() }

  public func file(_ name: FilePath.Component) -> FilePath { path.appending(name) }
}

extension FilePath {
  /// Creates a folder with a new name, which only this user may enter.
  public static func makeTemporaryFolder(in parent: FilePath, prefix: String) throws(Errno) -> FilePath {
    var name = parent.appending(prefix + "XXXXXX").bytes.map(CChar.init(bitPattern:)) + [0]
    guard unsafe mkdtemp(&name) != nil else { throw .current }
    return FilePath(bytes: name.map(UInt8.init(bitPattern:)))
  }

  /// Returns the path in an environment variable, which need not be UTF-8; `nil` if the variable is empty or not set.
  public static func environmentFolder(_ variable: String) -> FilePath? {
    guard let folder = unsafe getenv(variable), unsafe folder.pointee != 0 else { return nil }
    return unsafe FilePath(platformString: folder)
  }

  /// `TMPDIR`, or `/tmp` if that is not set.
  public static var temporaryFolder: FilePath {
    environmentFolder("TMPDIR") ?? "/tmp"
  }
}
