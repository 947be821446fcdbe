internal import Application
internal import HTTPTypes
internal import Platform
package import ResultStore
internal import Synchronization

/// What all routes share.
package struct Services: Sendable {
  /// May be written: tempi that people correct, playlists, saved tracks.
  package let store: ResultStore
  package let options: ServerOptions
  package let metrics = ServerMetrics()
  /// Who is let in.
  package let access: AccessTokens
  let covers: Covers
  let recognition: RecognitionServices
  /// The descriptors of sound of all tracks.
  let sounds: KnownSounds
  let generatedPlaylists: GeneratedPlaylists
  private let searches: RecentValues<CatalogQuery, CatalogAnswer>
  private let recentFigures: RecentValues<WholeLibrary, ServedFigures>
  private let recentFolders: RecentValues<WholeLibrary, LibraryFolders>
  private let threads: ThreadExecutor
  private let waiting = Waiting()

  /// - Parameter report: Takes what goes wrong with the file of tokens later.
  /// - Throws: `ResourceError` if the system gives no thread; `TokenFile.Problem`.
  package init(
    store: ResultStore, options: ServerOptions, report: @escaping @Sendable (TokenFile.Problem) -> Void = { _ in }
  ) throws {
    self.store = store
    self.options = options
    access = AccessTokens(file: try options.tokenFile.map { try TokenFile($0, report: report) })
    covers = Covers(command: options.coverCommand)
    threads = try ThreadExecutor(threadCount: options.threadCount)
    sounds = try KnownSounds(in: store)
    // Some 60 kB each.
    searches = try RecentValues(of: store, count: 200, leastAge: .milliseconds(250))
    recentFigures = try RecentValues(of: store, count: 1, leastAge: .seconds(2))
    recentFolders = try RecentValues(of: store, count: 1, leastAge: .seconds(2))
    generatedPlaylists = try GeneratedPlaylists(store: store, sounds: sounds)
    recognition = try RecognitionServices(store: store, options: options)
  }

  /// Runs what blocks or computes on threads of its own, so that event loops and the cooperative pool stay free.
  /// - Throws: what `body` throws; a `RequestError` with the status 503 if too many wait.
  package func blocking<Value: Sendable>(_ body: @Sendable () throws -> Value) async throws -> Value {
    guard waiting.count.add(1, ordering: .relaxed).newValue <= options.maximumWaiting else {
      waiting.count.subtract(1, ordering: .relaxed)
      throw RequestError(.serviceUnavailable, "The server has too much to do. Try again in a second.", retryAfter: 1)
    }
    defer { waiting.count.subtract(1, ordering: .relaxed) }
    return try await withTaskExecutorPreference(threads) { try await Self.run(body) }
  }

  /// Not isolated and `async`, so that the preferred executor runs it.
  private nonisolated static func run<Value: Sendable>(_ body: @Sendable () throws -> Value) async throws -> Value {
    try body()
  }

  /// What the library has for a search. To be called in `blocking`.
  func search(catalog query: CatalogQuery) throws(StoreError) -> CatalogAnswer {
    try searches.value(for: query) { () throws(StoreError) in try store.search(catalog: query) }
  }

  /// The library in numbers, as it is or was two seconds ago: they are counted anew over all files. To be called in `blocking`.
  func figures() throws(StoreError) -> ServedFigures {
    try recentFigures.value { () throws(StoreError) in try ServedFigures(of: store) }
  }

  /// The folders of all tracks, as they are or were two seconds ago. To be called in `blocking`.
  func folders() throws(StoreError) -> LibraryFolders {
    try recentFolders.value { () throws(StoreError) in try store.folders() }
  }

  /// Work that waits for a thread or has one.
  var waitingCount: Int { waiting.count.load(ordering: .relaxed) }

  /// Ends the threads; to be called when no request is left.
  func close() {
    recognition.close()
    threads.close()
    options.accessLog?.close()
  }
}

private final class Waiting: Sendable {
  let count = Atomic(0)
}
