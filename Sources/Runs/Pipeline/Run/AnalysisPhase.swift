internal import Analysis
internal import AnalysisEngine
internal import LibraryScan
internal import Objects
internal import Platform
internal import ResultStore
internal import Synchronization
internal import SystemPackage
internal import Text

/// Analyzes the files in a queue, up to `jobs` at a time, and stores the results.
struct AnalysisPhase {
  struct Result: Sendable {
    var counts = WriteCounts()
    /// Files that have disappeared since the scan. They are left for the next run.
    var gone: [PendingFile] = []
    /// Number of files that were being written. They are left for the next run.
    var postponed = 0
    /// Total duration of the decoded audio, in seconds.
    var audioDuration = 0.0
    var stageTimes = StageTimes()
    /// The reason no further files could be analyzed.
    var refusal: WorkerPool.StartFailure?
  }

  private struct Finished: Sendable {
    var file: PendingFile
    var ending: Swift.Result<Supervision.Ending, WorkerPool.StartFailure>
  }

  /// A file that has changed since the scan, and within this period before it is opened, counts as still being written.
  /// Copying programs write every few milliseconds, but networks and full buffers delay them.
  private static let writingPause = Duration.seconds(10)

  let store: ResultStore
  let run: Int64
  let queue: PendingQueue
  let plan: AnalysisPlan
  let jobs: Int
  let timeLimit: TimeLimit
  let isolation: LibraryRun.Isolation
  let isForced: Bool
  let isProfiled: Bool
  /// Digests to store for each file in addition to XXH3.
  let digests: Set<FileChecksum.Kind>
  let objects: ObjectFetcher?
  let control: RunControl
  let report: @Sendable (RunEvent) -> Void

  func analyze() async throws -> Result {
    let writer = ResultWriter(store: store, run: run, wanted: plan.wanted)
    let buffer = CommitBuffer(writer: writer)
    let executor = try ThreadExecutor.forAnalysis(jobs: self.jobs)
    defer { executor.close() }
    let jobs = executor.threadCount
    if let shortage = executor.shortage {
      report(
        .notice("only \(jobs) of \(self.jobs) files are analyzed at the same time: \(shortage)", event: "fewer_jobs"))
    }
    let ticker = try Ticker(every: .seconds(1)) { buffer.commitByTheClock() }
    defer { ticker.stop() }

    let supervision = Supervision(plan: plan, timeLimit: timeLimit, isolation: isolation)
    var waiting: ArraySlice<PendingFile> = []
    var refused: [Int64] = []
    var result = Result()
    var failures = AnalyzerFailures()

    func next() throws -> PendingFile? {
      guard !control.isStopping, result.refusal == nil else { return nil }
      if waiting.isEmpty { waiting = Self.inOrderOfWork(try queue.next(limit: max(64, 4 * jobs)))[...] }
      return waiting.popFirst()
    }

    try await withThrowingTaskGroup(of: Finished.self) { group in
      func add(_ file: PendingFile) {
        group.addTask(executorPreference: executor) {
          Finished(file: file, ending: analyze(file, with: supervision))
        }
      }
      for _ in 0..<jobs { if let file = try next() { add(file) } }
      while let done = try await group.next() {
        switch done.ending {
        case .success(.analyzed(let analysis)):
          failures.count(analysis)
          try buffer.add(FileResult(fileID: done.file.fileID, analysis: analysis))
          let duration = analysis.decodedDuration ?? 0
          result.audioDuration += duration
          if let times = analysis.stageTimes { result.stageTimes.add(times) }
          report(
            .finished(done.file.path, status: analysis.status, problem: analysis.problem, audioDuration: duration))
        case .success(.postponed):
          let reason = SkipReason.stillChanging
          try queue.postpone(done.file.fileID, code: reason.rawValue, message: reason.sentence)
          result.postponed += 1
        case .success(.givenUp):
          result.gone.append(done.file)
        case .failure(let refusal):
          // The results of the other workers are stored before the run ends.
          result.refusal = refusal
          refused.append(done.file.fileID)
        }
        if let file = try next() { add(file) }
      }
    }
    ticker.stop()
    try buffer.commit()
    if isProfiled { result.stageTimes.add(buffer.storeTime) }
    try queue.release(result.gone.map(\.fileID) + refused + waiting.map(\.fileID))
    // After a stop request, files that still exist are also given up, so `gone` does not show that files are missing.
    if control.isStopping { result.gone = [] }
    result.counts = writer.counts
    if result.refusal == nil, case .workers(let pool) = isolation, let shortage = pool.shortage {
      report(.notice("files had to wait for a free worker: \(shortage)", event: "fewer_jobs"))
    }
    for sentence in failures.sentences { report(.notice(sentence, event: "analyzer_failing")) }
    return result
  }

  /// Sorts the largest files first, so that the last jobs are short. Files on which an earlier run or worker died come
  /// last.
  static func inOrderOfWork(_ files: [PendingFile]) -> [PendingFile] {
    func isSuspect(_ file: PendingFile) -> Int { file.unfinishedAttempts > 0 ? 1 : 0 }
    return files.sorted { (isSuspect($0), -$0.sizeBytes) < (isSuspect($1), -$1.sizeBytes) }
  }

  /// Analyzes a file, on a thread of the executor.
  private func analyze(
    _ file: PendingFile, with supervision: Supervision
  ) -> Swift.Result<Supervision.Ending, WorkerPool.StartFailure> {
    report(.started(file.path))
    if file.path.isObject, let address = try? ObjectAddress(uri: file.path.uri.utf8) {
      return analyze(address, of: file, with: supervision)
    }
    // If a file has disappeared since the scan, perhaps with its disk, that is not a failure. The next scan looks for
    // the file again.
    guard let before = LibraryScan.ScannedFile(lookingAt: file.path) else { return .success(.givenUp) }
    let isAsScanned = before.size == file.sizeBytes && before.modified == file.modified
    // A replaced file is usually complete, because most programs write to another name first. If it is still growing,
    // reading it will show that.
    let isReplaced = before.device != file.device || before.inode != file.inode
    if !isAsScanned && !isReplaced && before.hasChanged(within: Self.writingPause) { return .success(.postponed) }
    return analyze(before, of: file, isAsScanned: isAsScanned, with: supervision)
  }

