internal import Platform
public import Recognition
internal import Synchronization
public import SystemPackage

/// A session that captures audio by itself, from standard input, a pipe or a recording command.
///
///     let session = try ManagedRecognitionSession(
///       catalog: catalog,
///       source: .command(
///         ["arecord", "-q", "-t", "raw", "-f", "S16_LE", "-r", "16000"], sampleRate: 16000, channelCount: 1,
///         encoding: .s16))
///     for try await result in session.start() {
///       for match in result.matches { print(match.best.item.title ?? "?") }
///     }
///
/// The session listens on a separate thread until the source ends, `cancel()` is called, or the task that reads its
/// results is canceled. Only `async` calls wait for audio.
public final class ManagedRecognitionSession: Sendable {
  public enum State: String, Sendable {
    /// The session is not listening: it has not started yet, or has ended.
    case idle
    /// The session is listening, but `start()` has not been called yet.
    case prerecording
    /// The session is listening, and `start()` has been called.
    case matching
  }

  /// The results of a managed session, oldest first. The newest 64 unread results are buffered. The sequence can be
  /// iterated only once.
  ///
  /// If the catalog has changed but cannot be opened, the sequence yields an error result, and listening continues with
  /// the previous catalog. If the source fails, the sequence ends with a `RecordingError`.
  public struct Results: AsyncSequence, Sendable {
    public typealias Element = RecognitionSession.Result
    public typealias Failure = RecordingError

    fileprivate let stream: AsyncStream<Swift.Result<Element, Failure>>

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(base: stream.makeAsyncIterator()) }

    public struct AsyncIterator: AsyncIteratorProtocol {
      fileprivate var base: AsyncStream<Swift.Result<Element, Failure>>.AsyncIterator

      public mutating func next(
        isolation actor: isolated (any Actor)? = #isolation
      ) async throws(RecordingError) -> RecognitionSession.Result? {
        try await base.next(isolation: actor)?.get()
      }

