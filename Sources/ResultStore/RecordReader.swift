public import AudioAnalysis
public import SystemPackage

/// Which files to read, and how much of each.
public struct RecordSelection: Hashable, Sendable {
  /// Files and folders; `nil` for the whole library.
  public var roots: [FilePath]?
  public var statuses: Set<FileRecord.Status>
  /// Files that are gone, too.
  public var includesVanished: Bool
  /// The beat grid of each file.
  public var includesBeats: Bool

  public init(
    roots: [FilePath]? = nil, statuses: Set<FileRecord.Status> = Set(FileRecord.Status.allCases),
    includesVanished: Bool = false, includesBeats: Bool = false
  ) {
    self.roots = roots
    self.statuses = statuses
    self.includesVanished = includesVanished
    self.includesBeats = includesBeats
  }
}

/// What the store knows about a file beside its findings: for `explain`.
public struct FileHistory: Hashable, Sendable {
  /// Waiting for analysis, and why.
  public var pending: PendingReason?
  /// The run that met the file first.
  public var firstSeenRun: Int64
  /// The run that analyzed it last.
  public var analyzedRun: Int64?
  public var analyzed: Timestamp?
  public var decoderVersion: Int?
  public var vanishedRun: Int64?
  /// The run in which it failed first, since it was last fine.
  public var firstFailedRun: Int64?
  /// How many times it was tried and failed, since it was last fine.
  public var failedAttempts: Int
  /// How many runs died while they were at it.
  public var unfinishedAttempts: Int
}

extension ResultStore {
  /// Reads files in library order (bytes of the path) from one snapshot of the database, in constant memory. Files that were
  /// never analyzed (of a run that ended early) are left out.
  /// - Throws: `StoreError`, or what `body` throws.
  public func forEachRecord(
    _ selection: RecordSelection = RecordSelection(), _ body: (FileRecord) throws -> Void
  ) throws { fatalError() }

  /// What is known of one file; `nil` if nothing is.
  public func record(at path: FilePath, includesBeats: Bool = false) throws(StoreError) -> FileRecord? { fatalError() }

  public func history(at path: FilePath) throws(StoreError) -> FileHistory? { fatalError() }

  /// The files of one run that failed and were not failing before, in library order.
  public func newFailures(in run: Int64, limit: Int) throws(StoreError) -> [(path: FilePath, problem: Problem)] {
    fatalError()
  }

  /// Audio that was analyzed before and has this content id, whichever file it was in.
  public func knownAudio(contentID: ContentID) throws(StoreError) -> KnownAudio? { fatalError() }
}
