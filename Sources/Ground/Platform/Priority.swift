internal import CSpawn

/// How far this process yields to others.
public enum Priority {
  /// Gives this process and its child processes at least this niceness. If it is more than 0, they also access the disk
  /// only when no other process does. A higher niceness that was inherited is kept.
  public static func lower(toNiceness niceness: Int) {
    cspawn_lower_priority(Int32(niceness), niceness > 0 ? 1 : 0)
  }

  /// Gives the calling thread at least this niceness, and what it starts from now on.
  public static func lowerThread(toNiceness niceness: Int) { cspawn_lower_thread_priority(Int32(niceness)) }

  /// Gives the calling thread the priority of the process, which a thread that was started later may lack.
  public static func shareWithThread() { cspawn_share_priority() }
}
