internal import SystemPackage

/// The memory limits of the container or service in which this process runs; see cgroups(7). The kernel kills a process
/// that exceeds them, without a message.
enum ControlGroup {
  /// The memory in bytes that all processes in the groups of this process may use together; `nil` if unlimited.
  static var memoryLimit: Int? {
    limitFiles(of: text(of: "/proc/self/cgroup") ?? "").compactMap { file in
      text(of: file).flatMap { Int($0.filter { $0 != "\n" }) }
    }.min()
  }

  /// Returns the files with the memory limits of a process, for its group and all enclosing groups, and for both
  /// versions of control groups.
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
    (try? SmallFile.read(path, limit: 1 << 16)).map { String(decoding: $0, as: UTF8.self) }
  }
}
