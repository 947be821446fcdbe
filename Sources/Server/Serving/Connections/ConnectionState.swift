internal import NIOCore

/// The progress of a client in sending requests and reading responses. It shows whether the client is too slow.
struct ConnectionState {
  private enum Reading: Equatable {
    /// The connection is between requests.
    case nothing(since: NIODeadline)
    case head(since: NIODeadline)
    /// `byteCount` bytes have arrived since `since`.
    case body(since: NIODeadline, byteCount: Int)
  }

  enum Verdict: Equatable {
    case proceed
    case close
    /// The request does not arrive: respond with 408, then close the connection.
    case requestTimeout
  }

  private let limits: ConnectionLimits
  private var reading: Reading
  private var hasHadRequest = false
  /// Number of requests whose responses have not ended yet.
  private(set) var pending = 0
  /// The last time at which the client read some of the waiting bytes, or at which bytes began to wait.
  private var lastTaken: NIODeadline
  private var written = 0
  private var taken = 0
  /// The deadline for the body of a request that has already been answered.
  private var drainEnd: NIODeadline?
  /// `true` while the server waits for bytes. Otherwise, a delay is not the client's fault.
  private var wantsBytes = true

  init(_ limits: ConnectionLimits, now: NIODeadline) {
    self.limits = limits
    reading = .nothing(since: now)
    lastTaken = now
  }

  // MARK: Events

  mutating func asksForBytes() { wantsBytes = true }

  mutating func received(_ byteCount: Int, now: NIODeadline) {
    wantsBytes = false
    switch reading {
    case .nothing: reading = .head(since: now)
    case .head: break
    case .body(let since, let sum): reading = .body(since: since, byteCount: sum + byteCount)
    }
  }

  mutating func headEnded(now: NIODeadline) {
    hasHadRequest = true
    pending += 1
    reading = .body(since: now, byteCount: 0)
  }

  mutating func requestEnded(now: NIODeadline) {
    reading = .nothing(since: now)
    drainEnd = nil
  }

  mutating func answerEnded(now: NIODeadline) {
    pending -= 1
    switch reading {
    case .nothing: reading = .nothing(since: now)
    case .head: break
    // Otherwise, the body belongs to a later request, which is still to be answered.
    case .body: if pending == 0 { drainEnd = now + limits.drainTime }
    }
  }

  mutating func wrote(_ byteCount: Int, now: NIODeadline) {
    // No bytes were waiting before, so the time to read the new ones begins now.
    if written == taken { lastTaken = now }
    written += byteCount
  }

  // MARK: Too slow?

  /// - Parameter waiting: Number of bytes of responses that the client has not read.
  mutating func verdict(waiting: Int, now: NIODeadline) -> Verdict {
    if written - waiting != taken {
      taken = written - waiting
      lastTaken = now
    }
    if waiting > 0, now - lastTaken > limits.readTime { return .close }
    if let drainEnd, now > drainEnd { return .close }
    switch reading {
    case .nothing(let since):
      return pending == 0 && now - since > (hasHadRequest ? limits.idleTime : limits.headTime) ? .close : .proceed
    case .head(let since):
      return pending == 0 && now - since > limits.headTime ? .requestTimeout : .proceed
    case .body(let since, let byteCount):
      guard now - since > limits.bodyTime else { return .proceed }
      if wantsBytes && byteCount < limits.bodyBytes { return pending == 1 ? .requestTimeout : .close }
      reading = .body(since: now, byteCount: 0)
      return .proceed
    }
  }
}
