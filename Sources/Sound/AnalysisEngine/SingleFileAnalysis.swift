public import Analysis
public import SystemPackage
public import Text

/// Analyzes one file outside a run, with a few analyzers. The code that creates the value decides whether the analysis
/// happens in this process or in a worker.
public struct SingleFileAnalysis: Sendable {
  /// The analyzers to run, with specific settings.
  public struct Request: Sendable {
    /// The name that messages use for the request.
    public var name: String
    /// The IDs of the analyzers, each with its settings.
    public var analyzers: [(id: String, settings: [String: JSONValue])]
    /// The analyzer kinds whose IDs are in `analyzers`.
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
  ///   - timeLimit: The time limit for one file.
  ///   - analyze: Analyzes a file with the analyzers of a request; returns `nil` if canceled.
  public init(
    timeLimit: TimeLimit, analyze: @escaping @Sendable (AnalysisJob, Request) throws -> FileAnalysis?
  ) {
    self.timeLimit = timeLimit
    self.analyze = analyze
  }

  /// - Returns: `nil` if the analysis was canceled.
  public func callAsFunction(_ path: FilePath, _ request: Request) throws -> FileAnalysis? {
    try analyze(AnalysisJob(path: path, timeLimit: timeLimit), request)
  }
}
