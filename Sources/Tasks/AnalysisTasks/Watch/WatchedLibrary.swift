internal import Platform
internal import SystemPackage

/// The watched folders: what has changed in them, which of them are missing, and what a run has to scan.
struct WatchedLibrary {
  private let options: WatchOptions
  private var watch: FolderWatch
  private let mounts: MountWatch
  private var roots: WatchedRoots
  private var files: WaitingFiles
  private var lastCheck = ContinuousClock.now
  private var lastScan = ContinuousClock.now
  private(set) var lastChange: ContinuousClock.Instant?

  /// Interval between checks of the folders themselves.
  private static let checkInterval = Duration.seconds(2)

  /// Makes all existing files due immediately, because they may have been written while nothing was watching.
  init(_ options: WatchOptions) {
    self.options = options
    roots = WatchedRoots(options.folders)
    mounts = MountWatch(options.folders)
    watch = FolderWatch(options.folders, options.candidates)
    files = WaitingFiles(options.folders, options.candidates, quietPeriod: options.quietPeriod)
    files.addAll()
  }

  var folderCount: Int { watch.count }
  var limitation: String? { watch.limitation }
  /// `true` if changed files are waiting to be scanned.
  var isWaiting: Bool { files.count > 0 }
  var absent: [(path: FilePath, condition: WatchedRoots.Condition)] { roots.absent }

  /// Waits for changes in the folders, up to a timeout in milliseconds, and adds the changed files to those that wait.
  /// Makes all roots due if changes may have been missed.
  mutating func follow(within milliseconds: Int32) {
    let changes = watch.changes(within: milliseconds)
    if !changes.files.isEmpty || changes.isOverflow { lastChange = .now }
    files.add(changes.files)
    if changes.isOverflow { files.addAll() }
    if watch.limitation != nil, .now - lastScan >= options.scanInterval {
      files.addAll()
      lastScan = .now
    }
  }

  /// Returns changes of the folders themselves, which are checked at most every two seconds. Folders that were replaced
  /// are watched again, and become due after the same quiet period as a file.
  mutating func changesOfRoots() -> [WatchedRoots.Change] {
    guard .now - lastCheck >= Self.checkInterval else { return [] }
    lastCheck = .now
    let changes = roots.changes()
    // A disk may also be mounted below a folder.
    let haveMountsChanged = mounts.hasChanged()
    if changes.contains(where: \.isReplaced) || haveMountsChanged {
      watch = FolderWatch(options.folders, options.candidates)
      lastChange = .now
    }
    // Files that were added to an empty folder are reported individually.
    let back = changes.filter { $0.now == .present && ($0.isReplaced || watch.limitation != nil) }
    files.add(haveMountsChanged ? Set(options.folders) : Set(back.map(\.path)))
    return changes
  }

  /// Removes the folders and files that are due.
  /// - Returns: The folders that a run must scan; `nil` if nothing is due. Folders that are missing or empty are left
  ///   out. They become due when they are back.
  mutating func takeDue() -> [FilePath]? {
    guard let due = files.takeDue() else { return nil }
    let absent = WatchedRoots(options.folders).absent.map(\.path)
    return due.filter { folder in !absent.contains { folder.starts(with: $0) } }
  }

  /// Makes folders due again, immediately, after a failed run.
  mutating func putBack(_ folders: [FilePath]) { files.add(Set(folders), at: .now - options.quietPeriod) }
}
