internal import HTTPTypes
internal import Synchronization

/// Counts recent wrong tokens. Correct tokens are not counted and are always accepted: tokens are too long to be
/// guessed anyway, and the limit only slows guessing down.
package final class FailedAttempts: Sendable {
  /// Maximum number of wrong tokens from one network within `window`. Further wrong tokens are refused with status 429.
  static let maximum = 20
  static let window = Duration.seconds(60)
  private static let maximumNetworks = 4096

  private struct Count {
    var count: Int
    var end: ContinuousClock.Instant
  }

  private let counts = Mutex<[[UInt8]: Count]>([:])

  package init() {}

  /// Returns the time until `address` may try again; `nil` if it does not have to wait.
  func wait(for address: NetworkAddress?, now: ContinuousClock.Instant = .now) -> Duration? {
    counts.withLock { counts in
      guard let count = counts[Self.key(address, in: counts)], count.count >= Self.maximum, count.end > now else {
        return nil
      }
      return count.end - now
    }
  }

  /// Counts a wrong token.
  /// - Throws: `RequestError` with status 429 after too many wrong tokens.
  package func note(_ address: NetworkAddress?) throws(RequestError) {
    if let wait = wait(for: address) {
      throw RequestError(
        .tooManyRequests, "There were too many wrong tokens. Wait a minute, or send a valid one.",
        retryAfter: Int(wait.components.seconds) + 1)
    }
    add(address)
  }

  func add(_ address: NetworkAddress?, now: ContinuousClock.Instant = .now) {
    counts.withLock { counts in
      if counts.count >= Self.maximumNetworks { counts = counts.filter { $0.value.end > now } }
      Self.count(&counts[Self.key(address, in: counts), default: Count(count: 0, end: now)], now)
    }
  }

  private static func count(_ count: inout Count, _ now: ContinuousClock.Instant) {
    if count.end <= now { count = Count(count: 0, end: now + window) }
    count.count += 1
  }

  /// The key of the count for `address`. If the table is full, this is an attack from many networks. New networks then
  /// share one count.
  private static func key(_ address: NetworkAddress?, in counts: [[UInt8]: Count]) -> [UInt8] {
    let network = address?.network ?? []
    return counts[network] == nil && counts.count >= maximumNetworks ? [] : network
  }
}
