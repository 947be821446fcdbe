internal import Glibc
public import SystemPackage

/// A folder that only this user may enter, for files of a moment. It is removed, with all that is in it, when the
/// object is no longer used.
public final class TemporaryFolder: Sendable {
  public let path: FilePath

  /// - Parameter parent: The folder in which it takes up space.
  public init(in parent: FilePath = .temporaryFolder) throws(Errno) {
    var name = parent.appending("nocturne-XXXXXX").bytes.map(CChar.init(bitPattern:)) + [0]
    guard unsafe mkdtemp(&name) != nil else { throw Errno(rawValue: errno) }
    path = FilePath(bytes: name.map(UInt8.init(bitPattern:)))
  }

  deinit { path.removeAll() }

  /// The path of a file in it.
  public func file(_ name: FilePath.Component) -> FilePath { path.appending(name) }
}

extension FilePath {
  /// The folder of temporary files: `TMPDIR`, or else `/tmp`.
  public static var temporaryFolder: FilePath {
    guard let folder = unsafe getenv("TMPDIR"), unsafe folder.pointee != 0 else { return "/tmp" }
    return unsafe FilePath(platformString: folder)
  }
}
