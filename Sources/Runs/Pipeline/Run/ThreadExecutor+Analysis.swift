internal import Platform

extension ThreadExecutor {
  /// Threads for decoding and analysis. They have the priority of the process.
  static func forAnalysis(jobs: Int) throws(ResourceError) -> ThreadExecutor {
    try ThreadExecutor(threadCount: jobs) { Priority.shareWithThread() }
  }
}
