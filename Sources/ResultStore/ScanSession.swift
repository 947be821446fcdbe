public import SystemPackage

/// How a scan treats what it knows.
public struct ScanOptions: Hashable, Sendable {
  /// Everything is analyzed again.
  public var force: Bool
  /// Failed files, and files of which an analyzer failed, are tried again although nothing has changed.
  public var retryFailed: Bool
  /// Verdicts only; the database is not written.
  public var isDryRun: Bool

  public init(force: Bool = false, retryFailed: Bool = false, isDryRun: Bool = false) {
    self.force = force
    self.retryFailed = retryFailed
    self.isDryRun = isDryRun
  }
}

/// What a scan has met so far.
public struct ScanCounts: Hashable, Sendable {
  public var cached = 0
  public var knownFailures = 0
  public var skipped = 0
  public var new = 0
  public var changed = 0
  public var outdated = 0
  public var retried = 0
  /// Of all above, those found under another path than before.
  public var moved = 0
  public var vanished = 0

  public var pending: Int { new + changed + outdated + retried }

  public init() {}
}

/// A folder or file that was scanned, and in which what is missing may be taken as gone.
public struct VanishScope: Hashable, Sendable {
  public var root: FilePath
  /// Folders below the root that could not be read: nothing in them counts as gone.
  public var unreadable: [FilePath]

  public init(root: FilePath, unreadable: [FilePath] = []) {
    self.root = root
    self.unreadable = unreadable
  }
}

/// The scan of one run: takes what the walker finds, compares it with what is known, and leaves the list of work in the
/// database. Memory does not grow with the library but for one bit for each file known.
///
/// Calls may come from any thread, one after the other; each blocks until its transaction is done.
public final class ScanSession: Sendable {
  /// - Parameter pathExists: whether something is at this path now (`lstat`). Asked of the old path of what looks like a
  ///   moved file, and before a file is marked as vanished.
  public init(
    store: ResultStore, run: Int64, wanted: WantedAnalyses, options: ScanOptions = ScanOptions(),
    pathExists: @escaping @Sendable (FilePath) -> Bool
  ) {
    fatalError()
  }

  public var counts: ScanCounts { fatalError() }

  /// Compares some files with what is known (a few hundred to a few thousand at a time are best; one transaction).
  ///
  /// A file under a new path that has device, inode, size and modification time of a known one whose old path is gone has
  /// been moved: it keeps its results. A file given twice counts once and gets the same verdict again.
  /// - Returns: one verdict for each file, in order.
  public func classify(_ files: [ScannedFile]) throws(StoreError) -> [ScanVerdict] { fatalError() }

  /// Records files that are passed over; results they may have from earlier are kept for the day they are not.
  public func skip(_ files: [SkippedFile]) throws(StoreError) { fatalError() }

  /// How many files that have not vanished are known at or below a path: to tell an unmounted disk from an empty folder.
  public func knownFileCount(under root: FilePath) throws(StoreError) -> Int { fatalError() }

  /// Marks what is known in these places and was neither classified nor skipped in this session as vanished; its results
  /// stay. To be called after the whole scan, with those roots only that were there and had files. Files that still exist
  /// (outside what the walker was told to look at) are left as they are.
  /// - Returns: how many were marked.
  @discardableResult
  public func markVanished(in scopes: [VanishScope]) throws(StoreError) -> Int { fatalError() }

  /// The files that this scan has found waiting.
  public func makePendingQueue() -> PendingQueue { fatalError() }
}
