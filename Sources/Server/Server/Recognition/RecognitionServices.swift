internal import HTTPTypes
internal import Platform
internal import ResultStore
internal import Serving

/// The catalog, sessions and threads that the recognition routes share.
struct RecognitionServices: Sendable {
  let catalog: ServedCatalog
  let links: LibraryLinks
  let sessions: LiveSessions
  let uploads: Uploads
  /// The threads for queries from other servers. They are separate, so that two servers that query each other do not
  /// deadlock.
  let questions: Uploads

  /// - Throws: `ResourceError` if the system cannot start a thread.
  init(store: ResultStore, options: ServerOptions) throws {
    catalog = ServedCatalog(path: options.catalog, others: options.otherCatalogs, parts: options.catalogParts)
    links = LibraryLinks(store: store)
    sessions = try LiveSessions(
      catalog: catalog, links: links, threadCount: options.recognitionThreadCount,
      maximumCount: options.maximumSessionCount)
    uploads = try Uploads(threadCount: options.recognitionThreadCount)
    questions = try Uploads(threadCount: options.recognitionThreadCount)
  }

  /// Ends all sessions and their event streams. Called when the server stops.
  func endSessions() { sessions.close() }

  /// Ends the threads. Called after the last request.
  func close() {
    sessions.endThreads()
    uploads.close()
    questions.close()
  }
}

/// Threads that decode and match whole uploads, which may take many seconds, or answer queries from other servers. Live
/// sessions have their own threads.
final class Uploads: Sendable {
  private let threads: ThreadExecutor
  private let queue: AdmissionQueue

  /// Maximum number of uploads per thread that are received or recognized at a time.
  private static let share = 8
  /// Maximum number of uploads that wait to be read.
  static let maxQueueLength = 200
  static let maxWait = Duration.seconds(30)

  init(threadCount: Int) throws {
    threads = try ThreadExecutor(threadCount: threadCount)
    queue = AdmissionQueue(
      places: Self.share * threadCount, maxQueueLength: Self.maxQueueLength, maxWait: Self.maxWait)
  }

  /// Runs `body` when it is the upload's turn. The upload is not read until then, so memory use is bounded.
  /// - Throws: `RequestError` if too many uploads are waiting or the wait is too long, or any error that `body` throws.
  func admit<Value>(_ body: () async throws -> Value) async throws -> Value {
    do {
      try await queue.enter()
    } catch is AdmissionQueue.Refusal {
      throw RequestError(
        .serviceUnavailable, "Too many recordings are being recognized. Try again in a few seconds.", retryAfter: 5)
    }
    defer { queue.leave() }
    return try await body()
  }

  /// Runs `body`, which decodes or matches, on one of the threads.
  func run<Value: Sendable>(_ body: @Sendable () throws -> Value) async throws -> Value {
    try await threads.run(body)
  }

  func close() { threads.close() }
}

extension API {
  /// The recognition API, with a large body limit, because audio and signatures are larger than the bodies of other
  /// APIs.
  static let recognition = API(name: "recognition", path: "/v1", bodyLimit: BodyLimits.large)
}
