internal import Platform
public import Recognition
internal import Synchronization
public import SystemPackage

/// A session that does its own listening: to standard input, a pipe or a recording command.
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
/// It listens on a thread of its own until the source ends, until `cancel()`, or until the task that takes its results is
/// cancelled. No call waits for audio but those that are `async`.
public final class ManagedRecognitionSession: Sendable {
  public enum State: String, Sendable {
    /// Nothing is open.
    case idle
    /// The source is open and audio is being collected.
    case prerecording
    /// A task is waiting for results.
    case matching
  }

  /// The answers of a managed session, in order; the newest 64 are kept until they are read. They can be gone
  /// through once.
  ///
  /// A catalog that was changed and cannot be opened is a result that is an error; listening goes on with the one before.
  /// That nothing more can be heard ends them with a `RecordingError`.
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
    /// The open recording.
    var recording: Recording?
    /// Whether the source has ended or `cancel()` was called.
    var isOver = false
  }

  private let session: RecognitionSession
  /// The catalogs whose changes are followed.
  private let followed: Followed?
  private let source: RecordingSource
  private let missing: @Sendable ([MissingCatalog]) -> Void
  private let shared = Mutex(Shared())
  private let stream: AsyncStream<Swift.Result<RecognitionSession.Result, RecordingError>>
  private let continuation: AsyncStream<Swift.Result<RecognitionSession.Result, RecordingError>>.Continuation

  public convenience init(catalog: CustomCatalog, source: RecordingSource) throws(CatalogError) {
    try self.init(RecognitionSession(catalog: catalog), nil, source)
  }

  /// Opens a catalog and follows its changes: once a second of audio, between two buffers, it is looked whether there is a
  /// new one. If that cannot be opened, the result is an error, and listening goes on with the old one.
  public convenience init(following path: FilePath, source: RecordingSource) throws(CatalogError) {
    let followed = Followed(paths: [path]) { () throws(CatalogError) in try CustomCatalog(contentsOf: path) }
    try self.init(RecognitionSession(catalog: followed.open()), followed, source)
  }

  /// Opens several catalogs to be asked as one, and follows their changes.
  /// - Parameters:
  ///   - paths: The catalogs of this machine.
  ///   - open: Opens them as one.
  ///   - parts: Catalogs elsewhere that are asked, too.
  ///   - missing: Gets the parts that did not answer, none or more, whenever something was looked for.
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

  /// Opens the source and begins to listen, so a result comes sooner. Does nothing if that has been done, or after
  /// `cancel()`.
  public func prepare() {
    let isFirst = shared.withLock { shared in
      guard shared.state == .idle, !shared.isOver else { return false }
      shared.state = .prerecording
      return true
    }
    guard isFirst else { return }
    do {
      // Reading and matching take their time: they must not take a thread of the cooperative pool.
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

  /// Begins to listen, unless `prepare()` has done so.
  /// - Returns: Answers for as long as the source goes on.
  public func start() -> Results {
    prepare()
    shared.withLock { if $0.state == .prerecording { $0.state = .matching } }
    return Results(stream: stream)
  }

  /// Begins to listen, unless that has been done, and waits for the first match, or for the last answer when the source
  /// ends, when `cancel()` is called, or once `seconds` of audio have given none. Listening goes on: the next call waits
  /// for the next match.
  /// - Returns: `nil` if there was no answer at all.
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

  /// Stops listening for good and ends the results.
  public func cancel() {
    let recording = shared.withLock { shared in
      shared.isOver = true
      shared.state = .idle
      return shared.recording
    }
    // Before the end is known: who waits for it may exit then.
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

  /// Takes the buffers of the source.
  private struct Receiver: PCMReceiver {
    private let managed: ManagedRecognitionSession
    let sampleRate: Int
    /// Frames since it was looked whether there is a new catalog.
    private var frameCount = 0
    private var states: [CatalogState]

    init(_ managed: ManagedRecognitionSession) {
      self.managed = managed
      sampleRate = managed.source.sampleRate
      states = managed.followed?.states ?? []
    }

    mutating func append(_ frames: Span<Float>) {
      frameCount += frames.count
      if frameCount >= sampleRate {
        frameCount = 0
        managed.follow(&states)
      }
      managed.yield(managed.session.match(streaming: frames, sampleRate: sampleRate))
    }
  }

  private func yield(_ results: [RecognitionSession.Result]) {
    if !results.isEmpty { missing(session.takeMissingCatalogs()) }
    for result in results { continuation.yield(.success(result)) }
  }

  /// The end of the source, or of what can be read of it.
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

  /// Takes the new catalog if it has changed.
  private func follow(_ states: inout [CatalogState]) {
    guard let followed else { return }
    let now = followed.currentStates
    guard now != states else { return }
    states = now
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
    /// Taken before they are opened first.
    let states: [CatalogState]

    init(paths: [FilePath], open: @escaping @Sendable () throws(CatalogError) -> CustomCatalog) {
      self.paths = paths
      self.open = open
      states = paths.map { CatalogState(of: $0) }
    }

    var currentStates: [CatalogState] { paths.map { CatalogState(of: $0) } }
  }
}
