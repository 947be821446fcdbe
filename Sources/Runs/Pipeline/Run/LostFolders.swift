internal import LibraryScan
internal import Platform
internal import Records
internal import SystemPackage
internal import Text

/// Distinguishes files that were removed during a run from files that disappeared with their disk or with the whole
/// library.
struct LostFolders {
  struct Loss {
    let path: FilePath
    let condition: RunRecord.Root.Condition
    /// Number of files in the folder that have disappeared.
    var fileCount: Int

    var event: String { condition == .empty ? "disk_missing" : "library_\(condition.rawValue)" }

    var sentence: String { sentence(notDone: "analyzed") }

    /// - Parameter verb: A participle that says what was not done with the folder's files, such as "analyzed".
    func sentence(notDone verb: String) -> String {
      let what =
        switch condition {
        case .empty: "became empty during the run: its disk is gone"
        case .unreadable: "can no longer be read"
        case .missing, .scanned: "disappeared during the run"
        }
      let files = "\(counted(fileCount, "file")) in it \(fileCount == 1 ? "was" : "were") not \(verb)"
      return "\(DisplayPath.text(of: path)) \(what). \(files). Is the drive mounted? "
        + "Nothing in it counts as removed; run again when it is back."
    }
  }

  private let roots: [FilePath]
  private var losses: [FilePath: Loss] = [:]
  /// Number of files that were removed individually or with a folder.
  private(set) var otherFiles = 0

  /// - Parameter roots: Folders that the scan has walked.
  init(roots: [FilePath]) {
    self.roots = roots
  }

  /// The lost folders, ordered by path.
  var folders: [Loss] { losses.values.sorted { $0.path.string < $1.path.string } }

  /// Adds a file that disappeared.
  /// - Parameter device: The device that contained the file.
  mutating func add(_ path: FilePath, device: UInt64) {
    guard let (folder, condition) = loss(of: path, device) else {
      otherFiles += 1
      return
    }
    losses[folder, default: Loss(path: folder, condition: condition, fileCount: 0)].fileCount += 1
  }

  /// Returns the lost folder that contained a missing file, judging by the nearest folder that still exists, as a scan
  /// does; `nil` if the file was removed individually or with a folder.
  private func loss(of path: FilePath, _ device: UInt64) -> (FilePath, RunRecord.Root.Condition)? {
    var folder = path
    while folder.removeLastComponent() {
      if losses[folder] != nil { return losses[folder].map { ($0.path, $0.condition) } }
      if folder.isGone(followingLinks: true) {
        if roots.contains(folder) { return (folder, .missing) }
        continue
      }
      guard let status = FolderStatus(at: folder) else { return (folder, .unreadable) }
      return status.isEmpty && status.device != device ? (folder, .empty) : nil
    }
    return nil
  }
}
