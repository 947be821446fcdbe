internal import Platform
internal import SystemPackage

/// A file that stays open while it is analyzed, so all readers read the same one even if another file takes its name.
final class OpenedFile {
  /// Leads to the file that is held, in this process only.
  let path: FilePath

  private let descriptor: FileDescriptor
  private let identity: FileIdentity

  /// - Returns: `nil` if there is no regular file of this name, or it cannot be opened.
  init?(at name: FilePath) {
    guard let descriptor = try? FileDescriptor.openWithoutWaiting(name) else { return nil }
    guard let identity = FileIdentity(descriptor), identity.isRegularFile else {
      try? descriptor.close()
      return nil
    }
    self.descriptor = descriptor
    self.identity = identity
    let opened = FilePath("/proc/self/fd/\(descriptor.rawValue)")
    // Without /proc, use the name.
    path = opened.allows(.read) ? opened : name
  }

  deinit { try? descriptor.close() }

  /// Whether reads through `path` may have seen more than one state of the file.
  var hasChanged: Bool {
    guard let status = try? FileStatus(at: path, followingLinks: true) else { return true }
    var now = FileIdentity(status)
    // Losing its name, to another file or altogether, changes only its status.
    if status.linkCount == 0 { now.changed = identity.changed }
    return now != identity
  }
}