  /// Fetches an object, analyzes it, and removes the local file. If the object cannot be fetched, the next run tries
  /// again.
  private func analyze(
    _ address: ObjectAddress, of file: PendingFile, with supervision: Supervision
  ) -> Swift.Result<Supervision.Ending, WorkerPool.StartFailure> {
    let object: FetchedObject?
    do throws(FetchFailure) {
      guard let objects else { return .success(.givenUp) }
      object = try objects.fetch(address, isCancelled: { control.mustAbandon })
    } catch {
      switch error.code {
      case .notFound: return .success(.givenUp)
      case .changed: return .success(.postponed)
      default:
        let problem = Problem(stage: .open, code: DecodeError.Code.unreadable.rawValue, message: error.message)
        return .success(.analyzed(FileAnalysis(status: .failed, problem: problem)))
      }
    }
    guard let object, let found = LibraryScan.ScannedFile(lookingAt: object.path) else { return .success(.givenUp) }
    let now = LibraryScan.ScannedFile(address.name, object)
    let isAsScanned =
      now.size == file.sizeBytes
      && (now.inode != 0 && file.inode != 0 ? now.inode == file.inode : now.modified.seconds == file.modified.seconds)
    return withExtendedLifetime(object) {
      analyze(found, of: file, isAsScanned: isAsScanned, with: supervision)
    }
  }

  /// - Parameter found: The local file to read.
  private func analyze(
    _ found: LibraryScan.ScannedFile, of file: PendingFile, isAsScanned: Bool, with supervision: Supervision
  ) -> Swift.Result<Supervision.Ending, WorkerPool.StartFailure> {
    let findAudio = { (id: ContentID) -> KnownAudio? in
      // If the store fails, the file is decoded.
      trustsResults(of: file) ? try? store.knownAudio(decodingID: id) : nil
    }
    return Swift.Result { () throws(WorkerPool.StartFailure) in
      try supervision.analyze(
        found, job: { job(for: file, at: found.path, isAsScanned: isAsScanned, timeLimit: $0) },
        isCancelled: { control.mustAbandon }, findAudio: findAudio)
    }
  }

  /// Creates the job for a file, with what is already known about the file.
  private func job(for file: PendingFile, at path: FilePath, isAsScanned: Bool, timeLimit: TimeLimit) -> AnalysisJob {
    var job = AnalysisJob(path: path, timeLimit: timeLimit, isProfiled: isProfiled)
    job.digests = digests
    guard trustsResults(of: file) else { return job }
    if file.reason == .outdated, isAsScanned {
      job.analyzers = Set(plan.plugins.map(\.identity).filter { !file.known.contains($0) }.map(\.id))
    }
    job.knownAudio = file.knownAudio
    return job
  }

  /// Returns `false` for a retry, which does not trust failed results, and for `--force`, which does not trust any
  /// results.
  private func trustsResults(of file: PendingFile) -> Bool {
    file.reason != .retry && !isForced
  }
}

/// Counts how often analyzers fail on files that could be decoded. The cause is often a missing program, which would
/// otherwise go unnoticed.
private struct AnalyzerFailures {
  private var counts: [String: Int] = [:]
  private var firstReasons: [String: String] = [:]

  mutating func count(_ analysis: FileAnalysis) {
    guard analysis.status != .failed else { return }
    for outcome in analysis.outcomes {
      guard case .failed(let reason) = outcome.result else { continue }
      counts[outcome.analyzer.id, default: 0] += 1
      if firstReasons[outcome.analyzer.id] == nil {
        firstReasons[outcome.analyzer.id] = reason.hasSuffix(".") ? String(reason.dropLast()) : reason
      }
    }
  }

  var sentences: [String] {
    counts.sorted { $0.key < $1.key }.map { id, count in
      "the analyzer \(id) failed on \(counted(count, "file")); first reason: \(firstReasons[id] ?? "")"
    }
  }
}

/// Collects results, and stores them in one transaction when there are 200, and once a second.
private final class CommitBuffer: Sendable {
  private struct State {
    var results: [FileResult] = []
    /// The error of the last timed commit. The next call throws it.
    var failure: StoreError?
    var time = StageTimes()
  }

  private static let batchSize = 200

  private let writer: ResultWriter
  private let state = Mutex(State())

  init(writer: ResultWriter) {
    self.writer = writer
  }

  func add(_ result: FileResult) throws(StoreError) {
    try state.withLock { (state) throws(StoreError) in
      if let failure = state.failure { throw failure }
      state.results.append(result)
      if state.results.count >= Self.batchSize { try commit(&state) }
    }
  }

  var storeTime: StageTimes { state.withLock { $0.time } }

  func commit() throws(StoreError) {
    try state.withLock { (state) throws(StoreError) in try commit(&state) }
  }

  func commitByTheClock() {
    state.withLock { state in
      do throws(StoreError) { try commit(&state) } catch { state.failure = error }
    }
  }

  private func commit(_ state: inout State) throws(StoreError) {
    if let failure = state.failure { throw failure }
    guard !state.results.isEmpty else { return }
    try state.time.measure("store") { [results = state.results] () throws(StoreError) in try writer.commit(results) }
    state.results.removeAll(keepingCapacity: true)
  }
}
