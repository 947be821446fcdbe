internal import Platform
public import SystemPackage

/// Walks folders and yields every file that may contain audio, without opening any of them.
///
/// ```swift
/// var walker = LibraryWalker(roots: ["/srv/music"])
/// while let entry = try walker.next() { … }
/// ```
///
/// - Order: Roots are walked in the given order. Within a folder, files and folders are sorted together by the bytes of
///   their names. Symbolic links are followed last, in the order in which they were found, so that a file with a path
///   without links is yielded under that path.
/// - Nothing is yielded twice, even if it is reached through other roots, links or bind mounts, because folders and
///   files are identified by device and inode. However, each name of a file with hard links is yielded. A link to a
///   folder that contains the library is not followed.
/// - Names are bytes and are passed on unchanged.
/// - Memory use: the names in the folders from the root to the current folder, 16 bytes for each folder visited, and an
///   entry for each link and each file given as a root.
/// - Unreadable folders, and entries that are not files, are yielded as skipped. They never end the walk.
public struct LibraryWalker {
  public struct Options: Hashable, Sendable {
    public var candidates: CandidateRule
    /// `true` to follow symbolic links inside folders, to files and to folders. Roots that are links are always
    /// followed.
    public var followsLinks: Bool
    /// `true` to skip folders and files that are not on the same file system as their root.
    public var staysOnFileSystem: Bool
    /// Files that changed within this period before the walk began are skipped, because they may still be in the
    /// process of being written.
    public var quietPeriod: Duration

    public init(
      candidates: CandidateRule = CandidateRule(), followsLinks: Bool = true,
      staysOnFileSystem: Bool = false, quietPeriod: Duration = .zero
    ) {
      self.candidates = candidates
      self.followsLinks = followsLinks
      self.staysOnFileSystem = staysOnFileSystem
      self.quietPeriod = quietPeriod
    }
  }

  public enum Entry: Hashable, Sendable {
    case file(ScannedFile)
    case skipped(SkippedEntry)
    /// Yielded once for each root: for a folder that is walked, at the end of the walk; for any other root, when its
    /// turn comes.
    case root(RootReport)
  }

  /// A folder on the current path of the walk.
  private struct Level {
    var listing: FolderListing
    var position = 0
    /// Length of the folder's path in bytes.
    var pathLength: Int
    /// Number of `ignoreFiles` that applied before the walk entered this folder.
    var ignoreCount: Int
  }

  private struct FolderRoot {
    var path: FilePath
    var device: UInt64
    var fileCount = 0
    /// `true` if the walk found any candidate below the folder, whether it was yielded here or elsewhere.
    var holdsAudio = false
  }

  private struct PendingLink {
    var path: FilePath
    var root: Int
  }

  private let options: Options
  private let nextRoot: () throws(ScanError) -> FilePath?
  private let quietPeriod: QuietPeriod?

  private var path = PathBuffer("/")
  private var levels: [Level] = []
  private var ignoreFiles: [IgnoreFile] = []
  private var unreadableIgnoreFiles: Set<FilePath> = []
  private var links: [PendingLink] = []
  private var nextLink = 0
  private var roots: [FolderRoot] = []
  private var currentRoot = 0
  private var isPastRoots = false
  private var reportedRoots = 0
  private var ready: [Entry] = []
  private var visitedFolders: Set<FileKey> = []
  private lazy var pseudoFileSystems = PseudoFileSystems()
  private var foldersAboveRoots: Set<FileKey> = []
  /// The first path of each file that may be reached again by another path.
  private var firstPaths: [FileKey: FilePath] = [:]

  public init(roots: [FilePath], options: Options = Options()) {
    var rest = roots[...]
    self.init(options: options) { () throws(ScanError) in rest.popFirst() }
  }

  /// Creates a walk that requests its roots one by one, for example from a `PathList`.
  public init(options: Options = Options(), nextRoot: @escaping () throws(ScanError) -> FilePath?) {
    self.options = options
    self.nextRoot = nextRoot
    quietPeriod = QuietPeriod(options.quietPeriod)
  }

