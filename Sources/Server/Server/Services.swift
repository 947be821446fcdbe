internal import AnalysisTasks
internal import LibraryStore
internal import LibraryTasks
package import ResultStore
package import Serving

/// The state that all routes share.
package struct Services: Sendable {
  /// May be written: tempi that people correct, playlists, saved tracks.
  package let store: ResultStore
  package let options: ServerOptions
  package let metrics = ServerMetrics()
  /// The tokens and passes that let clients in.
  package let access: AccessTokens
  let covers: Covers
  let recognition: RecognitionServices
  /// The descriptors of sound of all tracks.
  let sounds: KnownSounds
  let generatedPlaylists: GeneratedPlaylists
  private let searches: RecentValues<CatalogQuery, CatalogAnswer>
  private let recentFigures: RecentValues<WholeLibrary, LibraryOverview>
  private let recentFolders: RecentValues<WholeLibrary, LibraryFolders>
  private let lanes: Lanes

  /// - Parameter report: Takes what goes wrong with the file of tokens later.
  /// - Throws: `ResourceError` if the system gives no thread; `TokenFile.Problem`.
  package init(
    store: ResultStore, options: ServerOptions, report: @escaping @Sendable (TokenFile.Problem) -> Void = { _ in }
  ) throws {
    self.store = store
    self.options = options
    access = AccessTokens(file: try options.serving.tokenFile.map { try TokenFile($0, report: report) })
    covers = Covers(command: options.coverCommand, patience: options.coverPatience)
    lanes = try Lanes(options)
    sounds = try KnownSounds(in: store)
    // Some 60 kB each.
    searches = try RecentValues(of: store, count: 200, leastAge: .milliseconds(250))
    recentFigures = try RecentValues(of: store, count: 1, leastAge: .seconds(2))
    recentFolders = try RecentValues(of: store, count: 1, leastAge: .seconds(2))
    generatedPlaylists = try GeneratedPlaylists(store: store, sounds: sounds)
    recognition = try RecognitionServices(store: store, options: options)
  }

  // MARK: Lanes

  // Each throws what `body` throws, and a `RequestError` with the status 503 if too much waits or it would wait too long.

  /// Runs what reads the store, or takes milliseconds in another way.
  func reading<Value: Sendable>(_ body: @Sendable () throws -> Value) async throws -> Value {
    try await lanes.reading.run(body)
  }

  /// Runs a body that writes to the store; it may read before and after. Long work is done before, in `computing`: one
  /// body runs at a time.
  func writing<Value: Sendable>(_ body: @Sendable () throws -> Value) async throws -> Value {
    let deadline = ContinuousClock.now + options.writePatience
    return try await lanes.writing.run { try ResultStore.withWriteDeadline(deadline, body) }
  }

  /// What routes mostly do.
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

  /// Runs what makes a cover.
  func picturing<Value: Sendable>(_ body: @Sendable () throws -> Value) async throws -> Value {
    try await lanes.picturing.run(body)
  }

  /// Runs what may take seconds.
  func computing<Value: Sendable>(_ body: @Sendable () throws -> Value) async throws -> Value {
    try await lanes.computing.run(body)
  }

  /// Runs what opens, reads or writes files.
  func transferring<Value: Sendable>(_ body: @Sendable () throws -> Value) async throws -> Value {
    try await lanes.transferring.run(body)
  }

  /// Runs what changes the recognition catalog.
  func cataloging<Value: Sendable>(_ body: @Sendable () throws -> Value) async throws -> Value {
    try await lanes.cataloging.run(body)
  }

  /// Work that waits for a thread or has one, by lane.
  var waitingCounts: [(name: String, count: Int)] { lanes.counts }

  // MARK: The library

  /// The library's answer to a search. To be called in a lane.
  func search(catalog query: CatalogQuery) throws(StoreError) -> CatalogAnswer {
    try searches.value(for: query) { () throws(StoreError) in try store.search(catalog: query) }
  }

  /// The library in numbers, as it is or was two seconds ago: they are counted again over all files. To be called in a
  /// lane.
  func figures() throws(StoreError) -> LibraryOverview {
    try recentFigures.value { () throws(StoreError) in try LibraryOverview(of: store) }
  }

  /// The folders of all tracks, as they are or were two seconds ago. To be called in a lane.
  func folders() throws(StoreError) -> LibraryFolders {
    try recentFolders.value { () throws(StoreError) in try store.folders() }
  }

  /// Ends the threads; to be called when no request is left.
  func close() {
    recognition.close()
    lanes.close()
    options.serving.accessLog?.close()
  }
}
