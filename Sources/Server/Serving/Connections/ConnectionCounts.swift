internal import Synchronization

/// Counts the connections from each IPv4 address and each IPv6 network (/64).
package final class ConnectionCounts: Sendable {
  private let limits: ConnectionLimits
  private let isExempt: @Sendable (NetworkAddress) -> Bool
  private let counts = Mutex<[[UInt8]: Int]>([:])

  /// - Parameter isExempt: Returns `true` for addresses without a limit: those of this machine and of trusted proxies.
  package init(_ limits: ConnectionLimits, isExempt: @escaping @Sendable (NetworkAddress) -> Bool) {
    self.limits = limits
    self.isExempt = isExempt
  }

  /// - Returns: `true` if the connection may stay; in that case, `remove` must be called when it ends.
  func add(_ address: NetworkAddress?) -> Bool {
    guard let address, !isExempt(address) else { return true }
    return counts.withLock { counts in
      guard counts[address.network, default: 0] < limits.connectionsPerAddress else { return false }
      counts[address.network, default: 0] += 1
      return true
    }
  }

  func remove(_ address: NetworkAddress?) {
    guard let address, !isExempt(address) else { return }
    counts.withLock { counts in
      counts[address.network, default: 0] -= 1
      if counts[address.network] == 0 { counts[address.network] = nil }
    }
  }
}