  /// - Throws: Errors from `nextRoot`. The walk can continue after them.
  public mutating func next() throws(ScanError) -> Entry? {
    while true {
      if !ready.isEmpty { return ready.removeFirst() }
      if !levels.isEmpty {
        step()
      } else if !isPastRoots {
        if let root = try nextRoot() { start(root) } else { isPastRoots = true }
      } else if nextLink < links.count {
        nextLink += 1
        follow(links[nextLink - 1])
      } else if reportedRoots < roots.count {
        let root = roots[reportedRoots]
        reportedRoots += 1
        report(root.path, root.holdsAudio ? .scanned(fileCount: root.fileCount) : .empty)
      } else {
        return nil
      }
    }
  }

  // MARK: - Roots

  private mutating func start(_ given: FilePath) {
    let root = given.absolute()
    path = PathBuffer(root)
    let status: FileStatus
    do {
      status = try FileStatus(at: root, followingLinks: true)
    } catch {
      let isMissing = error == .noSuchFileOrDirectory || error == .notDirectory
      return report(root, isMissing ? .missing : .unreadable(error.description))
    }
    guard status.kind == .folder else {
      report(root, .single)
      guard status.kind == .regular else { return skip(Self.reason(for: status.kind)) }
      if !visitedFolders.isEmpty, let target = try? root.resolved(), wasYielded(target) {
        return skip(.alreadyScanned)
      }
      return yield(status, isRoot: true)
    }
    guard !visitedFolders.contains(status.key) else { return report(root, .alreadyScanned) }
    let listing: FolderListing
    do {
      listing = try path.withPlatformString { path throws(Errno) in
        try unsafe FolderListing(at: path, followingLinks: true)
      }
    } catch {
      return report(root, .unreadable(error.description))
    }
    roots.append(FolderRoot(path: root, device: listing.key.device))
    currentRoot = roots.count - 1
    rememberFolders(above: root)
    readIgnoreFiles(above: root)
    enter(listing)
  }

  private mutating func report(_ path: FilePath, _ state: RootReport.State) {
    ready.append(.root(RootReport(path: path, state: state)))
  }

  private mutating func rememberFolders(above root: FilePath) {
    guard options.followsLinks else { return }
    var folder = root
    var below: FileKey?
    while true {
      folder.append("..")
      guard let key = try? FileStatus(at: folder, followingLinks: true).key, key != below else { return }
      foldersAboveRoots.insert(key)
      below = key
    }
  }

  /// Sets `ignoreFiles` to the ignore files in all folders above `folder`.
  private mutating func readIgnoreFiles(above folder: FilePath) {
    ignoreFiles = []
    var above = folder
    var found: [FilePath] = []
    while above.removeLastComponent() { found.append(above) }
    for folder in found.reversed() { readIgnoreFile(in: folder) }
  }

  private mutating func readIgnoreFile(in folder: FilePath) {
    let file = folder.appending(IgnoreFile.name)
    do {
      if let rules = try IgnoreFile(at: file, baseLength: PathBuffer(folder).bytes.count + 1) {
        ignoreFiles.append(rules)
      }
    } catch {
      // The ignore files above roots and links may be read several times, but an unreadable one is reported only once.
      guard unreadableIgnoreFiles.insert(file).inserted else { return }
      ready.append(
        .skipped(SkippedEntry(path: file, reason: .unreadableIgnoreFile, detail: error.description)))
    }
  }

  // MARK: - Folders

  /// Descends into the folder at `path`.
  private mutating func enter(_ listing: FolderListing) {
    if listing.key.isTrustworthy { visitedFolders.insert(listing.key) }
    if let problem = listing.interruption { skip(.unreadableFolder, isFolder: true, detail: problem.description) }
    levels.append(Level(listing: listing, pathLength: path.bytes.count, ignoreCount: ignoreFiles.count))
    if listing.contains(Array(IgnoreFile.name.utf8)) { readIgnoreFile(in: path.path) }
  }

