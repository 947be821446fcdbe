internal import Analysis
internal import BuiltInAnalyzers
package import Pipeline
internal import Records
internal import Reporting
internal import ResultStore
package import SystemPackage

/// Implements `analyze run`: analyzes a library, stores the findings and writes reports.
package struct LibraryAnalysis: Sendable {
  package var run: LibraryRun.Request
  /// The database, which is created if it does not exist, except by a dry run.
  package var database: FilePath
  /// Maximum time to wait for another run on the same database.
  package var lockPatience: Duration
  /// The time limit of the run. The next run continues where this one stopped.
  package var timeBudget: Duration?
  package var reports: LibraryReports
  package var failurePolicy: FailurePolicy
  /// `true` to accept a folder that is missing or contains no audio, because the program that started the run handles
  /// such folders.
  package var allowsAbsentRoots: Bool
  /// A verification to perform at the end of the run, with the paths of the run; `nil` for none.
  package var verification: LibraryVerification.Request?

  package init(
    run: LibraryRun.Request, database: FilePath, lockPatience: Duration = .zero, timeBudget: Duration? = nil,
    reports: LibraryReports, failurePolicy: FailurePolicy = .new, allowsAbsentRoots: Bool = false,
    verification: LibraryVerification.Request? = nil
  ) {
    self.run = run
    self.database = database
    self.lockPatience = lockPatience
    self.timeBudget = timeBudget
    self.reports = reports
    self.failurePolicy = failurePolicy
    self.allowsAbsentRoots = allowsAbsentRoots
    self.verification = verification
  }

  package struct Outcome: Sendable {
    package var run: LibraryRun.Outcome
    package var status: ExitStatus
    package var elapsed: Duration
    package var digest: FailureDigest
    /// The outcome of the verification; `nil` if nothing was verified.
    package var verification: LibraryVerification.Outcome?
    package var reports: [LibraryReports.File]
  }

  private var isDryRun: Bool { run.scan.isDryRun }

  /// - Parameters:
  ///   - metrics: The metrics to update during the run, even if this method throws.
  ///   - audience: Selects a digest for people or for programs.
  /// - Throws: `StoreError`, `ScanError`, `ReportError`, or an error if no worker can be started. Committed results
  ///   stay.
  package func perform(
    _ metrics: inout RunMetrics, audience: FailureDigest.Audience = .people, observer: some RunObserver
  ) async throws -> Outcome {
    let resources = OpenResources()
    defer {
      run.isolation.close()
      verification?.isolation.close()
      resources.release()
      metrics.losses = run.isolation.losses
    }
    let work = try prepare(resources, &metrics, observer)
    let outcome = try await work.run.run()
    let verified = try await verify(work, outcome, observer)
    return try conclude(work, outcome, verified, &metrics, audience, observer)
  }

  /// Spends the time left after a finished run verifying the files checked longest ago. Returns `nil` for a dry run, or
  /// if the run was stopped or no verification is requested.
  private func verify(
    _ work: Work, _ outcome: LibraryRun.Outcome, _ observer: some RunObserver
  ) async throws -> LibraryVerification.Outcome? {
    guard let verification, !isDryRun, outcome.state == .finished else { return nil }
    do {
      return try await LibraryVerification(
        store: work.store, run: outcome.runID, request: verification, control: work.control
      ) { event in
        work.progress?.handle(event)
        observer.handle(event)
      }.perform(try FileVerification.plan())
    } catch {
      try? work.run.finish(outcome, exitStatus: ExitStatus.fatal.rawValue)
      throw error
    }
  }

  private func prepare(
    _ resources: OpenResources, _ metrics: inout RunMetrics, _ observer: some RunObserver
  ) throws -> Work {
    let database = try RunDatabase(self.database, isDryRun: isDryRun)
    resources.database = database
    metrics.database = database.path
    if !isDryRun {
      resources.lock = try RunLock.acquire(forDatabase: database.path, waitingAtMost: lockPatience) {
        observer.waits(for: $0)
      }
    }
    let store = try ResultStore(
      path: database.path, findings: BuiltInAnalyzers.findings,
      access: database.isTemporary || !isDryRun ? .readWrite : .readOnly)
    let control = RunControl(limit: timeBudget)
    observer.begins(control)
    let progress = resources.lock.map { SharedProgress($0) }
    let libraryRun = LibraryRun(store: store, request: run, control: control) { event in
      progress?.handle(event)
      observer.handle(event)
    }
    return Work(store: store, run: libraryRun, control: control, progress: progress, start: .now)
  }

  private func conclude(
    _ work: Work, _ runOutcome: LibraryRun.Outcome, _ verified: LibraryVerification.Outcome?,
    _ metrics: inout RunMetrics, _ audience: FailureDigest.Audience, _ observer: some RunObserver
  ) throws -> Outcome {
    var outcome = runOutcome
    metrics.outcome = outcome
    metrics.verification = verified
    let status = observer.interruption ?? status(of: outcome, verified)
    try work.run.finish(outcome, exitStatus: status.rawValue)
    if metrics.path != nil { metrics.figures = try work.store.figures() }
    var files: [LibraryReports.File] = []
    if !isDryRun {
      work.progress?.handle(.began(.report))
      observer.handle(.began(.report))
      do {
        var time = StageTimes()
        files = try time.measure("report") { try reports.write(work.store, run: try work.store.run(outcome.runID)) }
        if run.isProfiled { outcome.stageTimes.add(time) }
      } catch ReportError.closedPipe {
        // The run did not fail: the program that reads standard output has closed it.
        throw ReportError.closedPipe
      } catch {
        try? work.run.finish(outcome, exitStatus: ExitStatus.fatal.rawValue)
        throw error
      }
    }
    let digest = try FailureDigest(
      of: isDryRun ? nil : outcome.runID, in: work.store, for: audience,
      knownFailures: outcome.totals.failed - outcome.newlyFailed,
      knownDamaged: outcome.totals.partial - outcome.newlyDamaged - outcome.unsettled + outcome.scan.knownDamaged,
      losses: run.isolation.losses, pending: outcome.pending, reports: reports.files.map(\.path))
    return Outcome(
      run: outcome, status: status, elapsed: .now - work.start, digest: digest, verification: verified,
      reports: files)
  }

  private func status(of outcome: LibraryRun.Outcome, _ verified: LibraryVerification.Outcome?) -> ExitStatus {
    // The run fails if part of the library was missing, so that the nightly job reports it.
    let isPartMissing = outcome.roots.contains {
      $0.condition == .unreadable || ($0.condition != .scanned && !allowsAbsentRoots)
    }
    if isPartMissing { return .fatal }
    let news = outcome.newlyFailed + outcome.newlyDamaged
    if let verified, failurePolicy.isViolated(by: verified.totals) { return .filesFailed }
    return failurePolicy.isViolated(by: outcome.totals, knownDamaged: outcome.scan.knownDamaged, news: news)
      ? .filesFailed : .fine
  }

  /// A run that is ready to start.
  private struct Work {
    let store: ResultStore
    let run: LibraryRun
    let control: RunControl
    let progress: SharedProgress?
    let start: ContinuousClock.Instant
  }

  /// Resources that are released at the end of a run, even after an error.
  private final class OpenResources {
    var database: RunDatabase?
    var lock: RunLock?

    func release() {
      lock?.release()
      database = nil
    }
  }
}
