internal import CSpawn
internal import Glibc
public import SystemPackage

/// An open folder. Files and folders below it are opened by paths relative to it.
///
/// A user with write access to a folder can replace anything in it with a symbolic link, so the caller specifies how
/// far links below the folder are followed.
public final class OpenFolder: Sendable {
  public enum Links: Sendable {
    /// A link anywhere in the path fails with `tooManySymbolicLinkLevels`.
    case refused
    /// A link that leads out of the folder fails with `tooManySymbolicLinkLevels`. If the system cannot check this
    /// (Linux before 5.6), every link fails.
    case followedWithin
    case followed
  }

  public let descriptor: FileDescriptor

  /// Opens a folder, following links.
  public convenience init(_ path: FilePath) throws(Errno) {
    let descriptor = path.withPlatformString { unsafe Glibc.open($0, Self.folderFlags) }
    guard descriptor >= 0 else { throw Errno(rawValue: errno) }
    self.init(descriptor)
  }

  private init(_ descriptor: CInt) { self.descriptor = FileDescriptor(rawValue: descriptor) }

  deinit { try? descriptor.close() }

  /// Includes O_PATH, because a folder that may be entered need not be readable.
  private static let folderFlags = cspawn_path_only | O_DIRECTORY | O_CLOEXEC
  /// Includes O_NONBLOCK, because opening a pipe would otherwise wait for a writer.
  private static let fileFlags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY

  /// - Parameter path: A relative path; empty for this folder.
  public func folder(_ path: FilePath, links: Links) throws(Errno) -> OpenFolder {
    OpenFolder(try open(path.isEmpty ? "." : path, Self.folderFlags, links))
  }

  /// Opens a file for reading without waiting. It need not be a regular file. The caller closes the descriptor.
  /// - Parameter path: A relative path.
  public func file(_ path: FilePath, links: Links) throws(Errno) -> FileDescriptor {
    FileDescriptor(rawValue: try open(path, Self.fileFlags, links))
  }

  private func open(_ path: FilePath, _ flags: CInt, _ links: Links) throws(Errno) -> CInt {
    var opened: CInt = -1
    let problem = path.withPlatformString { path in
      if links == .followed {
        opened = unsafe openat(descriptor.rawValue, path, flags)
        return opened < 0 ? errno : 0
      }
      return unsafe cspawn_open_beneath(descriptor.rawValue, path, flags, links == .followedWithin ? 1 : 0, &opened)
    }
    switch problem {
    case 0: return opened
    case EXDEV: throw .tooManySymbolicLinkLevels
    case ENOSYS, EPERM:
      guard links != .followed else { throw Errno(rawValue: problem) }
      return try openByName(path, flags)
    default: throw Errno(rawValue: problem)
    }
  }

  /// Opens each component in turn, for systems without openat2(2). Links are refused.
  func openByName(_ path: FilePath, _ flags: CInt = fileFlags) throws(Errno) -> CInt {
    let names = Array(path.components)
    guard !names.contains(where: { $0.kind == .parentDirectory }) else { throw .tooManySymbolicLinkLevels }
    var folder = self
    for name in names.dropLast() { folder = OpenFolder(try folder.openName(name, Self.folderFlags)) }
    guard let last = names.last else { throw .noSuchFileOrDirectory }
    return try folder.openName(last, flags)
  }

  private func openName(_ name: FilePath.Component, _ flags: CInt) throws(Errno) -> CInt {
    let result = name.withPlatformString { name in
      Result { () throws(Errno) in
        let opened = unsafe openat(descriptor.rawValue, name, flags | O_NOFOLLOW)
        if opened >= 0 { return opened }
        let problem = Errno(rawValue: errno)
        // If there is a link in place of a folder, the system reports “not a directory”.
        var status = stat()
        guard problem == .notDirectory, unsafe fstatat(descriptor.rawValue, name, &status, AT_SYMLINK_NOFOLLOW) == 0,
          status.st_mode & S_IFMT == S_IFLNK
        else { throw problem }
        throw .tooManySymbolicLinkLevels
      }
    }
    return try result.get()
  }
}
