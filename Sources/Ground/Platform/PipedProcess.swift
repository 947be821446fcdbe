internal import CSpawn
internal import Glibc
internal import SystemPackage

/// A program that is run for its output. It accepts arguments and, optionally, bytes on standard input, and outputs
/// text.
///
/// This process waits only in `poll`, for input and outputs at the same time, so the program may read and write in any
/// order, or do neither. Use an object on one thread at a time. It may move between threads, hence `@unchecked`.
public final class PipedProcess: @unchecked Sendable {
  public enum Failure: Error, Hashable {
    case cannotStart(reason: String)
    /// The program kept the caller waiting for longer than allowed.
    case timeout
    case tooMuchOutput
  }

  /// The result of waiting for output.
  public enum Line {
    case text([UInt8])
    /// The program has ended or closed its output without another line or, for `nextOutput`, another byte.
    case none
    case cancelled
  }

  /// Default maximum number of bytes on standard output. More bytes are a failure.
  public static let outputLimit = 8 << 20
  /// Number of bytes that are kept from the end of standard error.
  static let errorTailLimit = 8 << 10

  public private(set) var output: [UInt8] = []
  public private(set) var errorTail: [UInt8] = []
  /// `true` if the program still accepts input.
  public private(set) var acceptsInput: Bool

  private let process: ChildProcess
  private let outputLimit: Int
  /// This process's ends of the pipes; `nil` once closed.
  private var inputEnd: FileDescriptor?
  private var outputEnd: FileDescriptor?
  private var errorEnd: FileDescriptor?
  /// Remaining time that the program may keep the caller waiting.
  private var patience: Duration
  private var chunk = [UInt8](repeating: 0, count: 1 << 16)

  /// - Parameters:
  ///   - outputLimit: Maximum number of bytes on standard output or, with `nextLine`, in one line of it. More bytes are
  ///     a failure.
  ///   - hasInput: `true` if `write` will be called; otherwise standard input is empty.
  ///   - patience: Total time that the methods may wait for the program. Time between the calls does not count.
  public init(
    _ program: ProgramCommand, outputLimit: Int = outputLimit, hasInput: Bool, patience: Duration
  ) throws(Failure) {
    self.outputLimit = outputLimit
    self.patience = patience
    acceptsInput = hasInput

    var given: [FileDescriptor] = []
    var kept: [FileDescriptor] = []
    defer { for end in given { try? end.close() } }
    do {
      var ends: (input: FileDescriptor?, output: FileDescriptor?, errors: FileDescriptor?) = (nil, nil, nil)
      if hasInput {
        let pipe = try FileDescriptor.pipe(nonBlocking: { $0.writeEnd })
        (ends.input, inputEnd) = (pipe.readEnd, pipe.writeEnd)
        given.append(pipe.readEnd)
        kept.append(pipe.writeEnd)
      }
      let output = try FileDescriptor.pipe(nonBlocking: { $0.readEnd })
      given.append(output.writeEnd)
      kept.append(output.readEnd)
      let errors = try FileDescriptor.pipe(nonBlocking: { $0.readEnd })
      given.append(errors.writeEnd)
      kept.append(errors.readEnd)
      (outputEnd, errorEnd) = (output.readEnd, errors.readEnd)
      process = try ChildProcess(program, input: ends.input, output: output.writeEnd, errors: errors.writeEnd)
    } catch {
      for end in kept { try? end.close() }
      throw .cannotStart(reason: "\(error)")
    }
  }

  deinit {
    process.kill()
    for end in [inputEnd, outputEnd, errorEnd] { try? end?.close() }
  }

  // MARK: - Input and output

