internal import CSpawn
internal import Platform

/// How far this process yields to others.
public enum Priority {
  /// Gives this process and its child processes at least this niceness. If it is more than 0, they also access the disk
  /// only when no other process does. A higher niceness that was inherited is kept.
  public static func lower(toNiceness niceness: Int) {
    cspawn_lower_priority(Int32(niceness), niceness > 0 ? 1 : 0)
  }
}

extension ThreadExecutor {
  /// Threads for decoding and analysis. They have the priority of the process; threads started later may lack it.
  static func forAnalysis(jobs: Int) throws(ResourceError) -> ThreadExecutor {
    try ThreadExecutor(threadCount: jobs) { cspawn_share_priority() }
  }
}
