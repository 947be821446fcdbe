public import Analysis
internal import AnalysisEngine
internal import LibraryScan
internal import Platform
public import Records
public import ResultStore
public import SystemPackage
internal import Text

/// Reads files again that were read before, and says which of them have other bytes under the same size and times.
///
/// The files that were not read for the longest time come first. Bytes are read from the disk, past what the system holds
/// in memory. Nothing is decoded but files that have changed.
public struct LibraryVerification: Sendable {
  public struct Request: Sendable {
    /// Files and folders; `nil` for the whole library.
    public var roots: [FilePath]?
    /// The part of the bytes to read, 0 to 1.
    public var share: Double
    /// Files read at the same time.
    public var jobs: Int
    /// Digests to compute and keep besides XXH3.
    public var digests: Set<FileChecksum.Kind>
    /// Whether to take what has changed for right.
    public var accepts: Bool
    /// Whether to ignore the status change time of files.
    public var ignoresStatusChanges: Bool
    /// Where files are opened whose bytes are not known, or have changed.
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

  /// A file that is not as it should be.
  public struct Trouble: Hashable, Sendable {
    public enum Kind: String, Hashable, Sendable {
      case changedSilently = "changed_silently"
      case unreadable
    }

    public var path: FilePath
    public var kind: Kind
    /// `nil` for a file that cannot be read.
    public var hit: StoredChecksum.Hit?
    /// Sentences, without the file's name.
    public var message: String
    /// No earlier verification has told of it.
    public var isNews: Bool
  }

  /// A folder that is not there, with its disk or altogether.
  public struct Loss: Hashable, Sendable {
    public var path: FilePath
    public var condition: RunRecord.Root.Condition
    public var fileCount: Int
  }

  public struct Outcome: Sendable {
    public var totals: VerificationTotals
    /// In the order in which they were found, at most `troubleLimit`.
    public var troubles: [Trouble]
    public var losses: [Loss]
    /// Files that were to be read, and were not since it was ended early.
    public var wasStopped: Bool
  }

  /// Files that are told one by one.
  public static let troubleLimit = 1_000

  private let store: ResultStore
  private let run: Int64?
  private let request: Request
  private let control: RunControl
  private let report: @Sendable (RunEvent) -> Void

  /// The plan for `Request.isolation`: to decode files to their ends, and compare what comes with their own checksums.
  public static let definition = PipelineDefinition(
    name: "verify", decoding: .verified, entries: [PipelineDefinition.Entry(id: "tags")])

  /// - Parameters:
  ///   - run: The run that this belongs to.
  ///   - report: Called often and from any thread; must not block.
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

  /// - Parameter plan: That of `definition`.
  /// - Throws: `StoreError`, or that no worker can be started; what was committed is kept.
  public func perform(_ plan: AnalysisPlan) async throws -> Outcome {
    let session = try VerificationSession(
      store: store, run: run, roots: request.roots, accepts: request.accepts)
    report(.began(.verify))
    let extent = try session.extent()
    let limit = request.share >= 1 ? Int64.max : Int64((Double(extent.byteCount) * request.share).rounded(.up))
    report(.planned(Int((Double(extent.fileCount) * min(request.share, 1)).rounded(.up))))
    let executor = try ThreadExecutor.forAnalysis(jobs: request.jobs)
    defer { executor.close() }
    let look = VerifyingLook(
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
          return Result { () throws(WorkerPool.StartFailure) in try look.verify(file) }
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
        if finished.count >= 200 || ContinuousClock.now - committed > .seconds(1) { try commit() }
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

  /// Folders whose absence is told: those that were named, or those of the last run.
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
