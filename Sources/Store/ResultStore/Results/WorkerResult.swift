public import Analysis
public import Platform
public import SystemPackage

public struct WorkerResult: Sendable {
  public enum Content: Sendable {
    case analysis(FileAnalysis, of: FileStamp)
    case skipped(SkippedFile)
  }

  public var content: Content
  /// The start of the analysis.
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

public struct ResultOrigin: Hashable, Sendable {
  public var pipeline: String
  /// The digest of the pipeline's resolved configuration.
  public var digest: String
  public var wanted: WantedAnalyses

  public init(pipeline: String, digest: String, wanted: WantedAnalyses) {
    self.pipeline = pipeline
    self.digest = digest
    self.wanted = wanted
  }
}

/// The outcome of merging results. It counts results, not files; a file may have several results.
public struct MergeCounts: Hashable, Sendable {
  /// Results that changed the store.
  public var merged = 0
  public var unchanged = 0
  /// Results that are older than the stored one, or worse because of a transient problem.
  public var outdated = 0

  public init() {}
}
