internal import Platform
internal import SystemPackage

/// A file that stays open during its analysis, so that all readers read the same file even if another takes its name.
final class OpenedFile {
  /// Path of the open file, valid in this process only.
  let path: FilePath

  private let descriptor: FileDescriptor
  private let identity: FileIdentity

  /// - Returns: `nil` if the file is not a regular file or cannot be opened.
  init?(at name: FilePath) {
    guard let descriptor = try? FileDescriptor.openWithoutWaiting(name) else { return nil }
    guard let identity = FileIdentity(descriptor), identity.isRegularFile else {
      try? descriptor.close()
      return nil
    }
    self.descriptor = descriptor
    self.identity = identity
    let opened = FilePath("/proc/self/fd/\(descriptor.rawValue)")
    // Falls back to the name if /proc is not available.
    path = opened.allows(.read) ? opened : name
  }

  deinit { try? descriptor.close() }

  /// `true` if reads through `path` may have seen more than one state of the file.
  var hasChanged: Bool {
    guard let status = try? FileStatus(at: path, followingLinks: true) else { return true }
    var now = FileIdentity(status)
    // If the file loses its name, because it is replaced or deleted, only its status changes.
    if status.linkCount == 0 { now.changed = identity.changed }
    return now != identity
  }
}
