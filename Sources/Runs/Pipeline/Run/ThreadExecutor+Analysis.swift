internal import Platform

extension ThreadExecutor {
  /// Creates the threads for decoding and analysis, with the priority of the process.
  static func forAnalysis(jobs: Int) throws(ResourceError) -> ThreadExecutor {
    try ThreadExecutor(threadCount: jobs) { Priority.shareWithThread() }
  }
}
