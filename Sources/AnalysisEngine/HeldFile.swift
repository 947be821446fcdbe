internal import Glibc
internal import SystemPackage

/// A file that stays open while it is analyzed, so all readers read the same one even if another file takes its name.
final class HeldFile {
  /// Leads to the file that is held, in this process only.
  let path: FilePath

  private struct Stamp: Equatable {
    var device: UInt
    var inode: UInt
    var size: Int
    var seconds: Int
    var nanoseconds: Int
    var statusSeconds: Int
    var statusNanoseconds: Int

    init(_ status: stat) {
      device = UInt(status.st_dev)
      inode = UInt(status.st_ino)
      size = Int(status.st_size)
      seconds = status.st_mtim.tv_sec
      nanoseconds = status.st_mtim.tv_nsec
      statusSeconds = status.st_ctim.tv_sec
      statusNanoseconds = status.st_ctim.tv_nsec
    }
  }

  private let descriptor: CInt
  private let stamp: Stamp

  /// - Returns: `nil` if there is no regular file of this name, or it cannot be opened.
  init?(at name: FilePath) {
    // Without O_NONBLOCK, opening a FIFO waits for a writer.
    let descriptor = name.withPlatformString { open($0, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY) }
    guard descriptor >= 0 else { return nil }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      close(descriptor)
      return nil
    }
    self.descriptor = descriptor
    stamp = Stamp(status)
    let held = FilePath("/proc/self/fd/\(descriptor)")
    // Without /proc, use the name.
    path = held.withPlatformString { access($0, R_OK) } == 0 ? held : name
  }

  deinit { close(descriptor) }

  /// Whether reads through `path` may have seen more than one state of the file.
  var hasChanged: Bool {
    var status = stat()
    guard path.withPlatformString({ stat($0, &status) }) == 0 else { return true }
    var now = Stamp(status)
    if status.st_nlink == 0 {
      // Losing its name, to another file or altogether, changes only its status.
      now.statusSeconds = stamp.statusSeconds
      now.statusNanoseconds = stamp.statusNanoseconds
    }
    return now != stamp
  }
}
