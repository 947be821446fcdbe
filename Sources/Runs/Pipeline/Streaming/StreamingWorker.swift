public import Analysis
public import AnalysisEngine
public import LibraryScan
public import Objects
internal import Platform
public import Records
internal import ResultStore
internal import Synchronization
public import SystemPackage

/// Implements `analyze worker`. Each line of input names a file, which the worker analyzes before it answers the line.
/// There is no store, so any number of workers on any machines can share a list.
public final class StreamingWorker: Sendable {
  public struct Request: Sendable {
    public var plan: AnalysisPlan
    /// Number of threads, each of which reads a line, analyzes its file, and answers.
    public var jobs: Int
    /// The time limit for one file.
    public var timeLimit: TimeLimit
    /// Digests to compute for each file in addition to XXH3.
    public var digests: Set<FileChecksum.Kind>
    public var isolation: LibraryRun.Isolation
    /// Options of the walk, such as the names that count as audio.
    public var walk: LibraryWalker.Options
    /// The shard whose lines are handled; `nil` for all lines.
    public var shard: Shard?
    /// The separator between input lines.
    public var separator: UInt8
    /// The base of relative paths.
    public var workingFolder: FilePath
    public var objects: ObjectFetcher
    public var programVersion: String

    public init(
      plan: AnalysisPlan, jobs: Int, timeLimit: TimeLimit = .standard, digests: Set<FileChecksum.Kind> = [],
      isolation: LibraryRun.Isolation, walk: LibraryWalker.Options = .init(), shard: Shard? = nil,
      separator: UInt8 = 0x0A, workingFolder: FilePath, objects: ObjectFetcher, programVersion: String
    ) {
      self.plan = plan
      self.jobs = jobs
      self.timeLimit = timeLimit
      self.digests = digests
      self.isolation = isolation
      self.walk = walk
      self.shard = shard
      self.separator = separator
      self.workingFolder = workingFolder
      self.objects = objects
      self.programVersion = programVersion
    }
  }

  /// The number of lines with each outcome.
  public struct Counts: Hashable, Sendable {
    public var answered: [WorkerRecord.Status: Int] = [:]
    /// Number of lines that belong to other shards.
    public var others = 0
    /// Number of lines that were abandoned because the worker was stopping. A program that is waiting for their answers
    /// must repeat the requests.
    public var unanswered = 0
  }

  private struct Input: ~Copyable {
    var lines: LineReader
  }

  private let request: Request
  private let control: RunControl
  private let supervision: Supervision
  private let pipeline: WorkerRecord.Pipeline
  private let input: Mutex<Input>
  private let state = Mutex((counts: Counts(), hasFailed: false))
  private let answer: @Sendable (WorkerRecord) throws -> Void

  /// - Parameter answer: Called on several threads at once.
  public init(
    _ request: Request, reading input: FileDescriptor, control: RunControl,
    answer: @escaping @Sendable (WorkerRecord) throws -> Void
  ) {
    self.request = request
    self.control = control
    self.answer = answer
    supervision = Supervision(plan: request.plan, timeLimit: request.timeLimit, isolation: request.isolation)
    let wanted = request.plan.wanted
    pipeline = WorkerRecord.Pipeline(
      name: request.plan.name, digest: request.plan.digest.description, decoderVersion: wanted.decoderVersion,
      analyzers: wanted.members.map(\.identity),
      audioReaders: Set(wanted.members.filter(\.readsAudio).map(\.identity.id)))
    self.input = Mutex(Input(lines: LineReader(reading: input, separator: request.separator, limit: Self.lineLimit)))
  }

  /// Maximum length of a line in bytes: ten times the longest possible path, percent-encoded.
  private static let lineLimit = 1 << 17