      public mutating func next() async throws(RecordingError) -> RecognitionSession.Result? {
        try await next(isolation: nil)
      }
    }
  }

  private struct Shared {
    var state = State.idle
    var recording: Recording?
    /// `true` once listening has ended or `cancel()` was called.
    var isOver = false
  }

  private let session: RecognitionSession
  /// The catalogs to reload when they change; `nil` if changes are ignored.
  private let followed: Followed?
  private let source: RecordingSource
  private let missing: @Sendable ([MissingCatalog]) -> Void
  private let shared = Mutex(Shared())
  private let stream: AsyncStream<Swift.Result<RecognitionSession.Result, RecordingError>>
  private let continuation: AsyncStream<Swift.Result<RecognitionSession.Result, RecordingError>>.Continuation

  public convenience init(catalog: CustomCatalog, source: RecordingSource) throws(CatalogError) {
    try self.init(RecognitionSession(catalog: catalog), nil, source)
  }

  /// Opens a catalog and follows its changes. Once per second of audio, between two buffers, the session checks whether
  /// the catalog has changed.
  public convenience init(following path: FilePath, source: RecordingSource) throws(CatalogError) {
    let followed = Followed(paths: [path]) { () throws(CatalogError) in try CustomCatalog(contentsOf: path) }
    try self.init(RecognitionSession(catalog: followed.open()), followed, source)
  }

  /// Opens several catalogs, joins them into one, and follows their changes.
  /// - Parameters:
  ///   - paths: The local catalogs.
  ///   - open: Opens and joins the local catalogs.
  ///   - parts: Remote catalogs to match as well.
  ///   - missing: Called after each search with the catalogs that did not answer or could not be read, of which there
  ///     may be none.
  package convenience init(
    following paths: [FilePath], open: @escaping @Sendable () throws(CatalogError) -> CustomCatalog,
    parts: [any CatalogPart], source: RecordingSource, missing: @escaping @Sendable ([MissingCatalog]) -> Void
  ) throws(CatalogError) {
    let followed = Followed(paths: paths, open: open)
    try self.init(RecognitionSession(catalog: followed.open(), parts: parts), followed, source, missing)
  }

  private init(
    _ session: RecognitionSession, _ followed: Followed?, _ source: RecordingSource,
    _ missing: @escaping @Sendable ([MissingCatalog]) -> Void = { _ in }
  ) {
    self.session = session
    self.missing = missing
    self.followed = followed
    self.source = source
    (stream, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(64))
    continuation.onTermination = { [weak self] reason in
      if case .cancelled = reason { self?.cancel() }
    }
  }

  public var state: State { shared.withLock { $0.state } }

  /// Opens the source and starts listening, so that the first result arrives sooner. Has no effect if listening has
  /// started already, or after `cancel()`.
  public func prepare() {
    let isFirst = shared.withLock { shared in
      guard shared.state == .idle, !shared.isOver else { return false }
      shared.state = .prerecording
      return true
    }
    guard isFirst else { return }
    do {
      // Reading and matching block, so they must not occupy a thread of the cooperative pool.
      try Threads.start(stackSize: Threads.deepStack) { [self] in
        do throws(RecordingError) {
          try listen()
          end(nil)
        } catch {
          end(error)
        }
      }
    } catch {
      end(.cannotOpen(source.name, reason: "\(error)"))
    }
  }

  /// Starts listening, unless `prepare()` has already done so.
  /// - Returns: The results until the source ends.
  public func start() -> Results {
    prepare()
    shared.withLock { if $0.state == .prerecording { $0.state = .matching } }
    return Results(stream: stream)
  }

  /// Starts listening, unless it has already started, and waits for the first match or error. Returns the last result
  /// if the source ends or `cancel()` is called, and the first result without a match that ends at `seconds` or later,
  /// counted from the start of the source. Listening continues, so the next call waits for the next match.
  /// - Returns: `nil` if there was no result.
  public func result(within seconds: Double = 15) async throws(RecordingError) -> RecognitionSession.Result? {
    var last: RecognitionSession.Result?
    var results = start().makeAsyncIterator()
    while let result = try await results.next() {
      last = result
      switch result {
      case .matches, .error: return result
      case .noMatch(let start, let duration): if start + duration >= seconds { return result }
      }
    }
    return last
  }

  /// Stops listening permanently, and ends the results.
  public func cancel() {
    let recording = shared.withLock { shared in
      shared.isOver = true
      shared.state = .idle
      return shared.recording
    }
    // The recording must be stopped before the results end, because a program that waits for the end of the results may
    // exit then.
    recording?.stop()
    continuation.finish()
  }

  // MARK: The listening thread

  private func listen() throws(RecordingError) {
    let recording = try Recording(source)
    let isWanted = shared.withLock { shared in
      if !shared.isOver { shared.recording = recording }
      return !shared.isOver
    }
    guard isWanted else { return }
    var receiver = Receiver(self)
    try recording.read(into: &receiver)
    yield(session.matchEndOfStream())
  }

  /// Receives the buffers of the source.
  private struct Receiver: PCMReceiver {
    private let managed: ManagedRecognitionSession
    let sampleRate: Int
    /// Number of frames since the catalogs were last checked for changes.
    private var frameCount = 0
    private var versions: [CatalogVersion]

    init(_ managed: ManagedRecognitionSession) {
      self.managed = managed
      sampleRate = managed.source.sampleRate
      versions = managed.followed?.versions ?? []
    }

    mutating func append(_ frames: Span<Float>) {
      frameCount += frames.count
      if frameCount >= sampleRate {
        frameCount = 0
        managed.follow(&versions)
      }
      managed.yield(managed.session.match(streaming: frames, sampleRate: sampleRate))
    }
  }

  private func yield(_ results: [RecognitionSession.Result]) {
    // Errors have no `end`: no catalog was searched for them.
    if results.contains(where: { $0.end != nil }) { missing(session.takeMissingCatalogs()) }
    for result in results { continuation.yield(.success(result)) }
  }

  /// Ends the session, either at the end of the source or with an error.
  private func end(_ error: RecordingError?) {
    let wasCancelled = shared.withLock { shared in
      defer {
        shared.isOver = true
        shared.state = .idle
        shared.recording = nil
      }
      return shared.isOver
    }
    if let error, !wasCancelled { continuation.yield(.failure(error)) }
    continuation.finish()
  }

  /// Reloads the catalogs if one of them has changed.
  private func follow(_ versions: inout [CatalogVersion]) {
    guard let followed else { return }
    let now = followed.currentVersions
    guard now != versions else { return }
    versions = now
    do {
      try session.replaceCatalog(with: followed.open())
    } catch {
      yield([.error(error)])
    }
  }

  /// Catalogs that are opened again when one of them changes.
  private struct Followed: Sendable {
    let paths: [FilePath]
    let open: @Sendable () throws(CatalogError) -> CustomCatalog
    /// The versions of the catalogs immediately before they were first opened.
    let versions: [CatalogVersion]

    init(paths: [FilePath], open: @escaping @Sendable () throws(CatalogError) -> CustomCatalog) {
      self.paths = paths
      self.open = open
      versions = paths.map { CatalogVersion(of: $0) }
    }

    var currentVersions: [CatalogVersion] { paths.map { CatalogVersion(of: $0) } }
  }
}
