internal import Analysis
internal import AnalysisEngine
internal import Platform
internal import SystemPackage

/// The main loop of a worker process: reads jobs from standard input, one JSON object per line, and answers each on
/// standard output.
public struct Worker {
  private let analyzer: FileAnalyzer
  private let memoryLimit: Int

  /// - Parameter memoryLimit: Maximum writable memory, in bytes; 0 for no limit.
  public init(plan: AnalysisPlan, memoryLimit: Int) {
    analyzer = plan.makeFileAnalyzer()
    self.memoryLimit = memoryLimit
  }

  /// Handles jobs until standard input ends.
  public func run() throws {
    Priority.lower(toNiceness: 0)
    // This has no effect in a worker that was started by hand: the external programs that such a worker starts end with
    // it, but their children may not.
    ChildProcess.endSessionWithParent()
    if memoryLimit > 0 { ResourceLimits.limitMemory(memoryLimit) }
    // Keeps text that libraries print to standard output out of the answers.
    let output = try FileDescriptor.takeStandardOutput()

    func send(_ message: WorkerMessage) throws { _ = try output.writeAll(WorkerLine.encoded(message)) }
    var input = LineReader(reading: .standardInput, limit: WorkerMessage.lineLimit)
    try send(.ready)
    while case .text(let line)? = try input.next() {
      let job = try WorkerLine.decoded(line, as: AnalysisJob.self)
      // If the parent no longer reads, the next write fails.
      let analysis = analyzer.analyze(
        job,
        findAudio: { id in
          guard (try? send(.audio(id))) != nil, case .text(let line)? = try? input.next() else { return nil }
          return try? WorkerLine.decoded(line, as: KnownAudio?.self)
        },
        enter: { try? send(.stage($0)) }, hasDecoded: { try? send(.decoded($0)) })
      if let analysis { try send(.result(analysis)) }
    }
  }
}
