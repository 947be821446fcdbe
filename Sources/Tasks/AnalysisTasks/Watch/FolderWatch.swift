internal import Foundation
internal import Glibc
internal import LibraryScan
internal import Platform
internal import SystemPackage

/// Watches folders recursively with inotify(7). Only the given folders themselves may be links.
///
/// Not thread-safe.
final class FolderWatch {
  struct Changes {
    /// Possible audio files that were written, moved or removed.
    var files: Set<FilePath> = []
    /// Events were lost: anything may have changed.
    var isOverflow = false
  }

  /// Sentence on why the system does not report all changes, with advice; `nil` if it does.
  private(set) var limitation: String?

  private static let mask =
    UInt32(IN_CREATE | IN_MODIFY | IN_CLOSE_WRITE | IN_MOVED_FROM | IN_MOVED_TO | IN_DELETE)
    | UInt32(IN_ONLYDIR | IN_EXCL_UNLINK)
  private static let bufferSize = 64 << 10

  private let candidates: CandidateRule
  private let descriptor: Int32
  private var folders: [Int32: FilePath] = [:]
  private var numbers: [FilePath: Int32] = [:]

  init(_ roots: [FilePath], _ candidates: CandidateRule) {
    self.candidates = candidates
    descriptor = inotify_init1(O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else {
      limitation =
        "The limit of inotify instances is reached (fs.inotify.max_user_instances = \(Self.systemLimit("max_user_instances")))."
      return
    }
    var changes = Changes()
    let mounts = MountTable()
    for root in roots {
      if let mount = mounts.mount(of: (try? root.resolved()) ?? root), Self.isRemote(mount) {
        limitation =
          "\(printablePath(root)) is on a network or FUSE file system, which does not report changes made by others."
      }
      add(root, &changes, isRoot: true)
    }
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// Number of watched folders.
  var count: Int { folders.count }

  /// Waits for changes, up to a timeout in milliseconds.
  func changes(within milliseconds: Int32) -> Changes {
    var changes = Changes()
    guard descriptor >= 0 else {
      usleep(UInt32(milliseconds) * 1000)
      return changes
    }
    var poller = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    guard unsafe poll(&poller, 1, milliseconds) > 0 else { return changes }
    var buffer = [UInt8](repeating: 0, count: Self.bufferSize)
    while true {
      let count = read(descriptor, &buffer, buffer.count)
      guard count > 0 else { return changes }
      take(buffer[..<count], &changes)
    }
  }

  // MARK: Events

  private func take(_ bytes: ArraySlice<UInt8>, _ changes: inout Changes) {
    let headSize = MemoryLayout<inotify_event>.size
    var rest = bytes
    while rest.count >= headSize {
      let event = rest.withUnsafeBytes { unsafe $0.loadUnaligned(as: inotify_event.self) }
      let name = rest.dropFirst(headSize).prefix(Int(event.len)).prefix { $0 != 0 }
      rest = rest.dropFirst(headSize + Int(event.len))
      if event.mask & UInt32(IN_Q_OVERFLOW) != 0 {
        changes.isOverflow = true
      } else if event.mask & UInt32(IN_IGNORED) != 0 {
        // The folder was removed, or its file system unmounted.
        if let folder = folders.removeValue(forKey: event.wd) { numbers[folder] = nil }
      } else if let folder = folders[event.wd], !name.isEmpty {
        take(event.mask, FilePath(bytes: folder.withBytes { Array($0) } + [UInt8(ascii: "/")] + name), name, &changes)
      }
    }
  }

  private func take(_ mask: UInt32, _ path: FilePath, _ name: ArraySlice<UInt8>, _ changes: inout Changes) {
    guard mask & UInt32(IN_ISDIR) != 0 else {
      // A new file is empty: writing to it causes further events.
      guard mask & UInt32(IN_CREATE) == 0 else { return }
      if candidates.reasonToSkip(fileNamed: name) == nil || name.elementsEqual(".nocturneignore".utf8) {
        changes.files.insert(path)
      }
      return
    }
    guard candidates.reasonToSkip(folderNamed: name) == nil else { return }
    if mask & UInt32(IN_CREATE | IN_MOVED_TO) != 0 {
      // Includes files that were added before the folder was watched.
      add(path, &changes)
    } else if mask & UInt32(IN_MOVED_FROM | IN_DELETE) != 0 {
      forget(below: path)
      changes.files.insert(path)
    }
  }

  // MARK: Folders

  /// Watches a folder and those below it.
  /// - Parameter changes: Receives the files in them.
  private func add(_ top: FilePath, _ changes: inout Changes, isRoot: Bool = false) {
    var waiting = [top]
    while let folder = waiting.popLast() {
      let mask = Self.mask | (isRoot && folder == top ? 0 : UInt32(IN_DONT_FOLLOW))
      let number = folder.withPlatformString { unsafe inotify_add_watch(descriptor, $0, mask) }
      guard number >= 0 else {
        if errno == ENOSPC {
          limitation =
            "There are more folders than this user can watch, which is \(Self.systemLimit("max_user_watches")). To "
            + "watch all, raise the limit: sysctl fs.inotify.max_user_watches=1048576"
        }
        continue
      }
      folders[number] = folder
      numbers[folder] = number
      for (path, name, isFolder) in Self.entries(of: folder) {
        if isFolder {
          if candidates.reasonToSkip(folderNamed: name) == nil { waiting.append(path) }
        } else if candidates.reasonToSkip(fileNamed: name) == nil {
          changes.files.insert(path)
        }
      }
    }
  }

  /// Stops watching a folder that was moved or removed. If it moved within the library, `add` watches it under its new name.
  private func forget(below folder: FilePath) {
    for (path, number) in numbers where path.starts(with: folder) {
      _ = inotify_rm_watch(descriptor, number)
      folders[number] = nil
      numbers[path] = nil
    }
  }

  /// Subfolders and regular files of a folder.
  static func entries(of folder: FilePath) -> [(path: FilePath, name: ArraySlice<UInt8>, isFolder: Bool)] {
    guard let listing = try? FolderListing(of: folder) else { return [] }
    return listing.entries.compactMap { entry in
      guard let path = listing.component(entry).map({ folder.appending($0) }) else { return nil }
      let kind = entry.kind == .unknown ? (try? FileStatus(at: path, followingLinks: false).kind) : entry.kind
      guard kind == .folder || kind == .regular else { return nil }
      return (path, listing.name(entry), kind == .folder)
    }
  }

  /// `true` for network and FUSE file systems, where inotify misses changes made by others.
  private static func isRemote(_ mount: MountTable.Mount) -> Bool {
    mount.isOnServer || mount.type.hasPrefix("fuse.")
  }

  private static func systemLimit(_ name: String) -> String {
    (try? SmallFile.read(FilePath("/proc/sys/fs/inotify/\(name)"), limit: 64)).map {
      String(decoding: $0, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    } ?? "unknown"
  }
}
