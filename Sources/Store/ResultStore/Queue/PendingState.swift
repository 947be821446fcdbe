/// The column `file.pending`: whether and why a file is waiting, and how many runs or workers have died on it. Files
/// with lower values are analyzed first.
struct PendingState: Hashable {
  private(set) var rawValue: Int64

  /// Creates the state of a file that is not waiting.
  init() { rawValue = 0 }
  init(rawValue: Int64) { self.rawValue = rawValue }

  /// Mask of the lowest bits, which contain the reason. The bits above them contain the number of deaths.
  static let reasonMask: Int64 = 7
  static let suspicionUnit: Int64 = 8

  var reason: PendingReason? { PendingReason(rawValue: Int(rawValue & Self.reasonMask)) }

  /// Returns the same state with another reason. A suspect file remains a suspect until it is analyzed or nothing
  /// remains to be done.
  /// - Parameter deaths: Number of worker processes lost on this file.
  func with(_ reason: PendingReason?, deaths: Int = 0) -> PendingState {
    guard let reason else { return PendingState() }
    let suspicion = max(rawValue & ~Self.reasonMask, Int64(deaths) * Self.suspicionUnit)
    return PendingState(rawValue: Int64(reason.rawValue) | suspicion)
  }
}
