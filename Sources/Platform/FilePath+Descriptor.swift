internal import Glibc
internal import SystemPackage

extension FilePath {
  /// Whether this is, or leads to, the name of an open descriptor: `/dev/stdout`, `/dev/fd/3`, `/proc/self/fd/1`. What is
  /// written there goes on where the descriptor is; the name itself must never be given to a file.
  var isNameOfDescriptor: Bool { descriptorFolder != nil }

  /// A copy of the descriptor of this process that this is a name of, with the same position in the file.
  /// - Returns: `nil` if it is something else, such as the descriptor of another process.
  func copyOfOwnDescriptor() throws(Errno) -> FileDescriptor? {
    guard let (folder, name) = descriptorFolder, folder == "/proc/\(getpid())/fd", let number = CInt(name) else {
      return nil
    }
    let copy = fcntl(number, F_DUPFD_CLOEXEC, 0)
    guard copy >= 0 else { throw Errno(rawValue: errno) }
    return FileDescriptor(rawValue: copy)
  }

  /// The folder of descriptors in proc(5) that links lead to, and the name there.
  private var descriptorFolder: (folder: String, name: String)? {
    var path = self
    // As many links as the kernel follows.
    for _ in 0..<40 {
      let parent = path.removingLastComponent()
      guard let name = path.lastComponent?.string, let folder = try? (parent.isEmpty ? "." : parent).resolved() else {
        return nil
      }
      if folder.starts(with: "/proc"), folder.lastComponent?.string == "fd" { return (folder.string, name) }
      guard let target = path.linkTarget else { return nil }
      path = target.isAbsolute ? target : folder.pushing(target)
    }
    return nil
  }

  private var linkTarget: FilePath? {
    var bytes = [UInt8](repeating: 0, count: Int(PATH_MAX))
    let count = withPlatformString { path in
      bytes.withUnsafeMutableBytes { unsafe readlink(path, $0.baseAddress!, $0.count) }
    }
    return count > 0 ? FilePath(bytes: bytes[..<count]) : nil
  }
}
