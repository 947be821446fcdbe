internal import LibraryScan
internal import Platform
internal import Records
internal import ResultStore
internal import SystemPackage
internal import Text

/// Walks the roots, writes the work list to the store, and marks missing files as vanished.
struct ScanPhase {
  struct Result: Sendable {
    var counts = ScanCounts()
    var roots: [RunRecord.Root] = []
    var stillChanging = 0
  }

  /// Number of files and skipped entries per transaction.
  private static let batchSize = 1_000

  let session: ScanSession
  let request: LibraryRun.Request
  let control: RunControl
  let report: @Sendable (RunEvent) -> Void
  /// Called with each file that needs work, if the scan is part of planning.
  var takeWork: ((FileStamp, FileWork) throws -> Void)?

  func run() throws -> Result {
    let nextEntry = entries()
    var files: [FileStamp] = []
    var skipped: [SkippedFile] = []
    var roots: [RunRecord.Root] = []
    var scopes: [VanishScope] = []
    var unreadable: [FilePath] = []
    var seen = 0
    var stillChanging = 0

    while !control.isStopping, let entry = try nextEntry() {
      switch entry {
      case .file(let file):
        var stamp = FileStamp(file)
        if request.ignoresStatusChanges { stamp.statusChanged = nil }
        files.append(stamp)
      case .skipped(let entry):
        if entry.reason == .stillChanging { stillChanging += 1 }
        if entry.hidesFiles { unreadable.append(entry.path) }
        skipped.append(
          SkippedFile(
            path: entry.path, code: entry.reason.rawValue, message: entry.message, isFailure: entry.reason.isFailure))
      case .root(let root):
        try take(root, into: &roots, scopes: &scopes)
      }
      if files.count + skipped.count == Self.batchSize {
        seen += files.count + skipped.count
        try flush(&files, &skipped)
        report(.scanned(seen))
      }
    }
    try flush(&files, &skipped)
    // Missing files can be determined only after a complete scan.
    if !control.isStopping {
      try leaveOutLostRoots(&roots, &scopes)
      for index in scopes.indices { scopes[index].unreadable = unreadable }
      try session.markVanished(in: scopes)
      for disk in session.missingDisks {
        roots.append(.init(path: disk.folder, condition: .empty))
        report(
          .notice(
            "\(DisplayPath.text(of: disk.folder)) is empty, but \(counted(disk.fileCount, "known file")) "
              + "\(disk.fileCount == 1 ? "was" : "were") on a disk there. Is the drive mounted? "
              + "Known results are kept; if the disk is gone for good, delete the empty folder.",
            event: "disk_missing", path: disk.folder))
      }
    }
    return Result(counts: session.counts, roots: roots, stillChanging: stillChanging)
  }

  /// Returns a function that yields the entries below all roots, one root after another.
  private func entries() -> () throws -> LibraryWalker.Entry? {
    var walker: LibraryWalker
    switch request.roots {
    case .paths(let paths):
      walker = LibraryWalker(roots: paths.filter { !$0.isObject }, options: request.walk)
      var objects = ObjectWalk(
        roots: paths.filter(\.isObject), fetcher: request.objects, rule: request.walk.candidates,
        isCancelled: { [control] in control.isStopping })
      return { try walker.next() ?? objects.next() }
    case .list(let next): walker = LibraryWalker(options: request.walk, nextRoot: next)
    case .listing(let next): return next
    }
    return { try walker.next() }
  }

  /// Reports roots that have disappeared since they were walked, perhaps with their disk, as missing or unreadable,
  /// because they cannot show which files are missing.
  private func leaveOutLostRoots(
    _ roots: inout [RunRecord.Root], _ scopes: inout [VanishScope]
  ) throws(StoreError) {
    for scope in scopes where !scope.root.isObject && FolderStatus(at: scope.root) == nil {
      roots.removeAll { $0.path == scope.root }
      let state: RootReport.State =
        scope.root.isGone(followingLinks: true) ? .missing : .unreadable("it could be read before")
      try take(RootReport(path: scope.root, state: state), into: &roots, scopes: &scopes)
    }
    scopes.removeAll { scope in !roots.contains { $0.path == scope.root && $0.condition == .scanned } }
  }

  private func flush(_ files: inout [FileStamp], _ skipped: inout [SkippedFile]) throws {
    if let takeWork {
      for case (let file, let work?) in zip(files, try session.work(for: files)) { try takeWork(file, work) }
    } else if !files.isEmpty {
      _ = try session.classify(files)
    }
    if !skipped.isEmpty { try session.skip(skipped) }
    files.removeAll(keepingCapacity: true)
    skipped.removeAll(keepingCapacity: true)
  }

  private func take(
    _ root: RootReport, into roots: inout [RunRecord.Root], scopes: inout [VanishScope]
  ) throws(StoreError) {
    switch root.state {
    case .scanned:
      roots.append(.init(path: root.path, condition: .scanned))
      scopes.append(VanishScope(root: root.path))
    case .single, .alreadyScanned:
      break
    case .missing, .empty, .unreadable:
      let known = try session.knownFileCount(under: root.path)
      let condition: RunRecord.Root.Condition =
        switch root.state {
        case .missing: .missing
        case .empty: .empty
        default: .unreadable
        }
      roots.append(.init(path: root.path, condition: condition))
      if let warning = root.warning {
        let hint = known > 0 ? " (the results of \(counted(known, "file")) are kept)" : ""
        let name = DisplayPath.text(of: root.path)
        // If nothing is known about a path, it may be mistyped.
        let sibling = root.state == .missing && known == 0 ? root.path.nearestSibling : nil
        let text =
          sibling.map { "\(name) does not exist; did you mean \(DisplayPath.text(of: $0))?" }
          ?? "\(name) \(warning)\(hint)."
        report(.notice(text, event: "library_\(condition.rawValue)", path: root.path))
      }
    }
  }
}

extension FilePath {
  /// The path in the same folder with the most similar name; `nil` if none is similar.
  fileprivate var nearestSibling: FilePath? {
    let folder = removingLastComponent()
    guard let name = lastComponent?.string, let listing = try? FolderListing(of: folder, limit: 10_000) else {
      return nil
    }
    let names = listing.entries.compactMap { listing.component($0)?.string }
    return Suggestion.nearest(to: name, in: names).map { folder.appending($0) }
  }
}
