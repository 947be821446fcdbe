internal import Synchronization

/// The activity of the server since its start.
package final class ServerMetrics: Sendable {
  /// The reason the server closed a connection.
  package enum EndReason: String, CaseIterable {
    case tooSlow = "too_slow"
    case notHTTP = "not_http"
    case tooMany = "too_many"
  }

  /// The properties of requests that are counted together.
  package struct Key: Hashable {
    package var method: String
    package var route: String
    package var status: Int
  }

  package struct Durations {
    /// The upper bounds in seconds.
    package static let bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
    /// Number of durations up to each of the `bounds` and above the previous one, followed by the number above all
    /// bounds.
    package var counts = [Int](repeating: 0, count: Durations.bounds.count + 1)
    package var sum = 0.0

    mutating func add(_ seconds: Double) {
      counts[Self.bounds.firstIndex { seconds <= $0 } ?? Self.bounds.count] += 1
      sum += seconds
    }
  }

  package struct State {
    package var requests: [Key: Int] = [:]
    package var durations: [String: Durations] = [:]
    package var requestsInProgress = 0
    package var sentBytes = 0
    package var connections = 0
    package var allConnections = 0
    package var ended: [EndReason: Int] = [:]
  }

  private let mutex = Mutex(State())

  package init() {}

  package var state: State { mutex.withLock { $0 } }

  func connectionBegan() {
    mutex.withLock {
      $0.connections += 1
      $0.allConnections += 1
    }
  }

  func connectionEnded() { mutex.withLock { $0.connections -= 1 } }
  func connectionEnded(because reason: EndReason) { mutex.withLock { $0.ended[reason, default: 0] += 1 } }
  func requestBegan() { mutex.withLock { $0.requestsInProgress += 1 } }

  /// - Parameter seconds: Time until the response began, not until it ended, because streams may last for hours.
  func requestEnded(_ key: Key, seconds: Double) {
    mutex.withLock { state in
      state.requestsInProgress -= 1
      state.requests[key, default: 0] += 1
      state.durations[key.route, default: Durations()].add(seconds)
    }
  }

  func sent(_ byteCount: Int) { mutex.withLock { $0.sentBytes += byteCount } }
}
