public import Analysis
public import SystemPackage
public import Text

/// Analyzes one file outside a run, with a few analyzers: in this process or in a worker, as whoever makes the value
/// decides.
public struct SingleFileAnalysis: Sendable {
  /// The analyzers to run, with settings of their own.
  public struct Request: Sendable {
    /// Names the request in messages.
    public var name: String
    /// Settings by the ids of the analyzers, in their order.
    public var analyzers: [(id: String, settings: [String: JSONValue])]
    /// The analyzers that those ids name.
    public var kinds: [AnalyzerKind]

    public init(name: String, analyzers: [(id: String, settings: [String: JSONValue])], kinds: [AnalyzerKind]) {
      self.name = name
      self.analyzers = analyzers
      self.kinds = kinds
    }
  }

  private let timeLimit: TimeLimit
  private let analyze: @Sendable (AnalysisJob, Request) throws -> FileAnalysis?

  /// - Parameters:
  ///   - timeLimit: The time that one file may take.
  ///   - analyze: Carries out a request; `nil` if it was given up.
  public init(
    timeLimit: TimeLimit, analyze: @escaping @Sendable (AnalysisJob, Request) throws -> FileAnalysis?
  ) {
    self.timeLimit = timeLimit
    self.analyze = analyze
  }

  /// - Returns: `nil` if reading the file was given up.
  public func callAsFunction(_ path: FilePath, _ request: Request) throws -> FileAnalysis? {
    try analyze(AnalysisJob(path: path, timeLimit: timeLimit), request)
  }
}
