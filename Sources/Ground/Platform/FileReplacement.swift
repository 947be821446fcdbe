internal import CSpawn
internal import Glibc
internal import Synchronization
public import SystemPackage

/// A file that is written under a temporary name in the same folder, and renamed when complete. Other programs see
/// either the old file or the new one, even after a crash. An incomplete file is removed.
///
/// If the path is a device, a named pipe or the name of a descriptor (`/dev/stdout`), bytes are written to it directly.
/// It is an error if no program opens a named pipe for reading.
///
/// The temporary name cannot be guessed, and is never that of an existing file or link, so another user with write
/// access to the folder cannot redirect the writing.
public final class FileReplacement {
  /// The final path.
  public let path: FilePath
  /// The path that is written to before the rename. It is equal to `path` if bytes are written there directly.
  public let temporaryPath: FilePath
  /// The open file: for reading and writing, or only for writing if bytes are written to `path` directly.
  public let descriptor: FileDescriptor
  private var isOpen = true

  /// - Throws: `Errno`, `OutputObstacle`.
  public init(_ path: FilePath) throws {
    self.path = path
    let present = try? FileStatus(at: path, followingLinks: true)
    let name = DescriptorName(path)
    if let own = try name?.copyOfOwn() {
      temporaryPath = path
      descriptor = own
      return
    }
    if name != nil || present.map({ $0.kind != .regular && $0.kind != .folder }) == true {
      temporaryPath = path
      descriptor = try OutputStream.open(path)
      return
    }
    Self.removeLeftovers(in: path.removingLastComponent())
    temporaryPath = Self.temporaryPath(for: path)
    let permissions = present.flatMap { old in
      old.kind == .regular ? FilePermissions(rawValue: mode_t(old.permissions)) : nil
    }
    descriptor = try Self.open(
      temporaryPath, .readWrite, options: [.create, .exclusiveCreate, .noFollow, .closeOnExec],
      permissions: permissions ?? [.ownerReadWrite, .groupReadWrite, .otherReadWrite])
    // The umask limited the permissions of the new file, so those of the old file are restored.
    if let permissions { _ = fchmod(descriptor.rawValue, permissions.rawValue) }
    // The lock shows other processes that the file is in use, no matter what times it is given.
    _ = flock(descriptor.rawValue, LOCK_EX | LOCK_NB)
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

  /// Copies the owner, permissions and extended attributes (including access control lists) of another file, and
  /// optionally its times. Call this after everything has been written.
  ///
  /// Attributes that only the system may set (`security.…`) are skipped if it does not allow setting them.
  /// - Throws: The system's error if anything else cannot be kept, for example an owner that this process may not set.
  public func takeAttributes(of file: FileDescriptor, includingTimes: Bool) throws(Errno) {
    var old = stat()
    guard unsafe fstat(file.rawValue, &old) == 0 else { throw Errno(rawValue: errno) }
    var new = stat()
    guard unsafe fstat(descriptor.rawValue, &new) == 0 else { throw Errno(rawValue: errno) }
    if old.st_uid != new.st_uid || old.st_gid != new.st_gid {
      guard fchown(descriptor.rawValue, old.st_uid, old.st_gid) == 0 else { throw Errno(rawValue: errno) }
    }
    // This must follow the change of owner, which removes some permissions.
    guard fchmod(descriptor.rawValue, old.st_mode & 0o7777) == 0 else { throw Errno(rawValue: errno) }
    let problem = cspawn_copy_attributes(file.rawValue, descriptor.rawValue)
    guard problem == 0 else { throw Errno(rawValue: problem) }
    if includingTimes {
      let times = [old.st_atim, old.st_mtim]
      guard unsafe futimens(descriptor.rawValue, times) == 0 else { throw Errno(rawValue: errno) }
    }
  }

  public func flush() throws(Errno) {
    guard fsync(descriptor.rawValue) == 0 else { throw Errno(rawValue: errno) }
  }

  /// Flushes the file to the disk, renames it and closes it. If bytes were written to `path` directly, only closes it.
  public func commit() throws(Errno) {
    if isTemporary {
      try flush()
      let isRenamed = temporaryPath.withPlatformString { old in
        path.withPlatformString { new in unsafe rename(old, new) == 0 }
      }
      guard isRenamed else { throw Errno(rawValue: errno) }
      Self.synchronize(path.removingLastComponent())
    }
    try close()
  }

  private func close() throws(Errno) {
    isOpen = false
    do {
      try descriptor.close()
    } catch {
      throw error as? Errno ?? .ioError
    }
  }

  // MARK: - Replacing a file that others may change

  /// Flushes the file to the disk, and replaces `old` with it unless `old` has changed.
  ///
  /// The two files exchange names in one step (`RENAME_EXCHANGE`). The displaced file is then compared with the locked
  /// one, and put back if another program has replaced it or written to it. If the file system cannot exchange names, a
  /// second name (hard link) keeps the old file until the comparison; in that case, a program that replaces the file
  /// between two system calls is not noticed.
  /// - Parameters:
  ///   - isUnchanged: Returns `true` if the old file's content is unchanged.
  ///   - exchanges: `false` to behave as on a file system that cannot exchange names.
  /// - Throws: `LockedFile.Failure`, after which the other file has its name back (after `conflict`, another name), or
  ///   the error thrown by `isUnchanged`.
  public func commit(
    replacing old: LockedFile, exchanges: Bool = true, ifUnchanged isUnchanged: () throws -> Bool
  ) throws {
    do throws(Errno) {
      try flush()
    } catch {
      throw LockedFile.Failure.system(error)
    }
    try old.takeLease()
    defer { old.endLease() }
    guard FileIdentity(path) == old.identity, try isUnchanged(), !old.isWriterWaiting else {
      throw LockedFile.Failure.changed
    }
    let displaced = try displace(old, exchanges: exchanges)
    let isSame = try isUntouched(old, at: displaced) && (old.holdsLease || isUnchanged())
    guard isSame else {
      if let displaced { try putBack(displaced) }
      throw LockedFile.Failure.changed
    }
    Self.synchronize(path.removingLastComponent())
    old.endLease()
    if let displaced { Self.remove(displaced) }
    do throws(Errno) {
      try close()
    } catch {
      throw LockedFile.Failure.system(error)
    }
  }

  /// - Returns: The new path of the old file; `nil` if the old file no longer has a name.
  private func displace(_ old: LockedFile, exchanges: Bool) throws(LockedFile.Failure) -> FilePath? {
    let problem = exchanges ? Self.exchange(temporaryPath, path) : .invalidArgument
    switch problem {
    case Errno(rawValue: 0): return temporaryPath
    case .invalidArgument, .noFunction, .notSupported: break
    default: throw .system(problem)
    }
    let spare = Self.temporaryPath(for: path)
    let isLinked = path.withPlatformString { old in spare.withPlatformString { unsafe link(old, $0) } } == 0
    guard !isLinked || FileIdentity(spare)?.inode == old.identity.inode else {
      Self.remove(spare)
      throw .changed
    }
    guard temporaryPath.withPlatformString({ new in path.withPlatformString { unsafe rename(new, $0) } }) == 0 else {
      let code = Errno(rawValue: errno)
      if isLinked { Self.remove(spare) }
      throw .system(code)
    }
    return isLinked ? spare : nil
  }

  /// Returns `true` if the displaced file is the locked one, unchanged, and no program is waiting to write to it. The
  /// status change time is ignored, because renaming may change it.
  private func isUntouched(_ old: LockedFile, at displaced: FilePath?) -> Bool {
    guard let now = displaced.map({ FileIdentity($0) }) ?? FileIdentity(old.descriptor), !old.isWriterWaiting else {
      return false
    }
    return now.device == old.identity.device && now.inode == old.identity.inode && now.size == old.identity.size
      && now.modified == old.identity.modified && now.permissions == old.identity.permissions
  }

  /// Gives the other program's file its name back. If a third program has replaced the new file by then, that program's
  /// file stays.
  private func putBack(_ displaced: FilePath) throws(LockedFile.Failure) {
    guard let own = FileIdentity(descriptor) else { throw .system(.ioError) }
    func isOwn(_ path: FilePath) -> Bool { FileIdentity(path).map { $0.inode == own.inode } ?? false }
    if displaced == temporaryPath {
      guard Self.exchange(temporaryPath, path) == Errno(rawValue: 0) else { throw try keep(displaced) }
      if isOwn(temporaryPath) { return }
      guard Self.exchange(temporaryPath, path) == Errno(rawValue: 0) else { throw try keep(temporaryPath) }
      throw try keep(temporaryPath)
    }
    guard isOwn(path) else { throw try keep(displaced) }
    guard displaced.withPlatformString({ old in path.withPlatformString { unsafe rename(old, $0) } }) == 0 else {
      throw try keep(displaced)
    }
  }

  /// Renames a file that must not be lost, so that it is not cleaned up, and returns the failure to report.
  private func keep(_ file: FilePath) throws(LockedFile.Failure) -> LockedFile.Failure {
    let digits = String(UInt32.random(in: 0 ... .max), radix: 16)
    let name = FilePath("\(path.string).kept-\(digits)")
    guard file.withPlatformString({ old in name.withPlatformString { unsafe rename(old, $0) } }) == 0 else {
      isOpen = false
      return .conflict(file)
    }
    return .conflict(name)
  }

  private static func exchange(_ one: FilePath, _ other: FilePath) -> Errno {
    Errno(rawValue: one.withPlatformString { one in other.withPlatformString { unsafe cspawn_exchange(one, $0) } })
  }

  /// - Throws: `Errno`, `OutputObstacle`.
  public static func write(_ bytes: some Sequence<UInt8>, to path: FilePath) throws {
    let file = try FileReplacement(path)
    try file.write(bytes)
    try file.commit()
  }

  // MARK: - Names

  private static let prefix = ".nocturne-"
  private static let suffix = ".partial"
  /// Minimum age, in seconds, of a temporary file that counts as abandoned.
  private static let leftoverAge = 3_600

  private static func temporaryPath(for path: FilePath) -> FilePath {
    let digits = String(UInt64.random(in: 0 ... .max), radix: 16)
    // The name is not the file name with a suffix, because that could exceed the maximum length.
    return path.removingLastComponent().appending(
      prefix + String(repeating: "0", count: 16 - digits.count) + digits + suffix)
  }

  /// The time of the last cleanup of each folder, in seconds. Without these times, a folder would be read for every
  /// file that is written; in a large folder, reading takes longer than writing.
  private static let sweeps = Mutex<[FilePath: Int]>([:])
  /// Maximum number of folders that are remembered. If there are more, all of them are forgotten, and later cleaned up
  /// again.
  private static let sweepLimit = 10_000

  private static func isSwept(_ folder: FilePath) -> Bool {
    let now = time(nil)
    return sweeps.withLock { sweeps in
      if let last = sweeps[folder], (last...last + leftoverAge).contains(now) { return true }
      if sweeps.count >= sweepLimit { sweeps.removeAll() }
      sweeps[folder] = now
      return false
    }
  }

  /// Removes temporary files left in a folder by processes that were killed while writing. (A process ID in the name
  /// would not help, because the process may run on another computer or in another container.) Files locked by another
  /// process are in use, no matter how old they look, because they may have been given the times of other files.
  private static func removeLeftovers(in folder: FilePath) {
    if !isSwept(folder) { removeLeftovers(in: folder, minAge: leftoverAge) }
  }

  /// Removes the temporary files of any age that killed processes left in a folder. The caller must hold a lock that
  /// keeps other processes from writing there.
  public static func removeAllLeftovers(in folder: FilePath) { removeLeftovers(in: folder, minAge: .min) }

  private static func removeLeftovers(in folder: FilePath, minAge: Int) {
    guard let listing = try? FolderListing(of: folder) else { return }
    let now = time(nil)
    for entry in listing.entries {
      let name = String(decoding: listing.name(entry), as: UTF8.self)
      // SQLite's own files beside a copy have the name of the copy with a suffix.
      guard name.hasPrefix(prefix), name.contains(suffix) else { continue }
      let path = folder.appending(name)
      guard let status = try? FileStatus(at: path, followingLinks: false), status.kind == .regular,
        Int(now) - Int(status.modified.seconds) > minAge, !isInUse(path)
      else { continue }
      remove(path)
    }
  }

  private static func isInUse(_ path: FilePath) -> Bool {
    guard let file = try? FileDescriptor.open(path, .readOnly, options: [.noFollow, .nonBlocking, .closeOnExec]) else {
      return false
    }
    defer { try? file.close() }
    return flock(file.rawValue, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK
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

  /// Makes a rename or a new file in a folder durable. Some file systems do not support this for folders, which does
  /// not count as a failure.
  public static func synchronize(_ folder: FilePath) {
    guard
      let file = try? FileDescriptor.open(
        folder.isEmpty ? "." : folder, .readOnly, options: [.directory, .closeOnExec])
    else { return }
    _ = fsync(file.rawValue)
    try? file.close()
  }
}
