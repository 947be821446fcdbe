import Analysis
import AnalysisTasks
import ArgumentParser
import AudioDecoding
import Foundation
import Objects
import Pipeline
import Platform
import Records
import Reporting
import Synchronization
import SystemPackage
import Text

struct WorkerCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "worker",
    abstract: "Analyze files named on standard input, one JSON line for each",
    discussion: """
      For engines such as GNU parallel, Slurm, Kubernetes and Spark. A line of input is a path, a URI (file:, https:, \
      http:, s3:, gs:), or a JSON object {"key": …, "path" or "uri": …}; the answer has its key. No database is opened: \
      `analyze merge` brings the answers into one.

      Exit status: 0 whatever the results of the files; 1 the worker itself could not go on, so lines \
      without an answer must be run again; 64 wrong usage; 129, 130 or 143 ended by a signal.
      """)

  @OptionGroup(title: "Analysis")
  var analysis: AnalysisArguments

  @Option(
    name: [.customShort("j", allowingJoined: true), .long],
    help: ArgumentHelp("Files analyzed at the same time (default: 1, which keeps the order)", valueName: "n"))
  var jobs: String?

  @Flag(name: .customLong("from0"), help: "Input lines end with NUL bytes, as from find -print0")
  var from0 = false

  @Option(
    help: ArgumentHelp("Answer part K of N of the lines, counted from 0 and split by key", valueName: "K/N"))
  var shard: String?

  @Option(
    help: ArgumentHelp(
      "--shard with K from the array job; auto: N, too (Slurm, AWS Batch)", valueName: "N|auto"))
  var shards: String?

  @Option(name: .customLong("fetch-space"), help: Settings.fetchSpace.help("MB"))
  var fetchSpace: String?

  @Option(
    help: Settings.include.help("what"), completion: .list(ReportExtra.choices))
  var include: [String] = []

  @Flag(name: .shortAndLong, help: "Print the number of lines to standard error at the end")
  var verbose = false

  func run() async throws {
    try await reportingErrors {
      do {
        let status = try await work()
        if status != .fine { throw status.exitCode }
      } catch ReportError.closedPipe {
        // The engine has exited. After a restart, it will request the missing answers again.
        throw ExitStatus.fatal.exitCode
      }
    }
  }

  private func work() async throws -> ExitStatus {
    var settings = try CommandSettings()
    try analysis.apply(to: &settings)
    DecodingLibraries.load()
    try settings.take(jobs, for: Settings.jobs, option: "--jobs")
    try settings.take(fetchSpace, for: Settings.fetchSpace, option: "--fetch-space")
    try settings.take(include, for: Settings.include, option: "--include")
    let definition = try settings.definition()
    let plan = try analysis.plan(definition)
    let shard = try chosenShard()

    let control = RunControl()
    let output = try LineOutput(control)
    let writer = WorkerRecordWriter(
      options: ReportOptions(including: settings[Settings.include]))
    let signals = SignalHandling { _ in
      control.requestStop()
      Log.write(.notice, "stopping", "stopping: files in progress get five seconds; once more to end at once")
    }
    let worker = StreamingWorker(
      StreamingWorker.Request(
        plan: plan,
        // Engines start several worker processes, so the default is one job.
        jobs: try CommandSettings.possibleJobs(
          settings.settings.origin(of: Settings.jobs) == .standard ? 1 : settings[Settings.jobs]
        ) { Log.write(.warning, "fewer_jobs", $0) },
        timeLimit: settings.timeLimit, digests: Set(settings[Settings.checksums]),
        isolation: analysis.isolation(settings, definition, plan), walk: settings.settings.walk, shard: shard,
        separator: from0 ? 0 : 0x0A, workingFolder: FilePath.currentFolder, objects: settings.objectFetcher,
        programVersion: Nocturne.version),
      reading: .standardInput, control: control, answer: { try output.write(writer.line(for: $0)) })
    do {
      let counts = try await worker.run()
      if verbose { Log.write(.info, "worker_ended", Self.text(counts)) }
    } catch ReportError.closedPipe where signals.exitStatus != nil {
      // The engine stopped reading while the worker was ending.
    }
    return signals.exitStatus ?? .fine
  }

  private func chosenShard() throws -> Shard? {
    let option = shard == nil ? "--shards" : "--shard"
    do {
      switch (shard, shards) {
      case (nil, nil): return nil
      case (let text?, nil): return try Shard(text)
      case (nil, "auto"): return try Shard(count: nil, environment: ProcessInfo.processInfo.environment)
      case (nil, let text?):
        guard let count = Int(text) else {
          throw ConfigurationError(key: "", problem: "expects a number or auto, not '\(text)'")
        }
        return try Shard(count: count, environment: ProcessInfo.processInfo.environment)
      default: throw CommandFailure(.usage, "Give --shard K/N or --shards N, not both.")
      }
    } catch let error as ConfigurationError {
      throw CommandFailure(.usage, "\(option) \(error.problem).")
    }
  }

  static func text(_ counts: StreamingWorker.Counts) -> String {
    var parts = WorkerRecord.Status.allCases.map { "\(counts.answered[$0, default: 0]) \($0.rawValue)" }
    if counts.others > 0 { parts.append("\(counts.others) of other shards") }
    if counts.unanswered > 0 { parts.append("\(counts.unanswered) given up") }
    return "\(counts.answered.values.reduce(0, +)) lines answered: " + parts.joined(separator: ", ")
  }
}

