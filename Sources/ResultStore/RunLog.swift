public import AudioAnalysis

/// The runs that have worked on this database.
extension ResultStore {
  /// Opens a run: its id goes into every session of this run. Runs that are still open have died (the caller holds the run
  /// lock): they are marked so, and what they were working on will be taken last.
  public func beginRun(
    programVersion: String, pipeline: String, configuration: JSONValue, configurationDigest: String,
    analyzers: [AnalyzerIdentity], roots: [RunRecord.Root]
  ) throws(StoreError) -> Int64 { fatalError() }

  /// Closes a run. `roots` are those of `beginRun`, now with the condition the scan found them in.
  public func finishRun(
    _ run: Int64, state: RunRecord.State, exitStatus: Int?, roots: [RunRecord.Root], totals: RunTotals,
    newlyFailed: Int, pending: Int
  ) throws(StoreError) { fatalError() }

  public func run(_ id: Int64) throws(StoreError) -> RunRecord? { fatalError() }

  public func latestRun() throws(StoreError) -> RunRecord? { fatalError() }
}
