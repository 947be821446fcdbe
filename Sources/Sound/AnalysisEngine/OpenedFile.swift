internal import Platform
internal import SystemPackage

/// A file that stays open during its analysis, so that all stages read the same file even if another file takes its
/// name.
final class OpenedFile {
  /// A path to the open file, valid only in this process, or the file's name if `/proc` is not available.
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

  /// Size of the file, and the number of its bytes that are not in holes; `nil` if the file's status cannot be read.
  var extent: (size: Int64, stored: Int64)? {
    guard let status = try? FileStatus(of: descriptor) else { return nil }
    // Without holes, a file is allocated far less space than its size only if the file system compresses it or does
    // not report allocated space.
    let stored = status.allocatedSize < status.size / 4 ? descriptor.storedSize(of: status.size) : status.size
    return (status.size, stored)
  }

  /// `true` if different stages that read `path` may have seen different versions of the file.
  var hasChanged: Bool {
    guard let status = try? FileStatus(at: path, followingLinks: true) else { return true }
    var now = FileIdentity(status)
    // If the file loses its name because it is replaced or deleted, only its status-change time changes.
    if status.linkCount == 0 { now.changed = identity.changed }
    return now != identity
  }
}
