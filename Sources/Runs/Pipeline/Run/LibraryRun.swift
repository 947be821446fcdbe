public import Analysis
public import AnalysisEngine
public import LibraryScan
public import Objects
internal import Platform
public import Records
public import ResultStore
public import SystemPackage
internal import Text

/// One run over a library. It scans the library, analyzes new and changed files, and marks missing files as vanished.
///
/// The work list is in the database, not in memory. So memory use does not depend on the number of files, and after an
/// interruption, the next run continues where this one stopped.
public struct LibraryRun: Sendable {
  public struct Request: Sendable {
    public var roots: Roots
    public var walk: LibraryWalker.Options
    public var scan: ScanOptions
    public var plan: AnalysisPlan
    /// Number of files that are analyzed at the same time.
    public var jobs: Int
    /// Time limit for one file.
    public var timeLimit: TimeLimit
    public var isolation: Isolation
    public var programVersion: String
    /// `true` to ignore the status change time (`ctime`) of files.
    public var ignoresStatusChanges: Bool
    /// `true` to measure the time of each stage.
    public var isProfiled: Bool
    /// Digests of files to store in addition to XXH3.
    public var digests: Set<FileChecksum.Kind>
    /// The fetcher that lists and fetches objects; `nil` to report roots that are objects as unreadable.
    public var objects: ObjectFetcher?

    public init(
      roots: Roots, walk: LibraryWalker.Options = .init(), scan: ScanOptions = .init(), plan: AnalysisPlan, jobs: Int,
      timeLimit: TimeLimit = .standard, isolation: Isolation = .none, programVersion: String,
      ignoresStatusChanges: Bool = false, isProfiled: Bool = false, digests: Set<FileChecksum.Kind> = [],
      objects: ObjectFetcher? = nil
    ) {
      self.roots = roots
      self.walk = walk
      self.scan = scan
      self.plan = plan
      self.jobs = jobs
      self.timeLimit = timeLimit
      self.isolation = isolation
      self.programVersion = programVersion
      self.ignoresStatusChanges = ignoresStatusChanges
      self.isProfiled = isProfiled
      self.digests = digests
      self.objects = objects
    }
  }

  /// The process in which files are analyzed.
  public enum Isolation: Sendable {
    /// Files are analyzed in this process. A file that crashes a decoder ends the run.
    case none
    case workers(WorkerPool)

    /// Number of workers that have been lost so far, by the kind of loss.
    public var losses: [WorkerLoss: Int] { if case .workers(let pool) = self { pool.losses } else { [:] } }

    /// Ends idle workers, and waits for them to exit.
    public func close() {
      if case .workers(let pool) = self { pool.close() }
    }
  }

  public enum Roots: Sendable {
    case paths([FilePath])
    /// A list that is read once, during the scan. Each entry is a path.
    case list(@Sendable () throws(ScanError) -> FilePath?)
    /// Files that were listed elsewhere. They are valid only for plans, which do not open any files.
    case listing(@Sendable () throws -> LibraryWalker.Entry?)
  }

  public struct Outcome: Sendable {
    /// The id of the run; 0 for a dry run, which is not recorded.
    public var runID: Int64
    public var state: RunRecord.State
    public var roots: [RunRecord.Root]
    public var totals: RunTotals
    public var newlyFailed: Int
    /// Number of damaged files that were not yet known to be damaged or failing.
    public var newlyDamaged: Int
    /// See `WriteCounts.unsettled`.
    public var unsettled: Int
    /// Number of files that are left for the next run.
    public var pending: Int
    /// Number of files that were skipped because they were still being written. The next run will analyze them.
    public var stillChanging: Int
    public var scan: ScanCounts
    /// Number of files that were not decoded because their audio was known.
    public var reused: Int
    /// Total duration of the decoded audio, in seconds.
    public var audioDuration: Double
    /// The times of the stages; empty unless requested.
    public var stageTimes: StageTimes
  }

  private let store: ResultStore
  private let request: Request
  private let control: RunControl
  private let report: @Sendable (RunEvent) -> Void

  /// - Parameter report: Called often and from any thread. It must not block.
  public init(
    store: ResultStore, request: Request, control: RunControl, report: @escaping @Sendable (RunEvent) -> Void
  ) {
    self.store = store
    self.request = request
    self.control = control
    self.report = report
  }

