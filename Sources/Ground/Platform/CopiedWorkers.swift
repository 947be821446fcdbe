internal import Glibc
internal import SystemPackage

/// A pool of forked worker processes. Items are processed in any order; a crash loses only the item being processed.
///
/// A copy starts immediately, whereas starting the program again would take as long as decoding a minute of audio. This
/// process must have a single thread, and must not have anything open that copies cannot share. Each copy opens its own
/// databases.
package struct CopiedWorkers {
  /// An event in a copy, concerning the item it was given.
  package enum Event {
    case output([UInt8])
    case message([UInt8])
    case end(UInt8)
    /// The worker process ended.
    case lost(ChildProcess.Ending)
  }

  /// Sends a copy's results for an item to the parent process.
  package struct Reporter {
    fileprivate let descriptor: FileDescriptor

    package func output(_ text: String) { send(0, Array(text.utf8)) }
    package func message(_ text: String) { send(1, Array(text.utf8)) }
    fileprivate func end(_ verdict: UInt8) { send(2, [verdict]) }

    private func send(_ kind: UInt8, _ bytes: [UInt8]) {
      let count = withUnsafeBytes(of: UInt32(bytes.count)) { Array($0) }
      // The process exits if its parent is gone.
      if (try? descriptor.writeAll([kind] + count + bytes)) == nil { _exit(0) }
    }
  }

  private struct Worker {
    var process: ChildProcess
    var input: FileDescriptor
    var output: FileDescriptor
    var item: Int
    var received: [UInt8] = []
  }

  /// - Parameters:
  ///   - prepare: Called in each copy; returns the closure that processes items.
  ///   - body: Called in this process with each event and the number of its item.
  /// - Throws: `Errno` if no copy can be created.
  package static func run(
    itemCount: Int, workerCount: Int, prepare: () -> (Int, Reporter) -> UInt8, body: (Int, Event) throws -> Void
  ) throws {
    var workers: [Worker] = []
    var next = 0
    func start() throws {
      var worker = try copy(prepare)
      worker.item = next
      try give(next, to: worker)
      next += 1
      workers.append(worker)
    }
    while next < min(itemCount, workerCount) {
      do { try start() } catch { if workers.isEmpty { throw error } else { break } }
    }
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while !workers.isEmpty {
      for index in FileDescriptor.waitForInput(ofAny: workers.map(\.output)).reversed() {
        let count = try buffer.withUnsafeMutableBytes { try workers[index].output.read(into: $0) }
        if count == 0 {
          let worker = workers.remove(at: index)
          try body(worker.item, reap(worker))
          if next < itemCount { try start() }
          continue
        }
        workers[index].received += buffer[..<count]
        while let event = event(in: &workers[index].received) {
          try body(workers[index].item, event)
          guard case .end = event else { continue }
          if next < itemCount {
            workers[index].item = next
            try give(next, to: workers[index])
            next += 1
          } else {
            let worker = workers.remove(at: index)
            // Closing the worker's input would not end it, because workers forked later have the input open, too.
            worker.process.kill()
            _ = reap(worker)
            break
          }
        }
      }
    }
  }

  private static func copy(_ prepare: () -> (Int, Reporter) -> UInt8) throws -> Worker {
    let input = try FileDescriptor.pipe()
    let output = try FileDescriptor.pipe()
    let process: ChildProcess
    do {
      guard let copy = try ChildProcess.copyOfThisProcess() else {
        try? input.writeEnd.close()
        try? output.readEnd.close()
        // This keeps the messages of libraries out of standard output, where the fingerprints go.
        dup2(STDERR_FILENO, STDOUT_FILENO)
        answer(items: input.readEnd, Reporter(descriptor: output.writeEnd), prepare())
      }
      process = copy
    } catch {
      for end in [input.readEnd, input.writeEnd, output.readEnd, output.writeEnd] { try? end.close() }
      throw error
    }
    try input.readEnd.close()
    try output.writeEnd.close()
    return Worker(process: process, input: input.writeEnd, output: output.readEnd, item: 0)
  }

  private static func answer(items: FileDescriptor, _ reporter: Reporter, _ make: (Int, Reporter) -> UInt8) -> Never {
    var item = 0
    while (try? withUnsafeMutableBytes(of: &item, { try items.read(into: $0) })) == MemoryLayout<Int>.size {
      reporter.end(make(item, reporter))
    }
    _exit(0)
  }

  private static func give(_ item: Int, to worker: Worker) throws {
    _ = try withUnsafeBytes(of: item) { try worker.input.writeAll($0) }
  }

  private static func reap(_ worker: Worker) -> Event {
    try? worker.input.close()
    try? worker.output.close()
    return .lost(worker.process.waitForEnd())
  }

  private static func event(in bytes: inout [UInt8]) -> Event? {
    let headerSize = 5
    guard bytes.count >= headerSize else { return nil }
    let count = bytes.withUnsafeBytes { Int($0.loadUnaligned(fromByteOffset: 1, as: UInt32.self)) }
    guard bytes.count >= headerSize + count else { return nil }
    let kind = bytes[0]
    let content = Array(bytes[headerSize..<headerSize + count])
    bytes.removeFirst(headerSize + count)
    switch kind {
    case 0: return .output(content)
    case 1: return .message(content)
    default: return .end(content.first ?? .max)
    }
  }
}