  /// Descends into the folder at `path`, unless it cannot be read, was visited before, or is on a file system that is
  /// skipped.
  private mutating func enterFolder(followingLink: Bool) {
    guard !path.isTooLong else { return skip(.pathTooLong, isFolder: true) }
    let listing: FolderListing
    do {
      listing = try path.withPlatformString { path throws(Errno) in
        try unsafe FolderListing(at: path, followingLinks: followingLink)
      }
    } catch {
      switch error {
      case .noSuchFileOrDirectory, .notDirectory, .tooManySymbolicLinkLevels:
        return skip(.vanishedWhileScanning, isFolder: true)
      default:
        return skip(.unreadableFolder, isFolder: true, detail: error.description)
      }
    }
    guard !visitedFolders.contains(listing.key) else { return skip(.alreadyScanned, isFolder: true) }
    guard !isOnSkippedFileSystem(listing.key) else { return skip(.otherFileSystem, isFolder: true) }
    if listing.key.device != levels.last?.listing.key.device, pseudoFileSystems.contains(listing.key) {
      return skip(.pseudoFileSystem, isFolder: true)
    }
    enter(listing)
  }

  /// Handles the next name in the current folder, or leaves the folder.
  private mutating func step() {
    let level = levels.count - 1
    path.truncate(to: levels[level].pathLength)
    guard levels[level].position < levels[level].listing.entries.count else {
      ignoreFiles.removeLast(ignoreFiles.count - levels[level].ignoreCount)
      levels.removeLast()
      return
    }
    let entry = levels[level].listing.entries[levels[level].position]
    levels[level].position += 1
    let name = levels[level].listing.name(entry)
    path.append(name)
    take(entry.kind, named: name, status: nil)
  }

  /// Handles the entry at `path`. The name is checked first, so that most non-audio files do not cost a system call.
  private mutating func take(_ kind: FileStatus.Kind, named name: ArraySlice<UInt8>, status: FileStatus?) {
    let rule = options.candidates
    switch kind {
    case .regular:
      if let reason = rule.reasonToSkip(fileNamed: name) { return skip(reason) }
      if isIgnored(isFolder: false) { return skip(.ignored) }
      guard let status = status ?? entryStatus() else { return }
      if status.kind == .regular {
        yield(status, isRoot: false)
      } else {
        take(status.kind, named: name, status: status)
      }
    case .folder:
      if let reason = rule.reasonToSkip(folderNamed: name) { return skip(reason, isFolder: true) }
      if isIgnored(isFolder: true) { return skip(.ignored, isFolder: true) }
      enterFolder(followingLink: false)
    case .link:
      if let reason = rule.reasonToSkip(folderNamed: name) { return skip(reason) }
      if isIgnored(isFolder: false) { return skip(.ignored) }
      if rule.reasonToSkip(fileNamed: name) == .notAudio { return skip(.notAudio) }
      guard options.followsLinks else { return skip(.linkNotFollowed) }
      links.append(PendingLink(path: path.path, root: currentRoot))
    case .fifo, .socket, .device:
      skip(rule.reasonToSkip(folderNamed: name) ?? Self.reason(for: kind))
    case .unknown:
      guard status == nil else { return skip(.unreadableEntry) }
      if let status = entryStatus() { take(status.kind, named: name, status: status) }
    }
  }

  /// Returns the `lstat` of the entry at `path`. If that fails, or if the path is too long, skips the entry and returns
  /// `nil`.
  private mutating func entryStatus() -> FileStatus? {
    guard !path.isTooLong else {
      skip(.pathTooLong)
      return nil
    }
    do {
      return try path.withPlatformString { path throws(Errno) in
        try unsafe FileStatus(at: path, followingLinks: false)
      }
    } catch .noSuchFileOrDirectory {
      skip(.vanishedWhileScanning)
    } catch {
      skip(.unreadableEntry, detail: error.description)
    }
    return nil
  }

  // MARK: - Links

