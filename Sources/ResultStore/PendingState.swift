/// The column `file.pending`: whether a file waits, why, and whether a run has died over it. Lower values are taken first.
struct PendingState: Hashable {
  private(set) var rawValue: Int64

  /// Nothing waits.
  init() { rawValue = 0 }
  init(rawValue: Int64) { self.rawValue = rawValue }

  static let suspectBit: Int64 = 8

  var reason: PendingReason? { PendingReason(rawValue: Int(rawValue & 7)) }

  /// The same with another reason. A suspect stays one until it is analyzed, or nothing is left to be done.
  func with(_ reason: PendingReason?) -> PendingState {
    guard let reason else { return PendingState() }
    return PendingState(rawValue: Int64(reason.rawValue) | rawValue & Self.suspectBit)
  }
}
