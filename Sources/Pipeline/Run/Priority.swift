internal import CSpawn
internal import System

/// How much this process stands back behind others.
public enum Priority {
  /// Gives this process, and what it starts, at least this niceness; with more than 0, disk access only while nobody else
  /// wants it, too. What it was started with counts in any case.
  public static func lower(toNiceness niceness: Int) {
    cspawn_lower_priority(Int32(niceness), niceness > 0 ? 1 : 0)
  }
}

extension ThreadExecutor {
  /// Threads for decoding and analysis. They have the priority that the process was given, which threads that came later
  /// may lack.
  static func forAnalysis(jobs: Int) throws(ResourceError) -> ThreadExecutor {
    try ThreadExecutor(threadCount: jobs) { cspawn_share_priority() }
  }
}
