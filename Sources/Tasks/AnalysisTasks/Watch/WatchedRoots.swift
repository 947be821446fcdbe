internal import LibraryScan
internal import Platform
internal import SystemPackage

/// The folders that are to be watched, as they are: a disk may not be mounted yet, or be unmounted and come back.
struct WatchedRoots {
  enum Condition: Sendable, Equatable {
    case there
    /// As the place of a disk that is not mounted.
    case empty
    case missing
  }

  struct Change: Equatable {
    var path: FilePath
    var before: Condition
    var now: Condition
    /// Another folder has the name now, or what is mounted there.
    var isOther: Bool
  }

  private struct Root {
    let path: FilePath
    var key: FileKey?
    var condition: Condition

    init(_ path: FilePath) {
      self.path = path
      key = try? FileStatus(at: path, followingLinks: true).key
      // A folder that may not be read is for the run to report.
      condition = key == nil ? .missing : FolderStatus(at: path)?.isEmpty == true ? .empty : .there
    }

    /// Looks again. A folder that held something is not read again as long as it is the same.
    var now: Root {
      let isSame = condition == .there && key == (try? FileStatus(at: path, followingLinks: true).key)
      return isSame ? self : Root(path)
    }
  }

  private var roots: [Root]

  init(_ paths: [FilePath]) { roots = paths.map(Root.init) }

  /// Folders that are missing or empty.
  var absent: [(path: FilePath, condition: Condition)] {
    roots.filter { $0.condition != .there }.map { ($0.path, $0.condition) }
  }

  /// Looks again.
  mutating func changes() -> [Change] {
    var changes: [Change] = []
    for index in roots.indices {
      let before = roots[index]
      let now = before.now
      roots[index] = now
      if now.condition != before.condition || now.key != before.key {
        changes.append(
          Change(path: now.path, before: before.condition, now: now.condition, isOther: now.key != before.key))
      }
    }
    return changes
  }
}
