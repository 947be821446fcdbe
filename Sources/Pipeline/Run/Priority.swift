internal import CSpawn

/// How much this process stands back behind others.
public enum Priority {
  /// Gives this process, and what it starts, at least this niceness; with more than 0, disk access only while nobody else
  /// wants it, too. What it was started with counts in any case.
  public static func lower(toNiceness niceness: Int) {
    cspawn_lower_priority(Int32(niceness), niceness > 0 ? 1 : 0)
  }

  /// Gives the calling thread what the process was given: threads that came later may lack it.
  static func shareWithThisThread() {
    cspawn_share_priority()
  }
}
