internal import Glibc
public import SystemPackage

/// Detects mounts and unmounts at or below folders. inotify(7) does not report them, because a watch stays on the
/// folder that a new mount hides.
public final class MountWatch {
  private let folders: [FilePath]
  private let descriptor: Int32
  private var known: Set<MountTable.Mount>

  public init(_ folders: [FilePath]) {
    self.folders = folders
    descriptor = open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC)
    known = MountTable().mounts(below: folders)
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// Returns `true` if something was mounted or unmounted since the last call.
  public func hasChanged() -> Bool {
    var poller = pollfd(fd: descriptor, events: Int16(POLLPRI), revents: 0)
    guard descriptor >= 0, unsafe poll(&poller, 1, 0) > 0 else { return false }
    let mounts = MountTable().mounts(below: folders)
    defer { known = mounts }
    return mounts != known
  }
}
