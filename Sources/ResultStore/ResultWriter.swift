public import AudioAnalysis

/// What one analysis of one waiting file has brought.
public struct FileResult: Sendable {
  public var fileID: Int64
  public var analysis: FileAnalysis

  public init(fileID: Int64, analysis: FileAnalysis) {
    self.fileID = fileID
    self.analysis = analysis
  }
}

/// What a run has stored so far.
public struct WriteCounts: Hashable, Sendable {
  /// Files with status `ok` or `partial`.
  public var analyzed = 0
  /// Files with status `failed`.
  public var failed = 0
  /// Of `failed`, those that were not failing before.
  public var newlyFailed = 0
  /// Of `analyzed`, those whose audio was known.
  public var reused = 0

  public init() {}
}

/// Stores results. Row, findings and search index of a file are written in one transaction: whenever the process ends, they
/// are there together or not at all.
///
/// Calls may come from any thread, one after the other; each blocks until its transaction is done.
public final class ResultWriter: Sendable {
  public init(store: ResultStore, run: Int64, wanted: WantedAnalyses) { fatalError() }

  public var counts: WriteCounts { fatalError() }

  /// Stores some results (about 200 at a time are best) in one transaction.
  ///
  /// A new outcome replaces the old one of the same analyzer. Old outcomes that were not made again stay if the file has
  /// not changed; if it has, those that read audio stay or are copied from any file with the same content id where
  /// `reusesKnownAudio` says so, and all others go.
  public func commit(_ results: [FileResult]) throws(StoreError) { fatalError() }
}
