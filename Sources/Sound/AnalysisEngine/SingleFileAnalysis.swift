public import Analysis
public import SystemPackage
public import Text

/// Analyzes one file outside a run, with a few analyzers. The creator of the value decides whether that happens in this
/// process or in a worker.
public struct SingleFileAnalysis: Sendable {
  /// The analyzers to run, with settings of their own.
  public struct Request: Sendable {
    /// The name of the request in messages.
    public var name: String
    /// The ids of the analyzers, in order, with the settings of each.
    public var analyzers: [(id: String, settings: [String: JSONValue])]
    /// The analyzers whose ids are in `analyzers`.
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
  ///   - analyze: Carries out a request; returns `nil` if canceled.
  public init(
    timeLimit: TimeLimit, analyze: @escaping @Sendable (AnalysisJob, Request) throws -> FileAnalysis?
  ) {
    self.timeLimit = timeLimit
    self.analyze = analyze
  }

  /// - Returns: `nil` if canceled.
  public func callAsFunction(_ path: FilePath, _ request: Request) throws -> FileAnalysis? {
    try analyze(AnalysisJob(path: path, timeLimit: timeLimit), request)
  }
}
