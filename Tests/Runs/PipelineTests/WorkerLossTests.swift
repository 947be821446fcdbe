import Analysis
import AnalysisEngine
import AnalysisTesting
import DSP
import Dispatch
import Foundation
import Glibc
import Platform
import Synchronization
import SystemPackage
import Testing
import Text

@testable import Pipeline

/// Starts, losses and replacements of worker processes, which are shell scripts here.
@Suite(.bounded) struct WorkerLossTests {
  private static let plan = AnalysisPlan(name: "none", plugins: [], resampler: .soxr)
  private static let job = AnalysisJob(path: "/a")
  private static let ready = #"echo '{"ready": true}'"#
  private static let decoding = #"echo '{"stage": "decode"}'"#
  private static let answer =
    #"echo '{"result": {"status": "ok", "remarks": [], "reuses_known_audio": false, "outcomes": []}}'"#
  private static let healthy = "\(ready); while read -r line; do \(answer); done"

  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  /// A pool whose workers note their start in the file `starts`. The folder is `$1`.
  private func pool(_ script: String, plan: AnalysisPlan = plan) -> WorkerPool {
    WorkerPool(
      arguments: ["sh", "-c", #"echo $$ >> "$1/starts"; "# + script, "sh", folder.path.string], plan: plan, kinds: [])
  }

  /// A script for the first worker, and one for all later ones.
  private static func first(_ script: String, then later: String) -> String {
    #"if mkdir "$1/begun" 2>&-; then \#(script); exit; fi; \#(later)"#
  }

  private func text(_ name: String) throws -> String {
    String(decoding: try SmallFile.read(folder.file(name), limit: 1 << 20), as: UTF8.self)
  }

  private var startCount: Int { get throws { try text("starts").split(separator: "\n").count } }

  private func analyze(_ pool: WorkerPool, _ job: AnalysisJob = job) throws -> FileAnalysis {
    try #require(try pool.analyze(job, isCancelled: { false }))
  }

  // MARK: - Healthy workers

  /// One worker gets the jobs one after another, a line each. It leads a session, so that its programs end with it.
  @Test func oneWorkerTakesOneJobAfterAnother() throws {
    let pool = pool(
      #"cut -d' ' -f6 /proc/$$/stat > "$1/session"; \#(Self.ready); "#
        + #"while read -r line; do printf '%s\n' "$line" >> "$1/jobs"; \#(Self.answer); done"#)
    let jobs = ["/a", "/b c", "/d"].map { path in
      AnalysisJob(path: FilePath(path), analyzers: ["x"], timeLimit: TimeLimit(seconds: 60), isProfiled: true)
    }
    for job in jobs { #expect(try analyze(pool, job).status == .ok) }
    #expect(try startCount == 1)
    let found = try text("jobs").split(separator: "\n").map { try WorkerLine.decoded($0.utf8, as: AnalysisJob.self) }
    #expect(found == jobs)
    #expect(try text("session") == text("starts"))
    #expect(pool.losses.isEmpty)
    #expect(pool.shortage == nil)
  }

  @Test func oneFileIsAnalyzedInAWorker() throws {
    let isolation = LibraryRun.Isolation.workers(pool(Self.healthy))
    defer { isolation.close() }
    let analyzer = Self.plan.makeFileAnalyzer()
    #expect(try isolation.analysis(of: AnalysisJob(path: folder.file("none")), by: analyzer)?.status == .ok)
    let alone = try LibraryRun.Isolation.none.analysis(of: AnalysisJob(path: folder.file("none")), by: analyzer)
    #expect(alone?.status == .failed)
  }

  /// The worker of a canceled file is in an unknown state and is not used again.
  @Test func theWorkerOfACanceledFileIsReplaced() throws {
    let pool = pool(
      Self.first("\(Self.ready); read -r line; : > \"$1/busy\"; read -r line; exit 3", then: Self.healthy))
    let busy = folder.file("busy")
    #expect(try pool.analyze(Self.job, isCancelled: { busy.exists }) == nil)
    #expect(try analyze(pool).status == .ok)
    #expect(try startCount == 2)
    #expect(pool.losses.isEmpty)
  }

  // MARK: - Losses

  /// The end of the first worker, whether another one repeats the analysis, and how the loss is counted.
  @Test(
    arguments: [
      // A killed worker was probably killed because memory was low.
      ("\(decoding); kill -KILL $$", true, .signal(9), .decode),
      // A worker without any answer was lost before the job.
      ("kill -KILL $$", true, .signal(9), .open), ("exit 3", true, .exit(status: 3), .open),
      ("kill -SEGV $$", true, .signal(11), .open),
      // Any other end is due to the file.
      ("\(decoding); exit 3", false, .exit(status: 3), .decode),
      ("\(decoding); exit 0", false, .exit(status: 0), .decode),
      ("\(decoding); kill -SEGV $$", false, .signal(11), .decode),
      ("echo nonsense", false, .noAnswer, .open), ("\(decoding); echo '{}'", false, .noAnswer, .decode),
    ] as [(String, Bool, WorkerLoss.Cause, Problem.Stage)])
  func onlyLossesThatMayBeAccidentsAreRepeated(
    end: String, isRepeated: Bool, cause: WorkerLoss.Cause, stage: Problem.Stage
  ) throws {
    let pool = pool(Self.first("\(Self.ready); read -r line; \(end)", then: Self.healthy))
    let analysis = try analyze(pool)
    #expect(analysis.status == (isRepeated ? .ok : .failed))
    #expect(try startCount == (isRepeated ? 2 : 1))
    #expect(pool.losses == [WorkerLoss(cause: cause, stage: stage): 1])
    // The lost worker does not get the next file.
    #expect(try analyze(pool).status == .ok)
    #expect(try startCount == 2)
    #expect(pool.losses == [WorkerLoss(cause: cause, stage: stage): 1])
  }

  @Test func aCrashIsDescribed() throws {
    let pool = pool("\(Self.ready); read -r line; \(Self.decoding); echo broken. >&2; sleep 0.2; kill -SEGV $$")
    let problem = try #require(try analyze(pool).problem)
    #expect(problem.code == "worker_crashed")
    let pattern =
      /The worker process crashed \(signal 11, .*\) while it decoded the file, after ([0-9]+\.[0-9]) s; it said: broken\./
    let match = try #require(problem.message.wholeMatch(of: pattern), "\(problem.message)")
    #expect(try #require(Double(match.1)) >= 0.2)
  }

  @Test func aKilledWorkerIsExplainedByALackOfMemory() throws {
    let pool = pool("\(Self.ready); read -r line; \(Self.decoding); kill -KILL $$")
    let problem = try #require(try analyze(pool).problem)
    #expect(problem.code == "worker_crashed")
    #expect(problem.message.hasSuffix(" s. Unless someone killed it, memory ran out: use fewer --jobs."))
    #expect(try startCount == 2)
    #expect(pool.losses == [WorkerLoss(cause: .signal(9), stage: .decode): 2])
  }

  @Test func anAnswerThatCannotBeReadIsDescribed() throws {
    let problem = try #require(try analyze(pool("\(Self.ready); read -r line; echo nonsense")).problem)
    #expect(problem.code == "worker_failed")
    #expect(
      problem.message
        == "The worker process gave no usable answer while it opened the file: not JSON: expected a value at byte 0.")
  }

  /// Only the analyzers of the job count as tried.
  @Test(arguments: [(nil, ["a", "b"]), (["b"], ["b"]), ([], [])] as [(Set<String>?, [String])])
  func theAnalyzersOfALostJobHaveFailed(analyzers: Set<String>?, failed: [String]) throws {
    let entries = ["a", "b"].map { PipelineDefinition.Entry(id: $0, kind: .exec, settings: ["command": ["true"]]) }
    let plan = try PipelineDefinition(name: "two", entries: entries).plan(with: [])
    let pool = pool("\(Self.ready); read -r line; \(Self.decoding); exit 1", plan: plan)
    let outcomes = try analyze(pool, AnalysisJob(path: "/a", analyzers: analyzers)).outcomes
    #expect(outcomes.map(\.analyzer) == plan.plugins.map(\.identity).filter { failed.contains($0.id) })
    #expect(outcomes.allSatisfy { if case .failed = $0.result { true } else { false } })
  }

  // MARK: - Starts

  /// While memory is low, a start is tried five times, with pauses.
  @Test func workersThatAreKilledAtTheStartAreGivenUp() throws {
    let pool = pool("kill -KILL $$")
    let start = ContinuousClock.now
    let failure = try #require(throws: WorkerPool.StartFailure.self) { try analyze(pool) }
    #expect(ContinuousClock.now - start >= .milliseconds(400))
    #expect(failure.description.contains("it ended with signal 9"))
    #expect(try startCount == 5)
    #expect(pool.losses.isEmpty)
    #expect(pool.shortage == nil)
  }

  @Test(
    arguments: [
      ("echo no thread. >&2; exit 1", "it ended with exit status 1; it said: no thread."),
      ("echo nonsense", "not JSON: expected a value"),
      (decoding, "it did not report that it is ready."), ("kill -SEGV $$", "it ended with signal 11"),
    ])
  func otherFailuresToStartAreNotRepeated(script: String, reason: String) throws {
    let pool = pool(script)
    let failure = try #require(throws: WorkerPool.StartFailure.self) { try analyze(pool) }
    #expect(failure.description.contains("No worker process can be started: "))
    #expect(failure.description.contains(reason), "\(failure)")
    #expect(try startCount == 1)
    #expect(pool.shortage == nil)
  }

  /// A named pipe. Opening it waits until the other side, the test or a script, opens it as well.
  private func makePipe(_ name: String) throws { try #require(mkfifo(folder.file(name).string, 0o600) == 0) }

  private func open(_ name: String, _ mode: FileDescriptor.AccessMode) throws {
    try FileDescriptor.open(folder.file(name), mode).close()
  }

  /// A script of a worker that keeps its first job until the pipe `go` is opened.
  private static let patient =
    #"\#(ready); read -r line; : > "$1/busy"; : < "$1/go"; \#(answer); read -r line; \#(answer)"#

  /// Analyzes a file on another thread, which lasts until `body` has ended: a worker ends with the thread that started
  /// it.
  /// - Parameters:
  ///   - afterwards: Called on the other thread after the analysis.
  ///   - body: Called once the worker has its job.
  private func analyzing(
    in pool: WorkerPool, afterwards: @escaping @Sendable () -> Void = {}, while body: () throws -> Void
  ) throws -> FileAnalysis.Status? {
    let status = Mutex<FileAnalysis.Status?>(nil)
    let done = DispatchSemaphore(value: 0)
    let end = DispatchSemaphore(value: 0)
    defer { end.signal() }
    Thread.detachNewThread {
      let analysis = try? pool.analyze(Self.job, isCancelled: { false })
      status.withLock { $0 = analysis?.status }
      afterwards()
      done.signal()
      end.wait()
    }
    try open("busy", .readOnly)
    try body()
    done.wait()
    return status.withLock { $0 }
  }

  /// If no second worker can be started, the second file waits for the first worker.
  @Test func filesWaitForABusyWorker() throws {
    try makePipe("busy")
    try makePipe("go")
    let pool = pool(Self.first(Self.patient, then: "echo no room >&2; exit 1"))
    var isReleased = false
    var second: FileAnalysis?
    let first = try analyzing(in: pool) {
      second = try pool.analyze(
        Self.job,
        isCancelled: {
          if !isReleased, pool.shortage != nil {
            isReleased = true
            try? open("go", .writeOnly)
          }
          return false
        })
    }
    #expect(second?.status == .ok)
    #expect(first == .ok)
    #expect(pool.shortage?.description.contains("no room") == true)
    #expect(pool.losses.isEmpty)
  }

  /// The first worker becomes idle while the second one fails to start.
  @Test func filesTakeAWorkerThatHasBecomeIdle() throws {
    for name in ["busy", "go", "done"] { try makePipe(name) }
    let pool = pool(Self.first(Self.patient, then: #": > "$1/go"; : < "$1/done"; echo no room >&2; exit 1"#))
    var second: FileAnalysis?
    let first = try analyzing(
      in: pool, afterwards: { try? open("done", .writeOnly) }, while: { second = try analyze(pool) })
    #expect(second?.status == .ok)
    #expect(first == .ok)
    #expect(try startCount == 2)
    #expect(pool.shortage?.description.contains("no room") == true)
  }

  // MARK: - Time limits

  /// A job that does not fit into the pipe, and a worker that does not read it.
  @Test func aWorkerMustReadItsJob() throws {
    try makePipe("never")
    let job = AnalysisJob(
      path: "/a", analyzers: [String(repeating: "x", count: 300_000)],
      timeLimit: TimeLimit(processorSeconds: 60, perAudioSecond: 0, standstillSeconds: 0.05))
    let analysis = try analyze(pool(#"\#(Self.ready); : < "$1/never""#), job)
    #expect(analysis.problem?.code == "no_progress")
    #expect(analysis.workerLoss == WorkerLoss(cause: .timeLimit, stage: .open))
  }

  /// Only a standstill is limited, not the whole time that a worker takes.
  @Test func aWorkerMayTakeLongerThanAStandstill() throws {
    let steps = "for step in 1 2 3 4 5 6; do sleep 0.2; \(Self.decoding); done"
    let analysis = try analyze(
      pool("\(Self.ready); read -r line; \(steps); \(Self.answer)"),
      AnalysisJob(path: "/a", timeLimit: TimeLimit(processorSeconds: 60, perAudioSecond: 0, standstillSeconds: 1)))
    #expect(analysis.status == .ok)
  }

  /// Time per second of audio is granted only for audio that was decoded.
  @Test func audioThatIsNotDecodedGrantsNoTime() throws {
    let analysis = try analyze(
      pool("\(Self.ready); read -r line; while :; do :; done"),
      AnalysisJob(
        path: "/a", timeLimit: TimeLimit(processorSeconds: -8, perAudioSecond: 10_000, standstillSeconds: 600)))
    #expect(analysis.problem?.code == "time_limit")
    #expect(analysis.workerLoss?.cause == .timeLimit)
  }

  /// The processor time that a worker has used for earlier files does not count.
  @Test func timeLimitsAreForOneFile() throws {
    let pool = pool(
      """
      \(Self.ready); read -r line; i=0; while [ $i -lt 150000 ]; do i=$((i+1)); done; \(Self.answer)
      while read -r line; do \(Self.answer); done
      """)
    #expect(try analyze(pool).status == .ok)
    // A limit of 0.05 seconds.
    let limit = TimeLimit(processorSeconds: -7.96, perAudioSecond: 0, standstillSeconds: 600)
    let second = try analyze(pool, AnalysisJob(path: "/b", timeLimit: limit))
    #expect(second.status == .ok, "\(second.problem?.message ?? "")")
    #expect(try startCount == 1)
  }

  // MARK: - Lines

  @Test func messagesAreLinesOfJSON() throws {
    for (message, line) in [
      (.ready, #"{"ready":true}"#), (.stage(.decode), #"{"stage":"decode"}"#), (.decoded(10), #"{"decoded":10"#),
    ] as [(WorkerMessage, String)] {
      let bytes = try WorkerLine.encoded(message)
      #expect(bytes.starts(with: line.utf8), "\(String(decoding: bytes, as: UTF8.self))")
      #expect(bytes.last == UInt8(ascii: "\n") && bytes.count { $0 == UInt8(ascii: "\n") } == 1)
    }
  }

  /// An answer may be long, but not endless: its findings are held in memory as a whole.
  @Test func linesHaveLimits() throws {
    #expect(WorkerMessage.lineLimit >> 20 == 128)
    for (depth, isAccepted) in [(200, true), (201, false)] {
      let line = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
      let value = try? WorkerLine.decoded(line.utf8, as: JSONValue.self)
      #expect((value != nil) == isAccepted, "\(depth)")
    }
  }
}

/// The loop of a worker, in processes of their own because it takes standard input and output.
@Suite(.bounded) struct WorkerLoopTests {
  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  /// Runs a worker with the file `input` of a folder. Its answers go to the file `output`.
  private static func run(in folder: String, memoryLimit: Int = 0) throws {
    let input = try FileDescriptor.open(FilePath("\(folder)/input"), .readOnly)
    let output = try FileDescriptor.open(
      FilePath("\(folder)/output"), .writeOnly, options: [.create, .truncate], permissions: .ownerReadWrite)
    try #require(dup2(input.rawValue, STDIN_FILENO) == STDIN_FILENO)
    try #require(dup2(output.rawValue, STDOUT_FILENO) == STDOUT_FILENO)
    let plan = AnalysisPlan(name: "none", plugins: [], resampler: .soxr, decoding: .needed)
    try Worker(plan: plan, memoryLimit: memoryLimit).run()
  }

  private static func summary(_ message: WorkerMessage) -> String {
    switch message {
    case .ready: "ready"
    case .stage(let stage): stage.rawValue
    case .decoded: "decoded"
    case .audio: "audio"
    case .result(let analysis): "\(analysis.status.rawValue)\(analysis.reusesKnownAudio ? ", known" : "")"
    }
  }

  /// After the request for known audio, the next line is the answer, not a job.
  @Test func jobsAndQuestionsAreAnsweredInOrder() async throws {
    let path = try folder.write(Signal.silence(sampleRate: 8_000, seconds: 0.1), as: "a.wav")
    let known = KnownAudio(decodingID: ContentID(hashing: []), analyzers: [], format: nil)
    let lines =
      try WorkerLine.encoded(AnalysisJob(path: path)) + WorkerLine.encoded(KnownAudio?.some(known))
      + WorkerLine.encoded(AnalysisJob(path: path)) + WorkerLine.encoded(KnownAudio?.none)
      + WorkerLine.encoded(AnalysisJob(path: folder.file("none.wav")))
    try folder.write(lines, as: "input")
    await #expect(processExitsWith: .success) { [folder = folder.path.string as String] in
      try Self.run(in: folder)
    }
    let output = try SmallFile.read(folder.file("output"), limit: 1 << 20)
    let messages = try output.split(separator: UInt8(ascii: "\n")).map {
      Self.summary(try WorkerLine.decoded($0, as: WorkerMessage.self))
    }
    #expect(
      messages == [
        "ready", "open", "audio", "analyze", "ok, known", "open", "audio", "analyze", "ok", "open", "analyze", "failed",
      ])
  }

  /// The limit on writable memory. Zero leaves the inherited one.
  @Test(
    .disabled(
      if: !["ASAN_OPTIONS", "TSAN_OPTIONS"].allSatisfy { ProcessInfo.processInfo.environment[$0] == nil },
      "sanitizers need terabytes"),
    arguments: [0, 64 << 30])
  func memoryIsLimited(limit: Int) async throws {
    try folder.write([], as: "input")
    await #expect(processExitsWith: .success) { [folder = folder.path.string as String, limit = limit as Int] in
      func limitOfData() throws -> Substring {
        let limits = try String(contentsOfFile: "/proc/self/limits", encoding: .utf8)
        let line = try #require(limits.split(separator: "\n").first { $0.hasPrefix("Max data size") })
        return try #require(line.dropFirst("Max data size".count).split(separator: " ").first)
      }
      let before = try limitOfData()
      try Self.run(in: folder, memoryLimit: limit)
      #expect(try limitOfData() == (limit == 0 ? before : "\(limit)"))
    }
  }

  /// Threads that were started with another priority get that of the process, which does not change.
  @Test func allThreadsGetThePriorityOfTheProcess() async throws {
    try folder.write([], as: "input")
    await #expect(processExitsWith: .success) { [folder = folder.path.string as String] in
      @Sendable func niceness(_ process: pid_t) -> Int32 {
        getpriority(__priority_which_t(PRIO_PROCESS.rawValue), id_t(process))
      }
      let before = niceness(getpid())
      try Self.run(in: folder)
      #expect(niceness(getpid()) == before)
      Priority.lower(toNiceness: 7)
      let ended = DispatchSemaphore(value: 0)
      let found = Mutex<Int32?>(nil)
      Thread.detachNewThread {
        // Only root may do this.
        _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 0)
        try? Self.run(in: folder)
        found.withLock { $0 = niceness(0) }
        ended.signal()
      }
      ended.wait()
      #expect(try #require(found.withLock { $0 }) >= 7)
    }
  }

  /// The leader of a session watches its parent, whose end the system reports with SIGUSR1.
  @Test func aLeaderOfASessionEndsItWithItsParent() async throws {
    try folder.write([], as: "input")
    await #expect(processExitsWith: .success) { [folder = folder.path.string as String] in
      if setsid() < 0 {
        // The leader of a process group can't become that of a session.
        _ = setpgid(0, getpgid(getppid()))
        _ = setsid()
      }
      try #require(getsid(0) == getpid())
      _ = signal(SIGUSR1, SIG_DFL)
      try Self.run(in: folder)
      #expect(signal(SIGUSR1, SIG_IGN) != nil)
    }
  }
}
