import AnalysisTesting
import Foundation
import Glibc
import Synchronization
import SystemPackage
import Testing
import Text

/// A home, a library and a database for one test, and the program to use them with.
final class Workplace: Sendable {
  let folder: TemporaryDirectory
  let home: FilePath
  let library: FilePath
  let database: FilePath
  let reports: FilePath

  init() throws {
    folder = try TemporaryDirectory()
    home = folder.file("home")
    library = folder.file("library")
    database = folder.file("results.sqlite")
    reports = folder.file("reports")
    for path in [home, library] { try makeFolder(path) }
  }

  // MARK: - The program

  /// Environment for tests without worker processes.
  static let threads = ["ANALYZE_ISOLATION": "none"]

  /// The whole environment of the program, except for what a test adds.
  var environment: [String: String] {
    let outer = ProcessInfo.processInfo.environment
    var environment = [
      "PATH": outer["PATH"] ?? "/usr/bin:/bin", "HOME": home.string, "TMPDIR": folder.path.string,
    ]
    // The options of `make sanitize` for the sanitizers hold for all processes that are started.
    for name in ["ASAN_OPTIONS", "LSAN_OPTIONS", "SWIFT_BACKTRACE", "TSAN_OPTIONS"] { environment[name] = outer[name] }
    return environment
  }

  func start(
    _ arguments: [Argument], environment: [String: String] = [:], in workingFolder: FilePath? = nil,
    input: [UInt8]? = nil, inputPipe: FileDescriptor? = nil, output: FileDescriptor? = nil,
    errors: FileDescriptor? = nil
  ) throws -> RunningProgram {
    try RunningProgram(
      arguments, environment: self.environment.merging(environment) { $1 }, workingFolder: workingFolder ?? folder.path,
      input: input, inputPipe: inputPipe, output: output, errors: errors)
  }