  /// Handles lines until the input ends or `control` requests a stop.
  ///
  /// - Throws: Errors that `answer` throws, or an error if no worker process can be started or the input cannot be
  ///   read. Errors that concern a single file are never thrown.
  public func run() async throws -> Counts {
    let executor = try ThreadExecutor.forAnalysis(jobs: request.jobs)
    defer { executor.close() }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<executor.threadCount {
        group.addTask(executorPreference: executor) { [self] in
          do {
            while let request = try nextRequest() { try take(request) }
          } catch {
            // Stops the other threads, which may be waiting for input or busy with a long file.
            state.withLock { $0.hasFailed = true }
            throw error
          }
        }
      }
      try await group.waitForAll()
    }
    return state.withLock { $0.counts }
  }

  private var hasFailed: Bool { state.withLock { $0.hasFailed } }

  /// Returns the next line of the shard; `nil` at the end or after a stop request. One thread waits for input, and the
  /// others wait for that thread.
  private func nextRequest() throws -> FileRequest? {
    try input.withLock { input in
      while let line = try input.lines.next(shouldContinue: { !control.isStopping && !hasFailed }) {
        // After a stop request, no more work is started, even on lines that have already been read.
        if control.isStopping || hasFailed { return nil }
        let request =
          switch line {
          case .text(let bytes): FileRequest(line: bytes, workingFolder: self.request.workingFolder)
          case .tooLong(let sample): FileRequest(tooLong: sample)
          }
        if self.request.shard?.contains(request.keyBytes) ?? true { return request }
        state.withLock { $0.counts.others += 1 }
      }
      return nil
    }
  }

  private func take(_ request: FileRequest) throws {
    guard let record = try record(for: request) else {
      state.withLock { $0.counts.unanswered += 1 }
      return
    }
    try answer(record)
    state.withLock { $0.counts.answered[record.status, default: 0] += 1 }
  }

  /// - Returns: `nil` if the work was abandoned.
  private func record(for request: FileRequest) throws -> WorkerRecord? {
    var record = WorkerRecord(
      key: request.key, status: .failed, programVersion: self.request.programVersion, pipeline: pipeline)
    switch request.target {
    case .failure(let refusal):
      record.problem = Problem(stage: .scan, code: refusal.code, message: refusal.message)
    case .success(.file(let path)): return try analyze(path, &record) ? record : nil
    case .success(.object(let address)): return try analyze(address, &record) ? record : nil
    }
    return record
  }

  private func job(for path: FilePath, timeLimit: TimeLimit) -> AnalysisJob {
    var job = AnalysisJob(path: path, timeLimit: timeLimit)
    job.digests = request.digests
    return job
  }

  private var isAbandoned: Bool { control.mustAbandon || hasFailed }

  /// - Returns: `false` if the work was abandoned.
  private func analyze(_ path: FilePath, _ record: inout WorkerRecord) throws -> Bool {
    switch LibraryWalker.look(at: path, options: request.walk) {
    case .unreachable(let reason):
      record.note(path, .failed, Problem(stage: .open, code: "unreadable", message: reason))
    case .skipped(let entry):
      record.note(path, .skipped, Problem(stage: .scan, code: entry.reason.rawValue, message: entry.message))
    case .folder:
      record.status = .skipped
      record.problem = Problem(stage: .scan, code: "folder", message: "A folder; name the files in it.")
    case .file(let file): return try analyze(file, as: file, tag: nil, &record)
    }
    return true
  }

  /// Analyzes an object in a temporary file.
  private func analyze(_ address: ObjectAddress, _ record: inout WorkerRecord) throws -> Bool {
    let name = address.name
    if let reason = request.walk.candidates.reasonToSkip(fileNamed: name.fileName) {
      record.note(name.path, .skipped, Problem(stage: .scan, code: reason.rawValue, message: reason.sentence))
      return true
    }
    let object: FetchedObject?
    do throws(FetchFailure) {
      object = try request.objects.fetch(address, isCancelled: { isAbandoned })
    } catch {
      record.note(name.path, .failed, Problem(stage: .open, code: error.code.rawValue, message: error.message))
      return true
    }
    guard let object else { return false }
    return try withExtendedLifetime(object) {
      guard let file = ScannedFile(lookingAt: object.path) else {
        let problem = Problem(
          stage: .open, code: "unreadable", message: "Its file in TMPDIR was removed by another program.")
        record.note(name.path, .failed, problem)
        return true
      }
      return try analyze(file, as: ScannedFile(name, object), tag: object.version.entityTag, &record)
    }
  }

  /// - Parameters:
  ///   - file: The file to read.
  ///   - shown: The file to name in the record.
  private func analyze(
    _ file: ScannedFile, as shown: ScannedFile, tag: String?, _ record: inout WorkerRecord
  ) throws -> Bool {
    let ending = try supervision.analyze(
      file, job: { job(for: file.path, timeLimit: $0) }, isCancelled: { isAbandoned })
    switch ending {
    case .analyzed(let analysis):
      record.note(shown, analysis)
      record.stamp?.entityTag = tag
    case .postponed:
      let reason = SkipReason.stillChanging
      record.note(shown.path, .skipped, Problem(stage: .scan, code: reason.rawValue, message: reason.sentence))
    case .givenUp where isAbandoned:
      return false
    case .givenUp:
      record.note(
        shown.path, .failed,
        Problem(stage: .open, code: "unreadable", message: "The file was removed before it could be read."))
    }
    return true
  }
}

extension WorkerRecord {
  fileprivate mutating func note(_ path: FilePath, _ status: FileRecord.Status, _ problem: Problem) {
    self.status = status == .skipped ? .skipped : .failed
    self.problem = problem
    file = FileRecord(path: path, status: status, problem: problem)
  }

  fileprivate mutating func note(_ scanned: ScannedFile, _ analysis: FileAnalysis) {
    status = Status(analysis)
    problem = analysis.problem
    file = FileRecord(
      path: scanned.path, sizeBytes: scanned.size, modified: scanned.modified, analyzed: analyzed, analysis: analysis)
    stamp = Stamp(
      device: scanned.device, inode: scanned.inode, sizeBytes: scanned.size, modified: scanned.modified,
      statusChanged: scanned.statusChanged)
    self.analysis = analysis
  }
}
