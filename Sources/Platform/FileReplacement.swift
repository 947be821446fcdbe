internal import CSpawn
internal import Glibc
public import SystemPackage

/// A file that is written under a temporary name in the same folder and renamed when complete: readers see the old file
/// or the new one, even after a crash. An incomplete file is removed.
///
/// If the path is a device or a named pipe, bytes go there directly.
///
/// The temporary name cannot be guessed and never is the name of an existing file or link. So another user with write
/// access to the folder cannot redirect the writing.
public final class FileReplacement {
  /// The final path.
  public let path: FilePath
  /// Where the bytes go for now; equal to `path` if that is not a regular file.
  public let temporaryPath: FilePath
  /// Open for reading and writing, or for writing only if bytes go to `path` directly.
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
    // The umask limited the new file's permissions; take over those of the old file.
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

  /// Gives the new file the owner, the rights and the extended attributes (access control lists among them) of another
  /// one, and its times if asked to. To be called once everything is written.
  ///
  /// Attributes that only the system itself may set (`security.…`) are left out where it does not allow them.
  /// - Throws: what the system answers if one of these cannot be kept, such as an owner that this process may not set.
  public func takeAttributes(of file: FileDescriptor, includingTimes: Bool) throws(Errno) {
    var old = stat()
    guard unsafe fstat(file.rawValue, &old) == 0 else { throw Errno(rawValue: errno) }
    var new = stat()
    guard unsafe fstat(descriptor.rawValue, &new) == 0 else { throw Errno(rawValue: errno) }
    if old.st_uid != new.st_uid || old.st_gid != new.st_gid {
      guard fchown(descriptor.rawValue, old.st_uid, old.st_gid) == 0 else { throw Errno(rawValue: errno) }
    }
    // After the owner, whose change takes away some of the rights.
    guard fchmod(descriptor.rawValue, old.st_mode & 0o7777) == 0 else { throw Errno(rawValue: errno) }
    let problem = cspawn_copy_attributes(file.rawValue, descriptor.rawValue)
    guard problem == 0 else { throw Errno(rawValue: problem) }
    if includingTimes {
      let times = [old.st_atim, old.st_mtim]
      guard unsafe futimens(descriptor.rawValue, times) == 0 else { throw Errno(rawValue: errno) }
    }
  }

  /// Writes the file to the disk and renames it.
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
  /// Seconds since the last change after which a temporary file counts as abandoned.
  private static let leftoverAge = 3_600

  private static func temporaryPath(for path: FilePath) -> FilePath {
    let digits = String(UInt64.random(in: 0 ... .max), radix: 16)
    // Not the file's name with a suffix: that could exceed the longest name allowed.
    return path.removingLastComponent().appending(
      prefix + String(repeating: "0", count: 16 - digits.count) + digits + suffix)
  }

  /// Removes temporary files in a folder left by processes that were killed while writing. (A process ID in the name
  /// would not help: the process may be on another computer or in another container.)
  private static func removeLeftovers(in folder: FilePath) {
    guard let listing = unsafe (folder.isEmpty ? "." : folder).withPlatformString({ unsafe opendir($0) }) else {
      return
    }
    defer { unsafe closedir(listing) }
    let now = time(nil)
    while let entry = unsafe readdir(listing) {
      let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      // SQLite adds suffixes for its own files beside a copy.
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

  /// Makes a rename in a folder, or a new file, durable. Some file systems cannot do this for folders; that is not a reason to fail.
  public static func synchronize(_ folder: FilePath) {
    guard
      let file = try? FileDescriptor.open(
        folder.isEmpty ? "." : folder, .readOnly, options: [.directory, .closeOnExec])
    else { return }
    _ = fsync(file.rawValue)
    try? file.close()
  }
}

/// The type and mode of a file, after following all links.
private struct FileMode {
  private let mode: mode_t

  /// `nil` if there is no file.
  init?(of path: FilePath) {
    var status = stat()
    guard path.withPlatformString({ unsafe stat($0, &status) }) == 0 else { return nil }
    mode = status.st_mode
  }

  var isFile: Bool { mode & S_IFMT == S_IFREG }
  var isFolder: Bool { mode & S_IFMT == S_IFDIR }
  /// `nil` unless it is a regular file.
  var permissions: FilePermissions? { isFile ? FilePermissions(rawValue: mode & 0o777) : nil }
}
