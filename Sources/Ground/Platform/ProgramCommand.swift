internal import CSpawn
internal import Glibc
public import SystemPackage

/// A program with its arguments and execution environment, which `ChildProcess` starts.
public struct ProgramCommand: Sendable {
  /// Limits that apply from the program's first instruction on. The program cannot raise them.
  public struct Limits: Hashable, Sendable {
    /// Maximum writable memory in bytes; allocations beyond it fail. `nil` for no limit.
    public var memory: Int?
    /// Maximum processor time in seconds; a program that exceeds it is killed (SIGXCPU). `nil` for no limit.
    public var processorSeconds: Int?

    public init(memory: Int? = nil, processorSeconds: Int? = nil) {
      self.memory = memory
      self.processorSeconds = processorSeconds
    }
  }

  /// The name (looked up in `PATH` if it has no slash) and the arguments: any bytes except zero.
  public var words: [[UInt8]]
  /// The environment variables; `nil` to use the environment of this process.
  public var environment: [String: String]?
  /// The working folder; `nil` to use that of this process.
  public var workingFolder: FilePath?
  /// `true` if everything that the program starts ends with it, even in other process groups. Use this only for
  /// programs that start such groups, because finding them requires a scan of all processes.
  public var leadsSession = false
  public var limits = Limits()
  public var niceness = 0

  public init(_ words: [[UInt8]]) { self.words = words }

  public init(_ words: [String]) { self.init(words.map { Array($0.utf8) }) }

  /// - Returns: The process ID.
  func start(input: CInt, output: CInt, errors: CInt) throws(Errno) -> CInt {
    let arguments = Self.strings(words)
    let variables = Self.strings((environment ?? [:]).map { Array("\($0)=\($1)".utf8) })
    let folder = workingFolder.flatMap { Self.string($0.bytes) }
    defer { for string in arguments + variables + [folder] { free(string) } }
    var process: CInt = 0
    let problem = arguments.withUnsafeBufferPointer { arguments in
      variables.withUnsafeBufferPointer { variables in
        var program = cspawn_program()
        program.arguments = arguments.baseAddress
        program.environment = environment == nil ? nil : variables.baseAddress
        program.folder = folder.map { UnsafePointer($0) }
        program.descriptors = (input, output, errors)
        program.leads_session = leadsSession ? 1 : 0
        program.memory_limit = limits.memory ?? 0
        program.processor_seconds = UInt32(clamping: limits.processorSeconds ?? 0)
        program.niceness = CInt(clamping: niceness)
        return cspawn_start(&process, &program)
      }
    }
    guard problem == 0 else { throw Errno(rawValue: problem) }
    return process
  }

  private static func strings(_ words: [[UInt8]]) -> [UnsafeMutablePointer<CChar>?] { words.map(string) + [nil] }

  private static func string(_ bytes: [UInt8]) -> UnsafeMutablePointer<CChar>? {
    (bytes + [0]).withUnsafeBytes { strdup($0.baseAddress!.assumingMemoryBound(to: CChar.self)) }
  }
}
