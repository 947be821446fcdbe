internal import Analysis
internal import HTTPTypes
internal import Platform
internal import RecognitionTasks
internal import Serving
internal import Synchronization

/// The live sessions of this server, and the threads that listen for them.
final class LiveSessions: Sendable {
  private struct State {
    var sessions: [String: LiveSession] = [:]
    var owners: [String: Client.Owner] = [:]
    var isClosed = false
    /// A task looks after them every second.
    var isTended = false
  }

  let catalog: ServedCatalog
  private let links: LibraryLinks
  private let threads: ThreadExecutor
  private let maximumCount: Int
  /// The most sessions of one client.
  private let maximumShare: Int
  private let waiting = BufferBudget(limit: waitingLimit)
  private let state = Mutex(State())

  /// Bytes of audio that may wait in all sessions.
  private static let waitingLimit = 128 << 20
  /// Seconds without audio after which a session ends.
  static let idleSeconds: Int64 = 60
  /// Seconds for which the last events of a session can still be read.
  private static let afterlifeSeconds: Int64 = 30
  /// Seconds from one sign of life to the next, for connections on which nothing happens.
  private static let keepAliveSeconds = 15

  /// - Throws: `ResourceError` if the system gives no thread.
  init(catalog: ServedCatalog, links: LibraryLinks, threadCount: Int, maximumCount: Int) throws {
    self.catalog = catalog
    self.links = links
    self.maximumCount = maximumCount
    maximumShare = max(1, maximumCount / 4)
    threads = try ThreadExecutor(threadCount: threadCount)
  }

  func open(_ limit: ConfidenceLimit, for owner: Client.Owner) throws(RequestError) -> LiveSession {
    // A client that knows it may send and read: it cannot be guessed.
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
          "The server listens to \(maximumShare) sessions of this client already. End one of them first.",
          retryAfter: 10)
      }
      guard open.count < maximumCount else {
        throw RequestError(
          .serviceUnavailable, "The server listens to \(maximumCount) sessions already. Try again later.",
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

  /// How many are open.
  var count: Int { state.withLock { $0.sessions.values.count { !$0.isEnded } } }

  func end(_ session: LiveSession, because reason: String) {
    if session.end(because: reason) { listen(to: session) }
  }

  /// Lets a thread listen to what has come. After each chunk it is the turn of another session.
  func listen(to session: LiveSession) {
    Task(executorPreference: threads) { self.work(on: session) }
  }

  private func work(on session: LiveSession) {
    if session.listen(catalog, links) { listen(to: session) }
  }

  /// Ends all sessions, and lets none begin.
  func close() {
    let sessions = state.withLock { state in
      state.isClosed = true
      return Array(state.sessions.values)
    }
    for session in sessions { end(session, because: "The server stops.") }
  }

  /// Ends the threads once all sessions have ended.
  func endThreads() { threads.close() }

  /// Ends sessions that are idle and forgets those that have ended, until there is none.
  private func tend() async {
    var seconds = 0
    while true {
      try? await Task.sleep(for: .seconds(1))
      seconds += 1
      let sessions = state.withLock { state in
        state.sessions = state.sessions.filter { _, session in
          !session.isEnded || session.idleTime < .seconds(Self.idleSeconds + Self.afterlifeSeconds)
        }
        state.owners = state.owners.filter { id, _ in state.sessions[id] != nil }
        if state.sessions.isEmpty { state.isTended = false }
        return Array(state.sessions.values)
      }
      if sessions.isEmpty { return }
      for session in sessions {
        if session.idleTime >= .seconds(Self.idleSeconds) {
          end(session, because: "No audio came for \(Self.idleSeconds) s.")
        }
        if seconds % Self.keepAliveSeconds == 0 { session.wake() }
      }
    }
  }
}
