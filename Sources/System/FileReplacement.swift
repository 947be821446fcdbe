internal import Glibc
public import SystemPackage

/// A file that is written under another name beside its place and gets its name when it is whole: whoever looks sees the
/// old file or the new one, also after a crash. What never gets its name is removed.
///
/// Where something else than a file is, a device or a named pipe, bytes go there directly.
///
/// The other name cannot be guessed, and is never that of a file or link that is there already, so that nobody who may
/// write in the same folder can have this process write elsewhere.
public final class FileReplacement {
  /// The place.
  public let path: FilePath
  /// Where the bytes go for now; `path` if that is no file.
  public let temporaryPath: FilePath
  /// Open for reading and writing; for writing alone if bytes go to their place directly.
  public let descriptor: FileDescriptor
  private var isOpen = true

  public init(_ path: FilePath) throws(Errno) {
    self.path = path
    let present = FileMode(of: path)
    if let present, !present.isFile, !present.isFolder {
      temporaryPath = path
      descriptor = try Self.open(path, .writeOnly, options: [.closeOnExec, .init(rawValue: O_NOCTTY)])
      return
    }
    Self.removeLeftovers(in: path.removingLastComponent())
    temporaryPath = Self.temporaryPath(for: path)
    descriptor = try Self.open(
      temporaryPath, .readWrite, options: [.create, .exclusiveCreate, .noFollow, .closeOnExec],
      permissions: present?.permissions ?? [.ownerReadWrite, .groupReadWrite, .otherReadWrite])
    // What the umask takes from a new file was taken from, or left to, the old one.
    if let permissions = present?.permissions { _ = fchmod(descriptor.rawValue, permissions.rawValue) }
  }

  deinit {
    guard isOpen else { return }
    try? descriptor.close()
    if isTemporary { Self.remove(temporaryPath) }
  }

  private var isTemporary: Bool { temporaryPath != path }

  public func write(_ bytes: some Sequence<UInt8>) throws(Errno) {
    do {
      _ = try descriptor.writeAll(bytes)
    } catch {
      throw error as? Errno ?? .ioError
    }
  }

  /// Brings the file to the disk and puts it into its place.
  public func commit() throws(Errno) {
    if isTemporary {
      guard fsync(descriptor.rawValue) == 0 else { throw Errno(rawValue: errno) }
      let isRenamed = temporaryPath.withPlatformString { old in
        path.withPlatformString { new in unsafe rename(old, new) == 0 }
      }
      guard isRenamed else { throw Errno(rawValue: errno) }
      Self.synchronize(path.removingLastComponent())
    }
    isOpen = false
    do {
      try descriptor.close()
    } catch {
      throw error as? Errno ?? .ioError
    }
  }

  /// Replaces a file by one with these bytes.
  public static func write(_ bytes: some Sequence<UInt8>, to path: FilePath) throws(Errno) {
    let file = try FileReplacement(path)
    try file.write(bytes)
    try file.commit()
  }

  // MARK: - Names

  private static let prefix = ".nocturne-"
  private static let suffix = ".partial"
  /// Seconds since the last change after which a file of ours belongs to nobody any more.
  private static let leftoverAge = 3_600

  private static func temporaryPath(for path: FilePath) -> FilePath {
    let digits = String(UInt64.random(in: 0 ... .max), radix: 16)
    // Not the name of the file with something added, which may be longer than names can be.
    return path.removingLastComponent().appending(
      prefix + String(repeating: "0", count: 16 - digits.count) + digits + suffix)
  }

  /// Removes what processes have left in a folder that were killed while they wrote. (A number in the name would not tell
  /// whether its process lives: it may be one of another computer, or of another container.)
  private static func removeLeftovers(in folder: FilePath) {
    guard let listing = unsafe (folder.isEmpty ? "." : folder).withPlatformString({ unsafe opendir($0) }) else { return }
    defer { unsafe closedir(listing) }
    let now = time(nil)
    while let entry = unsafe readdir(listing) {
      let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      // SQLite's files beside a copy that it makes have something behind the suffix.
      guard name.hasPrefix(prefix), name.contains(suffix) else { continue }
      let path = folder.appending(name)
      var status = stat()
      guard path.withPlatformString({ unsafe lstat($0, &status) }) == 0, status.st_mode & S_IFMT == S_IFREG,
        status.st_mtim.tv_sec < now - leftoverAge
      else { continue }
      remove(path)
    }
  }

  // MARK: - System calls

  private static func open(
    _ path: FilePath, _ mode: FileDescriptor.AccessMode, options: FileDescriptor.OpenOptions,
    permissions: FilePermissions? = nil
  ) throws(Errno) -> FileDescriptor {
    do {
      return try FileDescriptor.open(path, mode, options: options, permissions: permissions)
    } catch {
      throw error as? Errno ?? .ioError
    }
  }

  private static func remove(_ path: FilePath) {
    _ = path.withPlatformString { unsafe unlink($0) }
  }

  /// Makes a rename in a folder last. Some file systems cannot do this for folders, which is no reason to fail.
  private static func synchronize(_ folder: FilePath) {
    guard
      let file = try? FileDescriptor.open(folder.isEmpty ? "." : folder, .readOnly, options: [.directory, .closeOnExec])
    else { return }
    _ = fsync(file.rawValue)
    try? file.close()
  }
}

/// What stands behind a name, at the end of all links.
private struct FileMode {
  private let mode: mode_t

  /// `nil` if nothing does.
  init?(of path: FilePath) {
    var status = stat()
    guard path.withPlatformString({ unsafe stat($0, &status) }) == 0 else { return nil }
    mode = status.st_mode
  }

  var isFile: Bool { mode & S_IFMT == S_IFREG }
  var isFolder: Bool { mode & S_IFMT == S_IFDIR }
  /// `nil` unless it is a file.
  var permissions: FilePermissions? { isFile ? FilePermissions(rawValue: mode & 0o777) : nil }
}
