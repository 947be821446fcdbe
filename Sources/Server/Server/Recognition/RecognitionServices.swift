internal import HTTPTypes
internal import Platform
internal import ResultStore
internal import Serving

/// The state that the routes of recognition share.
struct RecognitionServices: Sendable {
  let catalog: ServedCatalog
  let links: LibraryLinks
  let sessions: LiveSessions
  let uploads: Uploads
  /// What other servers ask has threads of its own: two servers may ask each other, and must not wait for each other.
  let questions: Uploads

  /// - Throws: `ResourceError` if the system gives no thread.
  init(store: ResultStore, options: ServerOptions) throws {
    catalog = ServedCatalog(path: options.catalog, others: options.otherCatalogs, parts: options.catalogParts)
    links = LibraryLinks(store: store)
    sessions = try LiveSessions(
      catalog: catalog, links: links, threadCount: options.recognitionThreadCount,
      maximumCount: options.maximumSessionCount)
    uploads = try Uploads(threadCount: options.recognitionThreadCount)
    questions = try Uploads(threadCount: options.recognitionThreadCount)
  }

  /// Ends sessions, so no client waits for their events; to be called when the server is to stop.
  func endSessions() { sessions.close() }

  /// Ends the threads; to be called when no request is left.
  func close() {
    sessions.endThreads()
    uploads.close()
    questions.close()
  }
}

/// Threads for what is sent to be decoded or matched as a whole, which may take many seconds: live sessions do not wait
/// for them.
final class Uploads: Sendable {
  private let threads: ThreadExecutor
  private let queue: AdmissionQueue

  /// Uploads that are received or recognized at a time, for each thread.
  private static let share = 8
  /// Uploads of which nothing has been read yet.
  static let longestQueue = 200
  static let longestWait = Duration.seconds(30)

  init(threadCount: Int) throws {
    threads = try ThreadExecutor(threadCount: threadCount)
    queue = AdmissionQueue(
      places: Self.share * threadCount, longestQueue: Self.longestQueue, longestWait: Self.longestWait)
  }

  /// Answers an upload when it is its turn. Before that, none of it is read: what it needs is bounded.
  /// - Throws: `RequestError` if too many wait, or it would wait too long; what `body` throws.
  func admit<Value>(_ body: () async throws -> Value) async throws -> Value {
    do {
      try await queue.enter()
    } catch is AdmissionQueue.Refusal {
      throw RequestError(
        .serviceUnavailable, "Too many recordings are being recognized. Try again in some seconds.", retryAfter: 5)
    }
    defer { queue.leave() }
    return try await body()
  }

  /// Runs what decodes and matches.
  func run<Value: Sendable>(_ body: @Sendable () throws -> Value) async throws -> Value {
    try await threads.run(body)
  }

  func close() { threads.close() }
}

extension API {
  /// Audio and signatures are larger than other bodies.
  static let recognition = API(name: "recognition", path: "/v1", bodyLimit: BodyLimits.large)
}
