internal import CSpawn

/// CPU and disk priority.
public enum Priority {
  /// Sets a minimum niceness for this process and its child processes. If they have inherited a higher one, they keep
  /// it. If `niceness` is more than 0, they also access the disk only when no other process does.
  public static func lower(toNiceness niceness: Int) {
    cspawn_lower_priority(Int32(niceness), niceness > 0 ? 1 : 0)
  }

  /// Sets a minimum niceness for the calling thread and the programs it starts from now on.
  public static func lowerThread(toNiceness niceness: Int) { cspawn_lower_thread_priority(Int32(niceness)) }

  /// Lowers the calling thread to the priority of the process. A thread that is started later may have a higher one.
  public static func shareWithThread() { cspawn_share_priority() }
}
