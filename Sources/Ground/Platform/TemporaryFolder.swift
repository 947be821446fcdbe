internal import Glibc
public import SystemPackage

/// A folder for temporary files that only this user may enter. It is removed with its content when the object is
/// deallocated.
public final class TemporaryFolder: Sendable {
  public let path: FilePath

  /// - Parameter parent: The folder to create it in.
  public init(in parent: FilePath = .temporaryFolder) throws(Errno) {
    var name = parent.appending("nocturne-XXXXXX").bytes.map(CChar.init(bitPattern:)) + [0]
    guard unsafe mkdtemp(&name) != nil else { throw Errno(rawValue: errno) }
    path = FilePath(bytes: name.map(UInt8.init(bitPattern:)))
  }

  deinit { path.removeAll() }

  /// The path of a file in the folder.
  public func file(_ name: FilePath.Component) -> FilePath { path.appending(name) }
}

extension FilePath {
  /// `TMPDIR`, or `/tmp` if that is not set.
  public static var temporaryFolder: FilePath {
    guard let folder = unsafe getenv("TMPDIR"), unsafe folder.pointee != 0 else { return "/tmp" }
    return unsafe FilePath(platformString: folder)
  }
}
