package import Analysis
package import AnalysisEngine

extension LibraryRun.Isolation {
  /// Analyzes a single file where the settings say.
  /// - Parameter analyzer: For this process.
  package func analysis(of job: AnalysisJob, by analyzer: FileAnalyzer) throws -> FileAnalysis? {
    switch self {
    case .none: analyzer.analyze(job)
    case .workers(let pool): try pool.analyze(job, isCancelled: { false })
    }
  }
}

extension SingleFileAnalysis {
  /// - Parameter isolation: The place where a plan is carried out, which was made of all of a definition.
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
