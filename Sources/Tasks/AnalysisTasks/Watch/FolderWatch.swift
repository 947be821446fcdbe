internal import Foundation
internal import LibraryScan
internal import Platform
internal import SystemPackage

/// Watches folders recursively with inotify(7). Symbolic links are followed only for the given folders themselves.
///
/// Not thread-safe.
final class FolderWatch {
  struct Changes {
    /// Files that were written, moved or removed, if they may be audio or are named `.nocturneignore`, and folders that
    /// are gone.
    var files: Set<FilePath> = []
    /// `true` if events were lost, so anything may have changed.
    var isOverflow = false
  }

  /// A sentence that says why the system does not report all changes, with advice; `nil` if it reports all of them.
  private(set) var limitation: String?

  private let candidates: CandidateRule
  /// The events; `nil` if the system does not allow another inotify instance.
  private let events: FolderEvents?
  private var folders: [FolderEvents.Number: FilePath] = [:]
  private var numbers: [FilePath: FolderEvents.Number] = [:]

  init(_ roots: [FilePath], _ candidates: CandidateRule) {
    self.candidates = candidates
    events = try? FolderEvents()
    guard events != nil else {
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

  var count: Int { folders.count }

  /// Waits for changes, up to a timeout in milliseconds, and returns them.
  func changes(within milliseconds: Int32) -> Changes {
    var changes = Changes()
    guard let events else {
      Threads.pause(milliseconds: Int(milliseconds))
      return changes
    }
    for event in events.next(withinMilliseconds: milliseconds) { take(event, &changes) }
    return changes
  }

  // MARK: Events

  private func take(_ event: FolderEvents.Event, _ changes: inout Changes) {
    switch event.kind {
    case .overflow: changes.isOverflow = true
    case .folderGone: if let folder = folders.removeValue(forKey: event.folder) { numbers[folder] = nil }
    case .created, .movedHere, .written, .gone:
      guard let folder = folders[event.folder], !event.name.isEmpty else { return }
      take(event, FilePath(bytes: folder.withBytes { Array($0) } + [UInt8(ascii: "/")] + event.name), &changes)
    }
  }

  private func take(_ event: FolderEvents.Event, _ path: FilePath, _ changes: inout Changes) {
    let name = event.name
    guard event.isFolder else {
      // A new file is empty. Writing to it causes another event.
      guard event.kind != .created else { return }
      if candidates.reasonToSkip(fileNamed: name) == nil || name.elementsEqual(".nocturneignore".utf8) {
        changes.files.insert(path)
      }
      return
    }
    guard candidates.reasonToSkip(folderNamed: name) == nil else { return }
    if event.kind == .created || event.kind == .movedHere {
      // Also adds the files that were created in the folder before it was watched.
      add(path, &changes)
    } else if event.kind == .gone {
      forget(below: path)
      changes.files.insert(path)
    }
  }

  // MARK: Folders

  /// Watches a folder and all folders below it.
  /// - Parameter changes: Receives the files in these folders.
  private func add(_ top: FilePath, _ changes: inout Changes, isRoot: Bool = false) {
    var waiting = [top]
    while let folder = waiting.popLast() {
      guard let number = watch(folder, followingLinks: isRoot && folder == top) else { continue }
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

  private func watch(_ folder: FilePath, followingLinks: Bool) -> FolderEvents.Number? {
    do {
      return try events?.watch(folder, followingLinks: followingLinks)
    } catch .noSpace {
      limitation =
        "The system lets this user watch \(Self.systemLimit("max_user_watches")) folders, and there are more. To "
        + "watch all, raise the limit: sysctl fs.inotify.max_user_watches=1048576"
    } catch {}
    return nil
  }

  /// Stops watching a folder and all folders below it. Folders that were moved within the watched folders are watched
  /// again under their new names.
  private func forget(below folder: FilePath) {
    for (path, number) in numbers where path.starts(with: folder) {
      events?.stopWatching(number)
      folders[number] = nil
      numbers[path] = nil
    }
  }

  /// Returns the subfolders and regular files of a folder.
  static func entries(of folder: FilePath) -> [(path: FilePath, name: ArraySlice<UInt8>, isFolder: Bool)] {
    guard let listing = try? FolderListing(of: folder) else { return [] }
    return listing.entries.compactMap { entry in
      guard let path = listing.component(entry).map({ folder.appending($0) }) else { return nil }
      let kind = entry.kind == .unknown ? (try? FileStatus(at: path, followingLinks: false).kind) : entry.kind
      guard kind == .folder || kind == .regular else { return nil }
      return (path, listing.name(entry), kind == .folder)
    }
  }

  /// Returns `true` for network and FUSE file systems, where inotify misses changes made by other machines.
  private static func isRemote(_ mount: MountTable.Mount) -> Bool {
    mount.isOnServer || mount.type.hasPrefix("fuse.")
  }

  private static func systemLimit(_ name: String) -> String {
    (try? SmallFile.read(FilePath("/proc/sys/fs/inotify/\(name)"), limit: 64)).map {
      String(decoding: $0, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    } ?? "unknown"
  }
}