  /// Writes the next bytes of input, and waits until they are accepted. If the program has ended or closed its input,
  /// which is allowed, nothing more is written and `acceptsInput` becomes `false`.
  public func write(_ bytes: UnsafeRawBufferPointer) throws(Failure) {
    var rest = bytes
    while let inputEnd, !rest.isEmpty {
      var written = 0
      switch cspawn_write(inputEnd.rawValue, rest.baseAddress, rest.count, &written) {
      case 0:
        rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(written))
      case EAGAIN:
        try wait(forInput: true, at: .milliseconds(50))
        if process.hasEnded { closeInput() }
      case EINTR:
        continue
      default:
        closeInput()
      }
    }
  }

  public func write(_ bytes: [UInt8]) throws(Failure) {
    let result = bytes.withUnsafeBytes { bytes in Result { () throws(Failure) in try write(bytes) } }
    try result.get()
  }

  /// Sets how long the program may keep the caller waiting from now on.
  public func allow(_ patience: Duration) {
    self.patience = patience
  }

  /// Returns the next line of output without its line break, waiting until it arrives.
  ///
  /// - Parameter isCancelled: Called every tenth of a second. An error that the closure throws ends the wait.
  public func nextLine(isCancelled: () throws -> Bool) throws -> Line {
    var searched = 0
    while true {
      if let end = output[searched...].firstIndex(of: UInt8(ascii: "\n")) {
        let line = Array(output[..<end])
        output.removeFirst(end + 1)
        return .text(line)
      }
      searched = output.count
      if outputEnd == nil { return .none }
      if try isCancelled() { return .cancelled }
      let hasEnded = process.hasEnded
      try wait(forInput: false, at: hasEnded ? .milliseconds(1) : .milliseconds(100))
      if hasEnded, output.count == searched { return .none }
    }
  }

  /// Returns the available output, waiting until there is some.
  ///
  /// - Parameter isCancelled: Called every tenth of a second.
  public func nextOutput(isCancelled: () -> Bool) throws(Failure) -> Line {
    while true {
      if !output.isEmpty {
        defer { output.removeAll(keepingCapacity: true) }
        return .text(output)
      }
      if outputEnd == nil { return .none }
      if isCancelled() { return .cancelled }
      let hasEnded = process.hasEnded
      try wait(forInput: false, at: hasEnded ? .milliseconds(1) : .milliseconds(100))
      if hasEnded, output.isEmpty { return .none }
    }
  }

  /// Processor time used, in seconds, not counting child processes; `nil` if the program was reaped.
  public var processorTime: Double? { process.processorTime }

  public func endInput() { closeInput() }

  /// Closes the input, reads all output and waits until the program has ended. Then kills the rest of its process
  /// group.
  public func waitForEnd() throws(Failure) -> ChildProcess.Ending {
    closeInput()
    // The pipes close when the program ends, unless it has closed them earlier or passed them on. So the program itself
    // is checked as well, at growing intervals.
    var interval = Duration.milliseconds(1)
    while !process.hasEnded {
      try wait(forInput: false, at: interval)
      interval = min(interval * 2, .milliseconds(50))
    }
    let ending = process.kill()
    try takeOutput()
    return ending
  }

  private func closeInput() {
    acceptsInput = false
    try? inputEnd?.close()
    inputEnd = nil
  }

  /// Waits a limited time until a pipe is ready, then reads the available output.
  private func wait(forInput: Bool, at interval: Duration) throws(Failure) {
    guard patience > .zero else {
      process.kill()
      try takeOutput()
      throw .timeout
    }
    let start = ContinuousClock.now
    var ends = [
      pollfd(fd: outputEnd?.rawValue ?? -1, events: Int16(POLLIN), revents: 0),
      pollfd(fd: errorEnd?.rawValue ?? -1, events: Int16(POLLIN), revents: 0),
    ]
    if forInput { ends.append(pollfd(fd: inputEnd?.rawValue ?? -1, events: Int16(POLLOUT), revents: 0)) }
    let pause = min(interval, patience)
    _ = poll(&ends, nfds_t(ends.count), max(1, Int32(pause / .milliseconds(1))))
    try takeOutput()
    patience -= start.duration(to: .now)
  }

  /// Reads the available output, but at most 1 MiB from each pipe, because a program may print without end.
  private func takeOutput() throws(Failure) {
    for _ in 0..<16 {
      guard let count = readChunk(from: &outputEnd) else { break }
      guard output.count + count <= outputLimit else {
        process.kill()
        throw .tooMuchOutput
      }
      output.append(contentsOf: chunk[..<count])
    }
    for _ in 0..<16 {
      guard let count = readChunk(from: &errorEnd) else { break }
      errorTail.append(contentsOf: chunk[..<count])
      errorTail.removeFirst(max(0, errorTail.count - Self.errorTailLimit))
    }
  }

  /// Fills `chunk` with available bytes. Returns `nil` if there are none at the moment, or if there will never be any
  /// more, in which case the descriptor is closed.
  private func readChunk(from end: inout FileDescriptor?) -> Int? {
    while let descriptor = end?.rawValue {
      let count = read(descriptor, &chunk, chunk.count)
      if count > 0 { return count }
      if count < 0, errno == EINTR { continue }
      if count < 0, errno == EAGAIN { return nil }
      try? end?.close()
      end = nil
    }
    return nil
  }
}
