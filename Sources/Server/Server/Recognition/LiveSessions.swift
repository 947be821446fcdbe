internal import Analysis
internal import HTTPTypes
internal import Platform
internal import RecognitionTasks
internal import Serving
internal import Synchronization

/// The live sessions of this server, and the threads that match their audio.
final class LiveSessions: Sendable {
  /// Times at which sessions are checked, ended and removed.
  struct Pace: Equatable, Sendable {
    /// Interval between two checks of all sessions.
    var check = Duration.seconds(1)
    /// Maximum time without audio. After that, the session ends.
    var idle = Duration.seconds(idleSeconds)
    /// Time for which a session that ended because it was idle can still be read.
    var afterlife = Duration.seconds(30)
    /// Number of checks between keep-alives on connections without events.
    var keepAliveChecks = 15
  }

  private struct State {
    var sessions: [String: LiveSession] = [:]
    var owners: [String: Client.Owner] = [:]
    var isClosed = false
    /// `true` if a task checks the sessions every second.
    var isTended = false
  }

  let catalog: ServedCatalog
  private let links: LibraryLinks
  private let threads: ThreadExecutor
  private let maximumCount: Int
  /// Maximum number of sessions per client.
  private let maximumShare: Int
  private let pace: Pace
  private let waiting = BufferBudget(limit: waitingLimit)
  private let state = Mutex(State())

  /// Maximum number of bytes of queued audio in all sessions.
  private static let waitingLimit = 128 << 20
  /// Maximum number of seconds without audio. After that, the session ends.
  static let idleSeconds: Int64 = 60

  /// - Throws: `ResourceError` if the system cannot start a thread.
  init(
    catalog: ServedCatalog, links: LibraryLinks, threadCount: Int, maximumCount: Int, pace: Pace = Pace()
  ) throws {
    self.catalog = catalog
    self.links = links
    self.pace = pace
    self.maximumCount = maximumCount
    maximumShare = max(1, maximumCount / 4)
    threads = try ThreadExecutor(threadCount: threadCount)
  }

  func open(_ limit: ConfidenceLimit, for owner: Client.Owner) throws(RequestError) -> LiveSession {
    // The id is the only credential of a session, so it must not be guessable.
    let number = ContentID(high: .random(in: 0 ... .max), low: .random(in: 0 ... .max))
    let session = LiveSession(id: number.description, limit: limit, waiting: waiting)
    let isFirst = try state.withLock { (state) throws(RequestError) in
      guard !state.isClosed else {
        throw RequestError(.serviceUnavailable, "The server is stopping. Try again later.", retryAfter: 5)
      }
      let open = state.sessions.filter { !$0.value.isEnded }
      guard open.keys.count(where: { state.owners[$0] == owner }) < maximumShare else {
        throw RequestError(
          .tooManyRequests,
          "This client already has \(maximumShare) sessions. End one of them first.",
          retryAfter: 10)
      }
      guard open.count < maximumCount else {
        throw RequestError(
          .serviceUnavailable, "The server already has \(maximumCount) sessions. Try again later.",
          retryAfter: 10)
      }
      state.sessions[session.id] = session
      state.owners[session.id] = owner
      defer { state.isTended = true }
      return !state.isTended
    }
    if isFirst { Task { await self.tend() } }
    return session
  }

  func session(_ id: String) throws(RequestError) -> LiveSession {
    guard let session = state.withLock({ $0.sessions[id] }) else {
      throw RequestError(
        .notFound, "There is no such session; it may have ended, after \(Self.idleSeconds) s without audio.")
    }
    return session
  }

  /// Number of open sessions.
  var count: Int { state.withLock { $0.sessions.values.count { !$0.isEnded } } }

  func end(_ session: LiveSession, because reason: String) {
    if session.end(because: reason) { listen(to: session) }
  }

  /// Schedules the matching of queued audio. After each chunk, another session gets its turn.
  func listen(to session: LiveSession) {
    Task(executorPreference: threads) { self.work(on: session) }
  }

  private func work(on session: LiveSession) {
    if session.listen(catalog, links) { listen(to: session) }
  }

  /// Ends all sessions and refuses new ones.
  func close() {
    let sessions = state.withLock { state in
      state.isClosed = true
      return Array(state.sessions.values)
    }
    for session in sessions { end(session, because: "The server is stopping.") }
  }

  /// Ends the threads. Called after all sessions have ended.
  func endThreads() { threads.close() }

  /// At each check, ends idle sessions, removes ended ones, and wakes event streams if keep-alives are due, until no
  /// sessions remain.
  private func tend() async {
    var checks = 0
    while true {
      try? await Task.sleep(for: pace.check)
      checks += 1
      let sessions = state.withLock { state in
        state.sessions = state.sessions.filter { _, session in
          !session.isEnded || session.idleTime < pace.idle + pace.afterlife
        }
        state.owners = state.owners.filter { id, _ in state.sessions[id] != nil }
        if state.sessions.isEmpty { state.isTended = false }
        return Array(state.sessions.values)
      }
      if sessions.isEmpty { return }
      for session in sessions {
        if session.idleTime >= pace.idle {
          end(session, because: "No audio arrived for \(Self.idleSeconds) s.")
        }
        if checks % pace.keepAliveChecks == 0 { session.wake() }
      }
    }
  }
}
