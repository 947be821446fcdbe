internal import NIOCore

/// How far a connection is with reading requests and taking answers, and whether it is too slow.
struct ConnectionState {
  private enum Reading: Equatable {
    /// Between requests.
    case nothing(since: NIODeadline)
    case head(since: NIODeadline)
    /// The bytes came in since `since`.
    case body(since: NIODeadline, byteCount: Int)
  }

  enum Verdict: Equatable {
    case goOn
    case close
    /// The request does not come; tell that, then close.
    case requestTimeout
  }

  private let limits: ConnectionLimits
  private var reading: Reading
  private var hasHadRequest = false
  /// Requests whose answers have not ended.
  private(set) var pending = 0
  /// When the client had bytes to read and took some.
  private var lastTaken: NIODeadline
  private var written = 0
  private var taken = 0
  /// When the body of a request that is answered must have ended.
  private var drainEnd: NIODeadline?
  /// Whether we want bytes from the client; if not, it is not the client who is slow.
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
    case .body: drainEnd = now + limits.drainTime
    }
  }

  mutating func wrote(_ byteCount: Int, now: NIODeadline) {
    // Nothing waited: the time to take it begins now.
    if written == taken { lastTaken = now }
    written += byteCount
  }

  // MARK: Too slow?

  /// - Parameter waiting: bytes of answers that the client has not taken.
  mutating func verdict(waiting: Int, now: NIODeadline) -> Verdict {
    if written - waiting != taken {
      taken = written - waiting
      lastTaken = now
    }
    if waiting > 0, now - lastTaken > limits.readTime { return .close }
    if let drainEnd, now > drainEnd { return .close }
    switch reading {
    case .nothing(let since):
      return pending == 0 && now - since > (hasHadRequest ? limits.idleTime : limits.headTime) ? .close : .goOn
    case .head(let since):
      return pending == 0 && now - since > limits.headTime ? .requestTimeout : .goOn
    case .body(let since, let byteCount):
      guard now - since > limits.bodyTime else { return .goOn }
      if wantsBytes && byteCount < limits.bodyBytes { return pending == 1 ? .requestTimeout : .close }
      reading = .body(since: now, byteCount: 0)
      return .goOn
    }
  }
}
