internal import Foundation
internal import Glibc
internal import Platform
internal import SystemPackage

/// What is mounted where, as proc(5) lists it in `/proc/self/mountinfo`.
struct MountTable {
  struct Mount: Hashable {
    /// Of the mount, unlike numbers of devices never the same for two at a time.
    var id: String
    var place: FilePath
    /// Of the file system.
    var type: String
  }

  let mounts: [Mount]

  /// What is mounted now.
  init() { self.init(lines: FileManager.default.contents(atPath: "/proc/self/mountinfo").map { Array($0) } ?? []) }

  init(lines: [UInt8]) {
    mounts = lines.split(separator: UInt8(ascii: "\n")).compactMap { line in
      let fields = line.split(separator: UInt8(ascii: " "))
      guard fields.count > 4, let separator = fields.firstIndex(of: [UInt8(ascii: "-")]), separator + 1 < fields.count
      else { return nil }
      return Mount(
        id: String(decoding: fields[0], as: UTF8.self), place: FilePath(bytes: Self.unescaped(fields[4])),
        type: String(decoding: fields[separator + 1], as: UTF8.self))
    }
  }

  /// The one that a path without links is on.
  func mount(of path: FilePath) -> Mount? {
    // A later one of the same place hides the earlier ones.
    mounts.filter { path.starts(with: $0.place) }.reversed().max { $0.place.length < $1.place.length }
  }

  /// Those at and below folders.
  func mounts(below folders: [FilePath]) -> Set<Mount> {
    let real = folders.compactMap { try? $0.resolved() }
    return Set(mounts.filter { mount in real.contains { mount.place.starts(with: $0) } })
  }

  /// Spaces, tabs, line ends and backslashes are in octal digits.
  private static func unescaped(_ text: ArraySlice<UInt8>) -> [UInt8] {
    var bytes: [UInt8] = []
    var rest = text
    while let byte = rest.popFirst() {
      let digits = rest.prefix(3)
      if byte == UInt8(ascii: "\\"), digits.count == 3,
        let code = UInt8(String(decoding: digits, as: UTF8.self), radix: 8)
      {
        bytes.append(code)
        rest = rest.dropFirst(3)
      } else {
        bytes.append(byte)
      }
    }
    return bytes
  }
}

/// Notices that something was mounted or unmounted at or below folders. inotify(7) does not: who watches a folder does not
/// see what is mounted over it.
final class MountWatch {
  private let folders: [FilePath]
  private let descriptor: Int32
  private var known: Set<MountTable.Mount>

  init(_ folders: [FilePath]) {
    self.folders = folders
    descriptor = open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC)
    known = MountTable().mounts(below: folders)
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// Whether that has happened since the last call.
  func hasChanged() -> Bool {
    var poller = pollfd(fd: descriptor, events: Int16(POLLPRI), revents: 0)
    guard descriptor >= 0, unsafe poll(&poller, 1, 0) > 0 else { return false }
    let mounts = MountTable().mounts(below: folders)
    defer { known = mounts }
    return mounts != known
  }
}
