package import Analysis
package import AnalysisEngine
package import Pipeline

extension LibraryRun.Isolation {
  /// Analyzes a single file, in a worker process or in this one.
  /// - Parameter analyzer: Used without worker processes.
  package func analysis(of job: AnalysisJob, by analyzer: FileAnalyzer) throws -> FileAnalysis? {
    switch self {
    case .none: analyzer.analyze(job)
    case .workers(let pool): try pool.analyze(job, isCancelled: { false })
    }
  }
}
