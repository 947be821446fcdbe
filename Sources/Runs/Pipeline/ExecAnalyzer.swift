public import Analysis
internal import LibraryScan
internal import Platform
internal import SystemPackage
internal import Text

/// An analyzer that is an external program. It receives a file's path or audio, and prints its finding as one JSON
/// object.
///
/// The program is started once for each file. Its standard error is discarded unless the program fails, in which case
/// the last line becomes part of the reason. The analyzer fails, for that file only, if the exit status is not 0, if
/// the output is not exactly one JSON object, or if the program keeps the pipeline waiting for too long.
public struct ExecAnalyzer: Sendable {
  public struct Configuration: AnalyzerConfiguration {
    public enum Input: String, ConfigurationChoice {
      /// The path of the file. It replaces each `{path}` in the arguments. Without `{path}`, the path is added as the
      /// last argument.
      case path
      /// Mono audio on standard input: 32-bit floats, little-endian, with full scale at ±1. `{path}` is replaced, too.
      case pcm
    }

    /// The program and its arguments. The program is looked up in `PATH` if it contains no slash. No shell is used.
    public var command: [String] = []
    public var input = Input.path
    /// Sample rate in Hz of the audio for `pcm`.
    public var sampleRate = 22_050
    /// Maximum time, in seconds, for which the program may keep the pipeline waiting for one file.
    public var timeout = 300.0
    /// The version of the program's findings. Increment it when they change, so that files are analyzed again.
    public var version = 1

    public init() {}

    enum CodingKeys: String, CodingKey {
      case command, input, version
      case sampleRate = "sample_rate_hz"
      case timeout = "timeout_s"
    }
  }

  public let id: String
  public let configuration: Configuration

  public init(id: String, _ configuration: Configuration) throws(ConfigurationError) {
    guard let program = configuration.command.first, !program.isEmpty else {
      throw ConfigurationError(key: "command", problem: "must name a program, such as [python3, key.py]")
    }
    guard !configuration.command.contains(where: { $0.utf8.contains(0) }) else {
      throw ConfigurationError(key: "command", problem: "must not contain zero bytes")
    }
    guard (1_000...192_000).contains(configuration.sampleRate) else {
      throw ConfigurationError(
        key: "sample_rate_hz", problem: "must be 1000 to 192000 Hz, not \(configuration.sampleRate)")
    }
    guard (0.1...86_400).contains(configuration.timeout) else {
      throw ConfigurationError(key: "timeout_s", problem: "must be 0.1 to 86400 seconds, not \(configuration.timeout)")
    }
    guard configuration.version >= 1 else {
      throw ConfigurationError(key: "version", problem: "must be 1 or more, not \(configuration.version)")
    }
    self.id = id
    self.configuration = configuration
  }

  public var feed: Feed {
    switch configuration.input {
    case .path: .file
    case .pcm: .samples(SampleLayout(rate: .hertz(configuration.sampleRate)))
    }
  }

  /// Creates the analyzer for a pipeline.
  ///
  /// - Parameter resampler: Name of the pipeline's resampler.
  public func plugin(resampler: String) throws(ConfigurationError) -> AnalyzerPlugin {
    let settings = try configuration.settings()
    // The timeout does not affect findings. The sample rate does not, either, if the program receives no audio.
    var shaping = settings
    shaping["timeout_s"] = nil
    if configuration.input == .path { shaping["sample_rate_hz"] = nil }
    return AnalyzerPlugin(
      id: id, version: configuration.version, feed: feed, configuration: .object(settings),
      shapingFinding: .object(shaping), resampler: resampler
    ) { [self] (file) throws(AnalysisError) in try makeSession(for: file) }
  }

  /// Kills all child processes, including the programs of exec analyzers. Used if a pipeline must end immediately.
  public static func killRunningPrograms() { ChildProcess.killAll() }

  private func makeSession(for file: AudioFile) throws(AnalysisError) -> Session {
    let program = configuration.command[0]
    do {
      let process = try PipedProcess(
        ProgramCommand(arguments(for: file.path)), hasInput: configuration.input == .pcm,
        patience: .seconds(configuration.timeout))
      return Session(
        process: process, program: program, timeout: configuration.timeout,
        fileRead: configuration.input == .path ? file : nil)
    } catch {
      throw Session.error(error, of: program, timeout: configuration.timeout, standardError: [])
    }
  }

