internal import Glibc
internal import SystemPackage

/// The name of an open descriptor that a path is, or leads to: `/dev/stdout`, `/dev/fd/3`, `/proc/self/fd/1`. Bytes
/// written there go on where the descriptor is; the name itself must never be given to a file.
struct DescriptorName {
  /// A folder of descriptors in proc(5).
  private let folder: FilePath
  private let name: String

  /// - Returns: `nil` if the path is something else.
  init?(_ path: FilePath) {
    var path = path
    // As many links as the kernel follows.
    for _ in 0..<40 {
      let parent = path.removingLastComponent()
      guard let name = path.lastComponent?.string, let folder = try? (parent.isEmpty ? "." : parent).resolved() else {
        return nil
      }
      if folder.starts(with: "/proc"), folder.lastComponent?.string == "fd" {
        self.folder = folder
        self.name = name
        return
      }
      guard let target = path.linkTarget else { return nil }
      path = target.isAbsolute ? target : folder.pushing(target)
    }
    return nil
  }

  /// A copy of the descriptor, with the same position in the file.
  /// - Returns: `nil` if it is that of another process.
  func copyOfOwn() throws(Errno) -> FileDescriptor? {
    guard folder.string == "/proc/\(getpid())/fd", let number = CInt(name) else { return nil }
    let copy = fcntl(number, F_DUPFD_CLOEXEC, 0)
    guard copy >= 0 else { throw Errno(rawValue: errno) }
    return FileDescriptor(rawValue: copy)
  }
}
