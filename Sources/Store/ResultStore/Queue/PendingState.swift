/// The column `file.pending`: whether a file waits, why, and how many runs have died over it. Lower values are taken first.
struct PendingState: Hashable {
  private(set) var rawValue: Int64

  /// Nothing waits.
  init() { rawValue = 0 }
  init(rawValue: Int64) { self.rawValue = rawValue }

  /// The reason stands in the lowest bits, the number of deaths above them.
  static let reasonMask: Int64 = 7
  static let suspicionUnit: Int64 = 8

  var reason: PendingReason? { PendingReason(rawValue: Int(rawValue & Self.reasonMask)) }

  /// The same with another reason. A suspect stays one until it is analyzed, or nothing is left to be done.
  /// - Parameter deaths: of worker processes over this file.
  func with(_ reason: PendingReason?, deaths: Int = 0) -> PendingState {
    guard let reason else { return PendingState() }
    let suspicion = max(rawValue & ~Self.reasonMask, Int64(deaths) * Self.suspicionUnit)
    return PendingState(rawValue: Int64(reason.rawValue) | suspicion)
  }
}