  /// - Throws: `StoreError`, `ScanError`, `ResourceError` or `WorkerPool.StartFailure` if the run as a whole cannot
  ///   continue. Committed results are kept.
  public func run() async throws -> Outcome {
    let runID = request.scan.isDryRun ? 0 : try begin()
    var scanned = ScanPhase.Result()
    var scanTime = StageTimes()
    do {
      report(.began(.scan))
      let session = makeSession(runID)
      scanned = try scanTime.measure("scan") {
        try ScanPhase(session: session, request: request, control: control, report: report).run()
      }
      if request.scan.isDryRun { return outcome(runID, .finished, scanned, AnalysisPhase.Result()) }

      report(.began(.analyze))
      report(.planned(session.counts.pending))
      let phase = AnalysisPhase(
        store: store, run: runID, queue: session.makePendingQueue(), plan: request.plan, jobs: request.jobs,
        timeLimit: request.timeLimit, isolation: request.isolation, isForced: request.scan.force,
        isProfiled: request.isProfiled, digests: request.digests, objects: request.objects, control: control,
        report: report)
      var analyzed = try await phase.analyze()
      if request.isProfiled { analyzed.stageTimes.add(scanTime) }
      scanned.roots = judge(gone: analyzed.gone, in: scanned.roots)
      guard let refusal = analyzed.refusal else {
        return outcome(runID, control.isStopping ? .interrupted : .finished, scanned, analyzed)
      }
      let outcome = outcome(runID, .failed, scanned, analyzed)
      try store.finishRun(
        runID, state: .failed, exitStatus: nil, roots: outcome.roots, totals: outcome.totals,
        newlyFailed: outcome.newlyFailed, newlyDamaged: outcome.newlyDamaged, pending: outcome.pending)
      throw refusal
    } catch let refusal as WorkerPool.StartFailure {
      throw refusal
    } catch {
      // The run failed. Its record shows that, unless the database itself failed.
      try? store.finishRun(
        runID, state: .failed, exitStatus: nil, roots: scanned.roots, totals: RunTotals(), newlyFailed: 0,
        newlyDamaged: 0, pending: 0)
      throw error
    }
  }

  /// Plans a run by scanning in the same way as a dry run.
  /// - Parameter take: Called once for each file that needs work, in the order in which the files are found.
  public func plan(_ take: (FileStamp, FileWork) throws -> Void) throws -> (counts: ScanCounts, roots: [RunRecord.Root])
  {
    precondition(request.scan.isDryRun)
    return try withoutActuallyEscaping(take) { take in
      let session = makeSession(0)
      let scanned = try ScanPhase(
        session: session, request: request, control: control, report: report, takeWork: take
      ).run()
      return (scanned.counts, scanned.roots)
    }
  }

  private func makeSession(_ runID: Int64) -> ScanSession {
    ScanSession(
      store: store, run: runID, wanted: request.plan.wanted, options: request.scan, pathExists: { !$0.isGone() },
      folderAt: { path in FolderStatus(at: path).map { (Int64(bitPattern: $0.device), $0.isEmpty) } })
  }

  /// Completes the record of a run by adding the exit status of the process.
  public func finish(_ outcome: Outcome, exitStatus: Int32) throws(StoreError) {
    guard !request.scan.isDryRun else { return }
    try store.finishRun(
      outcome.runID, state: outcome.state, exitStatus: Int(exitStatus), roots: outcome.roots, totals: outcome.totals,
      newlyFailed: outcome.newlyFailed, newlyDamaged: outcome.newlyDamaged, pending: outcome.pending)
  }

  /// Reports files that have disappeared since the scan.
  /// - Returns: The roots, and the folders that were lost during the run, with their conditions.
  private func judge(gone: [PendingFile], in roots: [RunRecord.Root]) -> [RunRecord.Root] {
    var losses = LostFolders(roots: roots.filter { $0.condition == .scanned }.map(\.path))
    for file in gone where !file.path.isObject { losses.add(file.path, device: file.device) }
    for (count, noun) in [(losses.otherFiles, "file"), (gone.count { $0.path.isObject }, "object")] where count > 0 {
      report(
        .notice(
          "\(counted(count, noun)) \(count == 1 ? "has" : "have") disappeared since the scan; the next run checks again",
          event: "files_gone"))
    }
    var roots = roots
    for loss in losses.folders {
      roots.removeAll { $0.path == loss.path }
      roots.append(.init(path: loss.path, condition: loss.condition))
      report(.notice(loss.sentence, event: loss.event, path: loss.path))
    }
    return roots
  }

  private func begin() throws(StoreError) -> Int64 {
    var roots: [RunRecord.Root] = []
    if case .paths(let paths) = request.roots {
      roots = paths.map { RunRecord.Root(path: $0, condition: .scanned) }
    }
    return try store.beginRun(
      programVersion: request.programVersion, pipeline: request.plan.name, configuration: request.plan.configuration,
      configurationDigest: request.plan.digest.description, analyzers: request.plan.plugins.map(\.identity),
      roots: roots)
  }

  private func outcome(
    _ runID: Int64, _ state: RunRecord.State, _ scanned: ScanPhase.Result, _ analyzed: AnalysisPhase.Result
  ) -> Outcome {
    let totals = RunTotals(
      analyzed: analyzed.counts.analyzed, partial: analyzed.counts.partial, cached: scanned.counts.cached,
      failed: analyzed.counts.failed + scanned.counts.knownFailures + scanned.counts.newFailures,
      skipped: scanned.counts.skipped + analyzed.postponed, vanished: scanned.counts.vanished)
    return Outcome(
      runID: runID, state: state, roots: scanned.roots, totals: totals,
      newlyFailed: analyzed.counts.newlyFailed + scanned.counts.newFailures,
      newlyDamaged: analyzed.counts.newlyDamaged, unsettled: analyzed.counts.unsettled,
      pending: scanned.counts.pending - analyzed.counts.all - analyzed.postponed,
      stillChanging: scanned.stillChanging + analyzed.postponed, scan: scanned.counts,
      reused: analyzed.counts.reused, audioDuration: analyzed.audioDuration, stageTimes: analyzed.stageTimes)
  }
}
