package import Analysis
package import AnalysisEngine

extension LibraryRun.Isolation {
  /// Analyzes a single file in this process or in a worker.
  /// - Parameter analyzer: The analyzer to use in this process. Workers have their own.
  package func analysis(of job: AnalysisJob, by analyzer: FileAnalyzer) throws -> FileAnalysis? {
    switch self {
    case .none: analyzer.analyze(job)
    case .workers(let pool): try pool.analyze(job, isCancelled: { false })
    }
  }
}

extension SingleFileAnalysis {
  /// - Parameter isolation: Returns the isolation for a plan that was created from all analyzers of a definition.
  package init(
    timeLimit: TimeLimit,
    isolation: @escaping @Sendable (PipelineDefinition, AnalysisPlan) -> LibraryRun.Isolation = { _, _ in .none }
  ) {
    self.init(timeLimit: timeLimit) { job, request in
      let entries = request.analyzers.map { PipelineDefinition.Entry(id: $0.id, settings: $0.settings) }
      let definition = PipelineDefinition(name: request.name, entries: entries)
      let plan = try definition.plan(with: request.kinds)
      let isolation = isolation(definition, plan)
      defer { isolation.close() }
      return try isolation.analysis(of: job, by: plan.makeFileAnalyzer())
    }
  }
}
