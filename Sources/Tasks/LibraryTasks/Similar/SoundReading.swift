internal import Analysis
package import AnalysisEngine
internal import BuiltInAnalyzers
package import Pipeline
internal import Records
internal import SystemPackage

/// Computes the descriptor of a file that is not in the database, as a run would.
package struct SoundReading: Sendable {
  private let timeLimit: TimeLimit
  private let isolation: @Sendable (PipelineDefinition, AnalysisPlan) -> LibraryRun.Isolation

  /// - Parameter isolation: Returns the isolation that runs a plan made from the whole definition.
  package init(
    timeLimit: TimeLimit, isolation: @escaping @Sendable (PipelineDefinition, AnalysisPlan) -> LibraryRun.Isolation
  ) {
    self.timeLimit = timeLimit
    self.isolation = isolation
  }

  /// Returns a record with the descriptor, and the fingerprint that identifies copies of the recording.
  /// - Throws: `SimilarTracksError.cannotRead`.
  func record(of path: FilePath) throws -> FileRecord {
    let ids = [LikenessFinding.analyzer, FingerprintFinding.analyzer]
    let definition = PipelineDefinition(name: "similar", entries: ids.map { PipelineDefinition.Entry(id: $0) })
    let plan = try definition.plan(with: BuiltInAnalyzers.all)
    let isolation = isolation(definition, plan)
    defer { isolation.close() }
    let analysis = try isolation.analysis(
      of: AnalysisJob(path: path, timeLimit: timeLimit), by: plan.makeFileAnalyzer())
    guard let analysis else { throw SimilarTracksError.cannotRead(path, reason: "reading it was abandoned") }
    if analysis.status == .failed {
      throw SimilarTracksError.cannotRead(path, reason: analysis.problem?.message ?? "no audio was found in it")
    }
    return FileRecord(path: path, sizeBytes: nil, modified: nil, analysis: analysis)
  }
}
