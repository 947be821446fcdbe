package import Analysis
package import AnalysisEngine
package import Pipeline

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