extension CommandSettings {
  /// A fetcher of objects that uses the credentials in the environment.
  var objectFetcher: ObjectFetcher {
    ObjectFetcher(
      ObjectAccess(environment: ProcessInfo.processInfo.environment, home: settings.folders.home),
      space: FetchSpace(limit: self[Settings.fetchSpace] << 20),
      policy: FetchPolicy(silence: self[Settings.fetchSilence]))
  }
}

/// Standard output for lines from several threads. Whatever libraries print is redirected to standard error, so that it
/// does not mix with these lines.
private final class LineOutput: Sendable {
  private let descriptor: Mutex<FileDescriptor>
  /// Number of bytes per write. Files receive whole lines, so that lines of workers that append to one file do not mix.
  /// A writable pipe accepts this many bytes (PIPE_BUF) without blocking.
  private let pieceSize: Int
  private let control: RunControl

  init(_ control: RunControl) throws {
    self.control = control
    let copy = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)
    guard copy >= 0, dup2(STDERR_FILENO, STDOUT_FILENO) >= 0 else {
      throw ReportError.cannotWrite(path: nil, reason: "\(Errno(rawValue: errno))")
    }
    let file = FileDescriptor(rawValue: copy)
    pieceSize = file.isPipeOrDevice ? 4_096 : .max
    descriptor = Mutex(file)
  }

  func write(_ line: [UInt8]) throws {
    try descriptor.withLock { descriptor in
      do {
        try line.withUnsafeBytes { bytes in
          var rest = unsafe bytes
          while !rest.isEmpty {
            try waitForReader(descriptor)
            let count = unsafe try descriptor.write(UnsafeRawBufferPointer(rebasing: rest.prefix(pieceSize)))
            unsafe rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
          }
        }
      } catch Errno.brokenPipe, ReportError.closedPipe {
        throw ReportError.closedPipe
      } catch {
        throw ReportError.cannotWrite(path: nil, reason: "\(error)")
      }
    }
  }

  /// Waits until the pipe is writable. A slow engine must not keep the worker from ending.
  private func waitForReader(_ descriptor: FileDescriptor) throws {
    var end = pollfd(fd: descriptor.rawValue, events: Int16(POLLOUT), revents: 0)
    while unsafe poll(&end, 1, 100) == 0 {
      if control.mustAbandon { throw ReportError.closedPipe }
    }
  }
}
