import Foundation
import Glibc
import Platform
import SystemPackage
import Testing

/// An argument of a command line: any bytes but zero.
struct Argument: ExpressibleByStringInterpolation, Sendable {
  let bytes: [UInt8]

  init(stringLiteral text: String) {
    bytes = Array(text.utf8)
  }

  init(_ path: FilePath) {
    bytes = path.withBytes { Array($0) }
  }
}

/// The exit status and output of a program.
struct Outcome {
  /// The exit status; the number of the signal, negative, if one ended it.
  let status: Int
  let output: [UInt8]
  let errors: String

  var text: String { String(decoding: output, as: UTF8.self) }
  /// Lines of standard output.
  var lines: [String] { text.split(separator: "\n").map(String.init) }
}

/// The running program under test. Its output goes into files, so it never waits for a reader.
final class RunningProgram {
  /// The executable, which lies beside the tests: both are products of one build.
  static let executable: FilePath = {
    let tests = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    return FilePath(tests ?? "").removingLastComponent().appending("analyze")
  }()

  /// Copies the executable. Another process does it: a program that another test is just starting would briefly share this
  /// process's descriptors open for writing, and a file open for writing cannot be executed.
  static func copyExecutable(to path: FilePath) throws {
    let copying = try RunningProgram(
      [Argument(executable), Argument(path)], of: "/bin/cp", environment: [:], workingFolder: "/"
    ).end()
    try #require(copying.status == 0, "\(copying.errors)")
  }

  private let process: ChildProcess
  private let outputFile: FileDescriptor
  private let errorFile: FileDescriptor

  /// - Parameters:
  ///   - executable: Another program, by its path.
  ///   - environment: The whole environment of the program.
  ///   - input: Its standard input; `nil` for nothing.
  ///   - inputPipe: The pipe that standard input comes from instead.
  ///   - output: The file for standard output; `nil` to keep it.
  ///   - errors: The file for standard error; `nil` to keep it.
  init(
    _ arguments: [Argument], of executable: FilePath = executable, environment: [String: String],
    workingFolder: FilePath, input: [UInt8]? = nil, inputPipe: FileDescriptor? = nil, output: FileDescriptor? = nil,
    errors: FileDescriptor? = nil
  ) throws {
    outputFile = try Self.unnamedFile()
    errorFile = try Self.unnamedFile()
    var program = ProgramCommand([executable.bytes] + arguments.map(\.bytes))
    program.environment = environment
    program.workingFolder = workingFolder
    let inputFile = try input.map { bytes in
      let file = try Self.unnamedFile()
      try file.writeAll(toAbsoluteOffset: 0, bytes)
      return file
    }
    defer { try? inputFile?.close() }
    process = try ChildProcess(
      program, input: inputPipe ?? inputFile, output: output ?? outputFile, errors: errors ?? errorFile)
  }

  deinit {
    process.kill()
    try? outputFile.close()
    try? errorFile.close()
  }

  /// Standard output so far.
  var output: [UInt8] { Self.contents(of: outputFile) }
  var errors: String { String(decoding: Self.contents(of: errorFile), as: UTF8.self) }
  var hasEnded: Bool { process.hasEnded }

  func send(_ signal: Int32) { process.send(signal) }

  /// Waits for the end; a program that does not end by itself is killed, and the test fails.
  func end(within limit: Duration = .seconds(60), sourceLocation: SourceLocation = #_sourceLocation) -> Outcome {
    if !waitUntil(within: limit, { hasEnded }) {
      Issue.record("The program has not ended after \(limit).", sourceLocation: sourceLocation)
    }
    let status =
      switch process.kill() {
      case .status(let status): status
      case .signal(let signal): -signal
      }
    return Outcome(status: status, output: Self.contents(of: outputFile), errors: errors)
  }

  private static func unnamedFile() throws -> FileDescriptor {
    let path = FilePath(FileManager.default.temporaryDirectory.path).appending("nocturne-test-\(UUID().uuidString)")
    let file = try FileDescriptor.open(
      path, .readWrite, options: [.create, .exclusiveCreate, .append, .closeOnExec], permissions: .ownerReadWrite)
    try FileManager.default.removeItem(atPath: path.string)
    return file
  }

  private static func contents(of file: FileDescriptor) -> [UInt8] {
    var status = stat()
    guard fstat(file.rawValue, &status) == 0 else { return [] }
    let size = Int(status.st_size)
    return [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
      let raw = UnsafeMutableRawBufferPointer(buffer)
      while count < size {
        let rest = UnsafeMutableRawBufferPointer(rebasing: raw[count...])
        guard let read = try? file.read(fromAbsoluteOffset: Int64(count), into: rest), read > 0 else { return }
        count += read
      }
    }
  }
}

/// `true` in a run of `make sanitize`, which sets the options of all sanitizers.
let isSanitized = ProcessInfo.processInfo.environment["ASAN_OPTIONS"] != nil

/// Under sanitizers, everything takes many times as long.
private let slowness = isSanitized ? 10 : 1

/// Polls a condition until it holds.
/// - Returns: `true` if it held within the time limit.
func waitUntil(within limit: Duration = .seconds(60), _ condition: () throws -> Bool) rethrows -> Bool {
  let end = ContinuousClock.now + limit * slowness
  while try !condition() {
    guard ContinuousClock.now < end else { return false }
    usleep(2_000)
  }
  return true
}
