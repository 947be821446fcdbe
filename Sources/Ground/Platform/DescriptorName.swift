internal import Glibc
internal import SystemPackage

/// The name of an open descriptor, direct or through links: `/dev/stdout`, `/dev/fd/3`, `/proc/self/fd/1`. Writing to
/// such a name must continue at the descriptor's position. Never rename a file to such a name.
struct DescriptorName {
  /// A folder of descriptors in proc(5).
  private let folder: FilePath
  private let name: String

  /// - Returns: `nil` if the path is not the name of a descriptor.
  init?(_ path: FilePath) {
    var path = path
    // The kernel follows at most 40 links.
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

  /// Duplicates the descriptor. The copy shares its position in the file.
  /// - Returns: `nil` if the descriptor belongs to another process.
  func copyOfOwn() throws(Errno) -> FileDescriptor? {
    guard folder.string == "/proc/\(getpid())/fd", let number = CInt(name) else { return nil }
    let copy = fcntl(number, F_DUPFD_CLOEXEC, 0)
    guard copy >= 0 else { throw Errno(rawValue: errno) }
    return FileDescriptor(rawValue: copy)
  }
}