  private mutating func follow(_ link: PendingLink) {
    path = PathBuffer(link.path)
    currentRoot = link.root
    guard !path.isTooLong else { return skip(.pathTooLong) }
    let status: FileStatus
    do {
      status = try FileStatus(at: link.path, followingLinks: true)
    } catch {
      switch error {
      case .noSuchFileOrDirectory, .notDirectory: return skip(.danglingLink, detail: Self.target(of: link.path))
      case .tooManySymbolicLinkLevels: return skip(.linkLoop, detail: Self.target(of: link.path))
      default: return skip(.unreadableEntry, detail: error.description)
      }
    }
    switch status.kind {
    case .folder:
      guard !foldersAboveRoots.contains(status.key) else {
        return skip(.linkLoop, isFolder: true, detail: Self.target(of: link.path))
      }
      readIgnoreFiles(above: link.path)
      guard !isIgnored(isFolder: true) else { return skip(.ignored, isFolder: true) }
      let depth = levels.count
      enterFolder(followingLink: true)
      if levels.count > depth, levels[depth].listing.entries.isEmpty {
        skip(.emptyLinkTarget, isFolder: true, detail: Self.target(of: link.path))
      }
    case .regular:
      if let name = link.path.lastComponent,
        let reason = options.candidates.reasonToSkip(fileNamed: Self.bytes(of: name))
      {
        return skip(reason)
      }
      if let target = try? link.path.resolved(), wasYielded(target) {
        return skip(.alreadyScanned, detail: target.string)
      }
      guard !isOnSkippedFileSystem(status.key) else { return skip(.otherFileSystem) }
      yield(status, isRoot: false, mayBeMetAgain: true)
    default:
      skip(Self.reason(for: status.kind))
    }
  }

  /// Returns whether a file, given by its path without links, is a candidate that is not ignored, in a folder that was
  /// walked.
  private mutating func wasYielded(_ target: FilePath) -> Bool {
    guard let name = target.lastComponent, options.candidates.reasonToSkip(fileNamed: Self.bytes(of: name)) == nil,
      let folder = try? FileStatus(at: target.removingLastComponent(), followingLinks: true).key,
      visitedFolders.contains(folder)
    else { return false }
    let current = path
    defer { path = current }
    path = PathBuffer(target)
    readIgnoreFiles(above: target)
    return !isIgnored(isFolder: false)
  }

  // MARK: - Results

  private mutating func yield(_ status: FileStatus, isRoot: Bool, mayBeMetAgain: Bool = false) {
    guard !path.isTooLong else { return skip(.pathTooLong) }
    let file = ScannedFile(path: path.path, status: status)
    if status.key.isTrustworthy, isRoot || mayBeMetAgain || !firstPaths.isEmpty {
      if let first = firstPaths[status.key] {
        // Each name of a hard-linked file may belong to a different album. Thanks to content ids, the file is not
        // decoded twice.
        let isHardLink = status.linkCount > 1 && first != file.path
        if !isHardLink { return skip(.alreadyScanned) }
      } else if isRoot || mayBeMetAgain {
        firstPaths[status.key] = file.path
      }
    }
    if let quietPeriod, quietPeriod.contains(status) { return skip(.stillChanging) }
    ready.append(.file(file))
    guard !isRoot else { return }
    roots[currentRoot].fileCount += 1
    roots[currentRoot].holdsAudio = true
  }

  private mutating func skip(_ reason: SkipReason, isFolder: Bool = false, detail: String? = nil) {
    ready.append(.skipped(SkippedEntry(path: path.path, reason: reason, isFolder: isFolder, detail: detail)))
    switch reason {
    case .alreadyScanned, .stillChanging:
      if !levels.isEmpty || isPastRoots { roots[currentRoot].holdsAudio = true }
    default: break
    }
  }

  /// Returns whether other file systems are skipped and the entry is on one of them.
  private func isOnSkippedFileSystem(_ key: FileKey) -> Bool {
    options.staysOnFileSystem && key.device != roots[currentRoot].device
  }

  private func isIgnored(isFolder: Bool) -> Bool {
    for file in ignoreFiles.reversed() {
      if let verdict = file.verdict(on: path.bytes, isFolder: isFolder) { return verdict }
    }
    return false
  }

  static func reason(for kind: FileStatus.Kind) -> SkipReason {
    switch kind {
    case .fifo: .fifo
    case .socket: .socket
    case .device: .device
    case .regular, .folder, .link, .unknown: .unreadableEntry
    }
  }

  // MARK: - The system

  private static func target(of link: FilePath) -> String? { link.linkTarget.map { "to \($0.string)" } }

  static func bytes(of component: FilePath.Component) -> [UInt8] {
    FilePath(root: nil, [component]).bytes
  }
}
