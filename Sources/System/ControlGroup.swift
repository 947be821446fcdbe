// First, since otherwise another module counts as the home of what glibc declares.
internal import Glibc
internal import SystemPackage

/// What a container or service may use, as cgroups(7) says. Who uses more is killed without a word.
enum ControlGroup {
  /// Bytes of memory that this process may have at most together with all others of its groups; `nil` for no limit.
  static var memoryLimit: Int? {
    limitFiles(of: text(of: "/proc/self/cgroup") ?? "").compactMap { file in
      text(of: file).flatMap { Int($0.filter { $0 != "\n" }) }
    }.min()
  }

  /// The files that hold the limits of memory of a process: of its group and of all that this is in, in the first version of
  /// control groups and in the second.
  ///
  /// - Parameter listing: The content of `/proc/PID/cgroup`.
  static func limitFiles(of listing: String) -> [FilePath] {
    listing.split(separator: "\n").flatMap { line -> [FilePath] in
      let parts = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
      guard parts.count == 3 else { return [] }
      let (root, name): (FilePath, String)
      if parts[1].isEmpty {
        (root, name) = ("/sys/fs/cgroup", "memory.max")
      } else if parts[1].split(separator: ",").contains("memory") {
        (root, name) = ("/sys/fs/cgroup/memory", "memory.limit_in_bytes")
      } else {
        return []
      }
      var group = FilePath(String(parts[2])).lexicallyNormalized()
      var files: [FilePath] = []
      repeat {
        files.append(root.appending(group.components).appending(name))
      } while group.removeLastComponent()
      return files
    }
  }

  private static func text(of path: FilePath) -> String? {
    guard let file = try? FileDescriptor.open(path, .readOnly, options: .closeOnExec) else { return nil }
    defer { try? file.close() }
    let bytes = [UInt8](unsafeUninitializedCapacity: 1 << 16) { buffer, count in
      count = (try? unsafe file.read(into: UnsafeMutableRawBufferPointer(buffer))) ?? 0
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
