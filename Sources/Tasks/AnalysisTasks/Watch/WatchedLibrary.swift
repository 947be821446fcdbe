internal import Platform
internal import SystemPackage

/// The watched folders: what has changed in them, whether they are there, and what a run is to look through.
struct WatchedLibrary {
  private let options: WatchOptions
  private var watch: FolderWatch
  private let mounts: MountWatch
  private var roots: WatchedRoots
  private var files: WaitingFiles
  private var looked = ContinuousClock.now
  private var scanned = ContinuousClock.now
  /// When something last changed.
  private(set) var lastChange: ContinuousClock.Instant?

  /// Between looks at the folders themselves.
  private static let checkInterval = Duration.seconds(2)

  /// All files that are there are due at once: they may have been written while no watch was running.
  init(_ options: WatchOptions) {
    self.options = options
    roots = WatchedRoots(options.folders)
    mounts = MountWatch(options.folders)
    watch = FolderWatch(options.folders, options.candidates)
    files = WaitingFiles(options.folders, options.candidates, quietPeriod: options.quietPeriod)
    files.addAll()
  }

  /// How many folders are watched.
  var folderCount: Int { watch.count }
  var limitation: String? { watch.limitation }
  /// Whether something waits to be looked through.
  var isWaiting: Bool { files.count > 0 }
  var absent: [(path: FilePath, condition: WatchedRoots.Condition)] { roots.absent }

  /// Waits for changes in the folders, at most this many milliseconds.
  mutating func follow(within milliseconds: Int32) {
    let changes = watch.changes(within: milliseconds)
    if !changes.files.isEmpty || changes.isOverflow { lastChange = .now }
    files.add(changes.files)
    if changes.isOverflow { files.addAll() }
    if watch.limitation != nil, .now - scanned >= options.scanInterval {
      files.addAll()
      scanned = .now
    }
  }

  /// Changes of the folders themselves. If others have taken their place, those are watched from now on, and due when
  /// they have been quiet for as long as a file.
  mutating func changesOfRoots() -> [WatchedRoots.Change] {
    guard .now - looked >= Self.checkInterval else { return [] }
    looked = .now
    let changes = roots.changes()
    // A disk may also be mounted further down.
    let areMountsOther = mounts.hasChanged()
    if changes.contains(where: \.isOther) || areMountsOther {
      watch = FolderWatch(options.folders, options.candidates)
      lastChange = .now
    }
    // Files that came into an empty folder are reported as files.
    let back = changes.filter { $0.now == .there && ($0.isOther || watch.limitation != nil) }
    files.add(areMountsOther ? Set(options.folders) : Set(back.map(\.path)))
    return changes
  }

  /// Takes out what is due.
  /// - Returns: The folders that a run is to look through; `nil` if nothing is due. Folders that are not there, or hold
  ///   nothing, are left out: they are due again when they are back.
  mutating func takeDue() -> [FilePath]? {
    guard let due = files.takeDue() else { return nil }
    let absent = WatchedRoots(options.folders).absent.map(\.path)
    return due.filter { folder in !absent.contains { folder.starts(with: $0) } }
  }

  /// Folders that a run could not look through are due at once.
  mutating func putBack(_ folders: [FilePath]) { files.add(Set(folders), at: .now - options.quietPeriod) }
}