  /// Runs `analyze` with these arguments and waits for its end.
  func analyze(
    _ arguments: Argument..., environment: [String: String] = [:], in workingFolder: FilePath? = nil,
    input: [UInt8]? = nil, output: FileDescriptor? = nil, sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> Outcome {
    try start(arguments, environment: environment, in: workingFolder, input: input, output: output)
      .end(sourceLocation: sourceLocation)
  }

  /// The arguments between `run` and the options of a test.
  func runArguments(pipeline: Argument = "fingerprint") -> [Argument] {
    ["--database", Argument(database), "--output", Argument(reports), "--pipeline", pipeline]
  }

  /// Analyzes the library (or what `paths` names), with a summary and a JSON report to look at.
  func run(
    _ options: Argument..., paths: [Argument]? = nil, pipeline: Argument = "fingerprint",
    environment: [String: String] = [:], input: [UInt8]? = nil, sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> LibraryOutcome {
    try? FileManager.default.removeItem(atPath: report.string)
    let outcome = try start(
      (paths ?? [Argument(library)]) + runArguments(pipeline: pipeline) + ["--report", "json", "--verbose"] + options,
      environment: environment, input: input
    ).end(sourceLocation: sourceLocation)
    return LibraryOutcome(
      outcome, report: try? JSONValue(parsing: Array(Data(contentsOf: URL(filePath: report.string)))))
  }

  var report: FilePath { reports.appending("report.json") }

  /// Puts a script of the shell into a folder, and gives that: for `PATH`. Another process writes it, as in
  /// `RunningProgram.copyExecutable`.
  func makeProgram(_ name: String, _ script: String) throws -> FilePath {
    let bin = folder.file("bin")
    let writing = try RunningProgram(
      [
        "-c", #"mkdir -p "$1" && printf '#!/bin/sh\n%s\n' "$3" > "$1/$2" && chmod +x "$1/$2""#, "sh", Argument(bin),
        Argument(stringLiteral: name), Argument(stringLiteral: script),
      ], of: "/bin/sh", environment: environment, workingFolder: folder.path
    ).end()
    try #require(writing.status == 0, "\(writing.errors)")
    return bin
  }

  // MARK: - The library

  func makeFolder(_ path: FilePath) throws {
    try FileManager.default.createDirectory(atPath: path.string, withIntermediateDirectories: true)
  }

  /// Puts a file into the library, or in place of what is there. Folders are made as needed.
  /// - Parameter modified: seconds since 1970.
  @discardableResult
  func put(_ bytes: [UInt8], as name: FilePath, modified: Int? = nil) throws -> FilePath {
    let path = library.pushing(name)
    let parent = path.removingLastComponent()
    if parent != library { try makeFolder(parent) }
    try write(bytes, to: path)
    if let modified { try setModificationTime(of: path, to: modified) }
    return path
  }

  @discardableResult
  func put(_ bytes: [UInt8], as name: String, modified: Int? = nil) throws -> FilePath {
    try put(bytes, as: FilePath(name), modified: modified)
  }

  func write(_ bytes: [UInt8], to path: FilePath) throws {
    let file = try FileDescriptor.open(
      path, .writeOnly, options: [.create, .truncate, .closeOnExec],
      permissions: [.ownerReadWrite, .groupRead, .otherRead])
    _ = try file.closeAfter { try file.writeAll(bytes) }
  }

  func write(_ text: String, to path: FilePath) throws {
    try write(Array(text.utf8), to: path)
  }

  func setModificationTime(of path: FilePath, to seconds: Int) throws {
    let times = [timespec(tv_sec: seconds, tv_nsec: 0), timespec(tv_sec: seconds, tv_nsec: 0)]
    guard path.withPlatformString({ utimensat(AT_FDCWD, $0, times, 0) }) == 0 else { throw Errno(rawValue: errno) }
  }

  func move(_ name: FilePath, to newName: FilePath) throws {
    let result = library.pushing(name).withPlatformString { old in
      library.pushing(newName).withPlatformString { new in rename(old, new) }
    }
    guard result == 0 else { throw Errno(rawValue: errno) }
  }

  func remove(_ name: FilePath) throws {
    guard library.pushing(name).withPlatformString({ unlink($0) }) == 0 else { throw Errno(rawValue: errno) }
  }

  // MARK: - Pipelines

  /// A pipeline with an analyzer in the shell, beside tags and fingerprint, or whatever `analyzers` gives.
  /// - Parameter script: Gets the path as `$1`; must be without single quotes.
  func makePipeline(
    _ name: String = "pipeline", script: String, input: String = "path", timeout: Int = 60,
    analyzers: String = "  tags:\n  chromaprint:\n"
  ) throws -> Argument {
    let path = folder.file("\(name).yaml")
    try write(
      """
      decode: needed
      analyzers:
      \(analyzers)exec:
        probe:
          command: [sh, -c, '\(script)', sh, "{path}"]
          input: \(input)
          timeout_s: \(timeout)
      """, to: path)
    return Argument(path)
  }

  /// A pipeline whose analyzer `probe` takes the decoded audio and writes the path of the file into `log`: what is not in
  /// there was not decoded.
  func makePipelineThatLogs(analyzers: String = "  tags:\n  chromaprint:\n", name: String = "logging") throws
    -> Argument
  {
    try makePipeline(
      name, script: #"cat > /dev/null; printf "%s\n" "${1##*/}" >> \#(log); echo "{\"heard\": true}""#, input: "pcm",
      analyzers: analyzers)
  }

  var log: FilePath { folder.file("log") }

  /// Names of files in `log`, sorted; the log is empty afterwards.
  func takeLog() -> [String] {
    let text = (try? String(contentsOfFile: log.string, encoding: .utf8)) ?? ""
    try? FileManager.default.removeItem(atPath: log.string)
    return text.split(separator: "\n").map(String.init).sorted()
  }
}

/// The result of a run: its messages and its report.
struct LibraryOutcome {
  let status: Int
  let output: [UInt8]
  let errors: String
  /// `null` if none was written.
  let report: JSONValue

  init(_ outcome: Outcome, report: JSONValue?) {
    status = outcome.status
    output = outcome.output
    errors = outcome.errors
    self.report = report ?? .null
  }

  /// The totals of the summary, without those that are zero.
  var summary: [String: Int] {
    var totals: [String: Int] = [:]
    for match in errors.matches(of: /(?m)^  (seen|analyzed|partial|cached|failed|skipped|vanished|waiting) +(\d+)/) {
      if let count = Int(match.2), count > 0 { totals[String(match.1)] = count }
    }
    return totals
  }

  /// The totals of the report, without those that are zero.
  var totals: [String: Int] {
    guard case .object(let members) = report["run"]["totals"] else { return [:] }
    return members.compactMapValues(\.intValue).filter { $0.value > 0 }
  }

  /// Without the times at which they were analyzed, in which equal findings differ.
  var files: [JSONValue] {
    report["files"].elements.map(\.withoutTime)
  }
  /// Last components of the paths, in the order of the report.
  var names: [String] { files.map { FilePath($0["path"].textValue).lastComponent?.string ?? "" } }

  func file(_ name: String) -> JSONValue {
    files.first { FilePath($0["path"].textValue).lastComponent?.string == name } ?? .null
  }
}

extension JSONValue {
  /// The member of an object; `null` if there is none.
  subscript(_ key: String) -> JSONValue {
    if case .object(let members) = self { members[key] ?? .null } else { .null }
  }

  /// The record of a file without the time at which it was analyzed.
  var withoutTime: JSONValue {
    guard case .object(var members) = self else { return self }
    members["analyzed_at"] = nil
    return .object(members)
  }

  var elements: [JSONValue] { if case .array(let elements) = self { elements } else { [] } }
  var textValue: String { if case .string(let text) = self { text } else { "" } }
  /// Not a number if the value is not one.
  var numberValue: Double {
    switch self {
    case .number(let number): number
    case .integer(let number): Double(number)
    default: .nan
    }
  }
  var intValue: Int? { if case .integer(let number) = self { Int(number) } else { nil } }
}

/// Audio for the libraries of tests.
enum Audio {
  /// Earlier results: noise is slow to make without an optimizer.
  private static let untagged = Mutex<[UInt64: [UInt8]]>([:])

  /// Four seconds of noise as WAV, another for each seed.
  /// - Parameter title: For a tag in a RIFF INFO chunk behind the audio.
  static func wav(_ seed: UInt64, title: String? = nil) -> [UInt8] {
    var bytes = untagged.withLock { made in
      if let bytes = made[seed] { return bytes }
      let bytes = WAVFile(.noise(seed: seed, sampleRate: 11_025, seconds: 4)).bytes
      made[seed] = bytes
      return bytes
    }
    if let title { tag(&bytes, title: title) }
    return bytes
  }

  /// Puts a title into a WAV file.
  static func tag(_ bytes: inout [UInt8], title: String) {
    var text = Array(title.utf8) + [0]
    if text.count % 2 == 1 { text.append(0) }
    let content = Array("INFOINAM".utf8) + littleEndian(title.utf8.count + 1) + text
    bytes += Array("LIST".utf8) + littleEndian(content.count) + content
    bytes.replaceSubrange(4..<8, with: littleEndian(bytes.count - 8))
  }

  /// Bytes that no decoder recognizes as audio.
  static let junk: [UInt8] = {
    var random = SplitMix64(seed: 99)
    return (0..<4_000).map { _ in .random(in: 0...255, using: &random) }
  }()

  private static func littleEndian(_ number: Int) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
  }
}