  /// Inserts the bytes of the path into the command.
  private func arguments(for path: FilePath) -> [[UInt8]] {
    var bytes = path.withBytes { unsafe Array($0) }
    // A relative path must not be mistaken for an option.
    if bytes.first == UInt8(ascii: "-") { bytes = Array("./".utf8) + bytes }
    let pathMark = Array("{path}".utf8)
    var isFilledIn = false
    var arguments = configuration.command.map { argument in
      let argument = Array(argument.utf8)
      guard argument.contains(pathMark) else { return argument }
      isFilledIn = true
      return argument.replacing(pathMark, with: bytes)
    }
    if configuration.input == .path, !isFilledIn { arguments.append(bytes) }
    return arguments
  }

  struct Session: AnalysisSession {
    let process: PipedProcess
    let program: String
    let timeout: Double
    /// The file, if the program opens it by its path.
    let fileRead: AudioFile?

    var wantsMore: Bool { process.acceptsInput }

    mutating func consume(_ values: Span<Float>, at index: Int64) throws(AnalysisError) {
      do {
        // All machines that run Swift are little-endian, as the program expects.
        try values.withUnsafeBytes { (bytes) throws(PipedProcess.Failure) in try process.write(bytes) }
      } catch {
        throw Self.error(error, of: program, timeout: timeout, standardError: process.errorTail)
      }
    }

    mutating func finish() throws(AnalysisError) -> JSONFinding {
      let ending: ChildProcess.Ending
      do {
        ending = try process.waitForEnd()
      } catch {
        throw Self.error(error, of: program, timeout: timeout, standardError: process.errorTail)
      }
      switch ending {
      case .status(0): break
      case .status(let status):
        throw Self.error("\(program) ended with status \(status)", standardError: process.errorTail)
      case .signal(let signal):
        throw Self.error(
          "\(program) was ended by signal \(signal) (\(ChildProcess.Ending.signalName(signal)))",
          standardError: process.errorTail)
      }
      if let fileRead, let named = ScannedFile(lookingAt: fileRead.path),
        named.inode != ScannedFile(lookingAt: fileRead.openPath)?.inode
      {
        throw .failed("Another file replaced this one while \(program) was running.")
      }
      guard let value = try? JSONValue(parsing: process.output), case .object = value else {
        throw Self.error(
          "\(program) must print exactly one JSON object, but printed \(Self.summary(of: process.output))",
          standardError: process.errorTail)
      }
      return JSONFinding(value)
    }

    static func error(
      _ failure: PipedProcess.Failure, of program: String, timeout: Double, standardError: [UInt8]
    ) -> AnalysisError {
      switch failure {
      case .cannotStart(let reason): error("\(program) cannot be started: \(reason)", standardError: standardError)
      case .timeout:
        error("\(program) kept the pipeline waiting for \(timeout) s and was killed", standardError: standardError)
      case .tooMuchOutput:
        error(
          "\(program) printed more than \(PipedProcess.outputLimit >> 20) MiB and was killed",
          standardError: standardError)
      }
    }

    /// Appends the last line of standard error, if there is one, to a sentence.
    private static func error(_ sentence: String, standardError: [UInt8]) -> AnalysisError {
      let lines = String(decoding: standardError, as: UTF8.self).split(whereSeparator: \.isNewline)
      let last = lines.last { !$0.allSatisfy(\.isWhitespace) }
      return .failed(last.map { "\(sentence): \(printable($0))" } ?? "\(sentence).")
    }

    private static func summary(of output: [UInt8]) -> String {
      guard !output.isEmpty else { return "nothing" }
      return "“\(printable(String(decoding: output.prefix(400), as: UTF8.self).prefix(60)))” (\(output.count) bytes)"
    }

    /// Returns at most 300 characters, without line breaks and control characters.
    private static func printable(_ text: Substring) -> String {
      String(text.prefix(300).map { $0.isNewline || $0.unicodeScalars.contains { $0.value < 0x20 } ? " " : $0 })
    }
  }
}
