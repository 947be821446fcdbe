internal import AnalysisTasks
internal import LibraryStore
internal import LibraryTasks
package import ResultStore
package import Serving

/// The store, caches and threads that all routes share.
package struct Services: Sendable {
  /// The store. Routes write corrected tempi, playlists, saved items and decisions about duplicates to it.
  package let store: ResultStore
  package let options: ServerOptions
  package let metrics = ServerMetrics()
  /// The tokens and passes of clients.
  package let access: AccessTokens
  let covers: Covers
  let recognition: RecognitionServices
  /// The descriptors of all tracks.
  let sounds: DescriptorCache
  let generatedPlaylists: GeneratedPlaylists
  private let searches: TimedCache<SongQuery, SongQueryResult>
  private let recentFigures: TimedCache<WholeLibrary, LibraryOverview>
  private let recentFolders: TimedCache<WholeLibrary, LibraryFolders>
  private let lanes: Lanes

  /// - Parameter report: Called with each problem with the token file that occurs after this call.
  /// - Throws: `ResourceError` if the system cannot start a thread; `TokenFile.Problem`.
  package init(
    store: ResultStore, options: ServerOptions, report: @escaping @Sendable (TokenFile.Problem) -> Void = { _ in }
  ) throws {
    self.store = store
    self.options = options
    access = AccessTokens(file: try options.serving.tokenFile.map { try TokenFile($0, report: report) })
    covers = Covers(command: options.coverCommand, patience: options.coverTimeout)
    lanes = try Lanes(options)
    sounds = try DescriptorCache(in: store)
    // Each response has about 60 kB.
    searches = try TimedCache(of: store, count: 200, maxAge: .milliseconds(250))
    recentFigures = try TimedCache(of: store, count: 1, maxAge: .seconds(2))
    recentFolders = try TimedCache(of: store, count: 1, maxAge: .seconds(2))
    generatedPlaylists = try GeneratedPlaylists(store: store, descriptors: sounds)
    recognition = try RecognitionServices(store: store, options: options)
  }

  // MARK: Lanes

  // Each of the following methods throws any error of `body`, and a `RequestError` with status 503 if the queue is full
  // or the wait is too long.

  /// Runs work that reads the store, or other work that takes milliseconds.
  func reading<Value: Sendable>(_ body: @Sendable () throws -> Value) async throws -> Value {
    try await lanes.reading.run(body)
  }

  /// Runs work that writes to the store, and may also read it. Only one such body runs at a time, so do long work
  /// beforehand, in `computing`.
  func writing<Value: Sendable>(_ body: @Sendable () throws -> Value) async throws -> Value {
    let deadline = ContinuousClock.now + options.writeTimeout
    return try await lanes.writing.run { try ResultStore.withWriteDeadline(deadline, body) }
  }

  /// The lanes that most routes use.
  enum Work {
    case reading, writing, computing
  }

  func run<Value: Sendable>(_ work: Work, _ body: @Sendable () throws -> Value) async throws -> Value {
    switch work {
    case .reading: try await reading(body)
    case .writing: try await writing(body)
    case .computing: try await computing(body)
    }
  }

  /// Runs work that creates a cover.
  func picturing<Value: Sendable>(_ body: @Sendable () throws -> Value) async throws -> Value {
    try await lanes.picturing.run(body)
  }

  /// Runs work that may take seconds.
  func computing<Value: Sendable>(_ body: @Sendable () throws -> Value) async throws -> Value {
    try await lanes.computing.run(body)
  }

  /// Runs work that opens, reads or writes files.
  func transferring<Value: Sendable>(_ body: @Sendable () throws -> Value) async throws -> Value {
    try await lanes.transferring.run(body)
  }

  /// Runs work that changes the recognition catalog.
  func cataloging<Value: Sendable>(_ body: @Sendable () throws -> Value) async throws -> Value {
    try await lanes.cataloging.run(body)
  }

  /// Number of tasks that are waiting or running, by lane.
  var waitingCounts: [(name: String, count: Int)] { lanes.counts }

  // MARK: The library

  /// Searches the songs of the library. Call this in a lane.
  func search(songs query: SongQuery) throws(StoreError) -> SongQueryResult {
    try searches.value(for: query) { () throws(StoreError) in try store.search(songs: query) }
  }

  /// Returns the figures of the library. They are cached until the library changes, and for up to two seconds while it
  /// keeps changing, because counting reads the rows of all files. Call this in a lane.
  func figures() throws(StoreError) -> LibraryOverview {
    try recentFigures.value { () throws(StoreError) in try LibraryOverview(of: store) }
  }

  /// Returns the folders of all tracks, which are cached like the figures. Call this in a lane.
  func folders() throws(StoreError) -> LibraryFolders {
    try recentFolders.value { () throws(StoreError) in try store.folders() }
  }

  /// Ends the threads. Called after the last request.
  func close() {
    recognition.close()
    lanes.close()
    options.serving.accessLog?.close()
  }
}
