internal import AudioAnalysis
internal import CSpawn
internal import Foundation
internal import Glibc

/// The inside of a worker process: takes jobs on standard input, one JSON object a line, and answers each on standard output.
public struct Worker {
  private let analyzer: FileAnalyzer
  private let memoryLimit: Int

  /// - Parameter memoryLimit: Bytes of writable memory the process may have; 0 for no limit.
  public init(plan: AnalysisPlan, memoryLimit: Int) {
    analyzer = plan.makeFileAnalyzer()
    self.memoryLimit = memoryLimit
  }

  /// Works until standard input ends.
  public func run() throws {
    // Who ends a service or a machine signals every process of it; when its workers end is for the run to say.
    for number in [SIGHUP, SIGINT, SIGTERM] { signal(number, SIG_IGN) }
    Priority.lower(toNiceness: 0)
    // Without it (a worker that somebody started by hand), programs end with the worker, and what they started may not.
    _ = cspawn_end_session_with_parent()
    if memoryLimit > 0 { _ = cspawn_limit_memory(memoryLimit) }
    // Whatever a library prints must not get between the answers.
    let output = FileHandle(fileDescriptor: dup(STDOUT_FILENO), closeOnDealloc: true)
    dup2(STDERR_FILENO, STDOUT_FILENO)

    let decoder = JSONDecoder()
    let encoder = JSONEncoder()
    func send(_ message: WorkerMessage) throws { try output.write(contentsOf: encoder.line(message)) }
    while let line = readLine() {
      let job = try decoder.decode(AnalysisJob.self, from: Data(line.utf8))
      // A parent that does not listen any more has gone: the write after this one finds out.
      let analysis = analyzer.analyze(
        job,
        findAudio: { id in
          guard (try? send(.audio(id))) != nil, let line = readLine() else { return nil }
          return try? decoder.decode(KnownAudio?.self, from: Data(line.utf8))
        },
        enter: { try? send(.stage($0)) })
      if let analysis { try send(.result(analysis)) }
    }
  }
}
