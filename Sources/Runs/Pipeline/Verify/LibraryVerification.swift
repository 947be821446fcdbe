public import Analysis
internal import AnalysisEngine
internal import LibraryScan
internal import Platform
public import Records
public import ResultStore
public import SystemPackage
internal import Text

/// Reads known files again, and reports the files whose bytes have changed although their size and times have not, and
/// files that cannot be read.
///
/// The files that were checked longest ago come first. Bytes are read from the disk rather than from the page cache.
/// Only changed files are decoded.
public struct LibraryVerification: Sendable {
  public struct Request: Sendable {
    /// Files and folders; `nil` for the whole library.
    public var roots: [FilePath]?
    /// The share of the bytes to read, from 0 to 1.
    public var share: Double
    /// Number of files that are read at the same time.
    public var jobs: Int
    /// Digests to compute and store in addition to XXH3.
    public var digests: Set<FileChecksum.Kind>
    /// `true` to accept changed files as correct.
    public var accepts: Bool
    /// `true` to ignore the status change time of files.
    public var ignoresStatusChanges: Bool
    /// The process that opens files whose checksum is unknown or has changed.
    public var isolation: LibraryRun.Isolation

    public init(
      roots: [FilePath]? = nil, share: Double = 1, jobs: Int, digests: Set<FileChecksum.Kind> = [],
      accepts: Bool = false, ignoresStatusChanges: Bool = false, isolation: LibraryRun.Isolation = .none
    ) {
      self.roots = roots
      self.share = share
      self.jobs = jobs
      self.digests = digests
      self.accepts = accepts
      self.ignoresStatusChanges = ignoresStatusChanges
      self.isolation = isolation
    }
  }

  /// A file that has changed or cannot be read.
  public struct Trouble: Hashable, Sendable {
    public enum Kind: String, Hashable, Sendable {
      case changedSilently = "changed_silently"
      case unreadable
    }

    public var path: FilePath
    public var kind: Kind
    /// The part of the file that has changed; `nil` for an unreadable file.
    public var hit: StoredChecksum.Hit?
    /// One or more sentences, without the name of the file.
    public var message: String
    /// `true` if no earlier verification has found the same trouble.
    public var isNews: Bool
  }

  /// A folder that is missing or unreadable, or whose disk is missing.
  public struct Loss: Hashable, Sendable {
    public var path: FilePath
    public var condition: RunRecord.Root.Condition
    public var fileCount: Int
  }

  public struct Outcome: Sendable {
    public var totals: VerificationTotals
    /// The troubles, in the order in which they were found; at most `troubleLimit`.
    public var troubles: [Trouble]
    public var losses: [Loss]
    /// `true` if some files were not read because the verification was stopped.
    public var wasStopped: Bool
  }

  /// Maximum number of files that are reported individually.
  public static let troubleLimit = 1_000

  private let store: ResultStore
  private let run: Int64?
  private let request: Request
  private let control: RunControl
  private let report: @Sendable (RunEvent) -> Void
  /// Time after which results are committed, even if there are only a few.
  var maxBatchAge = Duration.seconds(1)

  /// The pipeline for `Request.isolation`. It decodes whole files and compares the result with their own checksums.
  public static let definition = PipelineDefinition(
    name: "verify", decoding: .verified, entries: [PipelineDefinition.Entry(id: "tags")])

  /// - Parameters:
  ///   - run: The run to which this verification belongs.
  ///   - report: Called often and from any thread. It must not block.
  public init(
    store: ResultStore, run: Int64? = nil, request: Request, control: RunControl,
    report: @escaping @Sendable (RunEvent) -> Void
  ) {
    self.store = store
    self.run = run
    self.request = request
    self.control = control
    self.report = report
  }

  /// - Parameter plan: The plan of `definition`.
  /// - Throws: `StoreError`, or an error if no worker can be started. Committed results are kept.
  public func perform(_ plan: AnalysisPlan) async throws -> Outcome {
    let session = try VerificationSession(
      store: store, run: run, roots: request.roots, accepts: request.accepts)
    report(.began(.verify))
    let extent = try session.extent()
    let limit = request.share >= 1 ? Int64.max : Int64((Double(extent.byteCount) * request.share).rounded(.up))
    report(.planned(Int((Double(extent.fileCount) * min(request.share, 1)).rounded(.up))))
    let executor = try ThreadExecutor.forAnalysis(jobs: request.jobs)
    defer { executor.close() }
    let verifier = FileVerifier(
      plan: plan, request: request, control: control)
    var outcome = Outcome(totals: VerificationTotals(), troubles: [], losses: [], wasStopped: false)
    var losses = LostFolders(roots: try roots())
    var waiting: ArraySlice<VerifiableFile> = []
    var finished: [VerifiedFile] = []
    var committed = ContinuousClock.now
    var planned: Int64 = 0

    func next() throws -> VerifiableFile? {
      guard planned < limit else { return nil }
      if waiting.isEmpty { waiting = try session.next(limit: 256)[...] }
      guard let file = waiting.first else { return nil }
      guard !control.isStopping else {
        outcome.wasStopped = true
        return nil
      }
      waiting.removeFirst()
      planned += max(1, file.sizeBytes)
      return file
    }
    func commit() throws {
      try session.commit(finished)
      finished.removeAll(keepingCapacity: true)
      committed = .now
    }

    try await withThrowingTaskGroup(of: Result<VerifiedFile?, WorkerPool.StartFailure>.self) { group in
      func add(_ file: VerifiableFile) {
        group.addTask(executorPreference: executor) {
          report(.started(file.path))
          return Result { () throws(WorkerPool.StartFailure) in try verifier.verify(file) }
        }
      }
      for _ in 0..<executor.threadCount { if let file = try next() { add(file) } }
      while let done = try await group.next() {
        switch done {
        case .success(let file?):
          finished.append(file)
          note(file, &outcome, &losses)
        case .success(nil): outcome.wasStopped = true
        case .failure(let refusal):
          try commit()
          throw refusal
        }
        if finished.count >= 200 || ContinuousClock.now - committed > maxBatchAge { try commit() }
        if let file = try next() { add(file) }
      }
    }
    try commit()
    try session.finish()
    outcome.totals = session.totals
    outcome.losses = losses.folders.map { Loss(path: $0.path, condition: $0.condition, fileCount: $0.fileCount) }
    for loss in losses.folders {
      report(.notice(loss.sentence(notDone: "read"), event: loss.event, path: loss.path))
    }
    return outcome
  }

  /// Returns the folders that are reported if they are missing: the requested folders, or those of the last run.
  private func roots() throws(StoreError) -> [FilePath] {
    if let roots = request.roots { return roots }
    return try store.latestRun()?.roots.map(\.path) ?? []
  }

  private func note(_ result: VerifiedFile, _ outcome: inout Outcome, _ losses: inout LostFolders) {
    let file = result.file
    var trouble: Trouble?
    switch result.outcome {
    case .changed(let found, let change) where !request.accepts:
      trouble = Trouble(
        path: file.path, kind: .changedSilently, hit: change.hit, message: change.message,
        isNews: file.known?.found != found.whole)
    case .unreadable(let reason):
      trouble = Trouble(
        path: file.path, kind: .unreadable, hit: nil, message: reason, isNews: file.known?.state != .unreadable)
    case .missing: losses.add(file.path, device: file.device)
    case .well, .taken, .changed, .leftToScan: break
    }
    if let trouble, outcome.troubles.count < Self.troubleLimit { outcome.troubles.append(trouble) }
    report(.verified(file.path, byteCount: result.byteCount, isBad: trouble != nil))
  }
}
