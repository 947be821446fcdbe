internal import LibraryScan
internal import Platform
internal import SystemPackage

/// The condition of the watched folders. A disk may not be mounted yet, or may be unmounted and mounted again.
struct WatchedRoots {
  enum Condition: Sendable, Equatable {
    case present
    /// The folder is empty. It may be the mount point of a disk that is not mounted.
    case empty
    case missing
  }

  struct Change: Equatable {
    var path: FilePath
    var before: Condition
    var now: Condition
    /// `true` if the folder has appeared or disappeared, or was replaced by another folder or mount.
    var isReplaced: Bool
  }

  private struct Root {
    let path: FilePath
    var key: FileKey?
    var condition: Condition

    init(_ path: FilePath) {
      self.path = path
      key = try? FileStatus(at: path, followingLinks: true).key
      // An unreadable folder counts as present, because the run reports it.
      condition = key == nil ? .missing : FolderStatus(at: path)?.isEmpty == true ? .empty : .present
    }

    /// The current condition. A folder that was not empty is read again only if it was replaced.
    var now: Root {
      let isSame = condition == .present && key == (try? FileStatus(at: path, followingLinks: true).key)
      return isSame ? self : Root(path)
    }
  }

  private var roots: [Root]

  init(_ paths: [FilePath]) { roots = paths.map(Root.init) }

  /// Folders that are missing or empty.
  var absent: [(path: FilePath, condition: Condition)] {
    roots.filter { $0.condition != .present }.map { ($0.path, $0.condition) }
  }

  /// Checks the folders again and returns the changes.
  mutating func changes() -> [Change] {
    var changes: [Change] = []
    for index in roots.indices {
      let before = roots[index]
      let now = before.now
      roots[index] = now
      if now.condition != before.condition || now.key != before.key {
        changes.append(
          Change(path: now.path, before: before.condition, now: now.condition, isReplaced: now.key != before.key))
      }
    }
    return changes
  }
}
