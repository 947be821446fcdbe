internal import CSpawn

/// How much this process stands back behind others.
public enum Priority {
  /// Gives this process, and what it starts, at least this niceness, and disk access only while nobody else wants it.
  public static func lower(toNiceness niceness: Int) {
    cspawn_lower_priority(Int32(niceness))
  }
}
