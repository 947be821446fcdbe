public import Analysis
public import Platform
public import SystemPackage

/// A result that was made elsewhere.
public struct WorkerResult: Sendable {
  public enum Content: Sendable {
    case analysis(FileAnalysis, of: FileStamp)
    case skipped(SkippedFile)
  }

  public var content: Content
  /// When the analysis began.
  public var analyzed: Timestamp

  public init(_ content: Content, analyzed: Timestamp) {
    self.content = content
    self.analyzed = analyzed
  }

  public var path: FilePath {
    switch content {
    case .analysis(_, let stamp): stamp.path
    case .skipped(let file): file.path
    }
  }
}

/// The origin of a result.
public struct ResultOrigin: Hashable, Sendable {
  /// Name of the pipeline.
  public var pipeline: String
  /// Digest of the pipeline's resolved configuration.
  public var digest: String
  public var wanted: WantedAnalyses

  public init(pipeline: String, digest: String, wanted: WantedAnalyses) {
    self.pipeline = pipeline
    self.digest = digest
    self.wanted = wanted
  }
}

/// The outcome of merging results. Results are counted here and not files, which may have many.
public struct MergeCounts: Hashable, Sendable {
  /// The store knows more than before.
  public var merged = 0
  /// The very result is in the store.
  public var unchanged = 0
  /// The store has something newer, or something better than a result that the circumstances have spoilt.
  public var outdated = 0

  public init() {}
}
