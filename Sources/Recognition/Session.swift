public import Fingerprinting
internal import Synchronization

/// Recognises queries, or a stream of audio, with a catalog.
///
/// A session may be used from any thread; one query is matched at a time. For hours of audio memory stays the same.
///
///     let session = try Session(catalog: CustomCatalog(contentsOf: "library.catalog"))
///     let query = try QueryGenerator.query(ofFile: "clip.wav", maximumDuration: 12)
///     for match in session.match(query).matches {
///       print(match.best.item.title ?? "?", match.heard, match.best.matchOffset)
///     }
public final class Session: Sendable {
  /// What matching needs, for one thread at a time.
  private struct State: ~Copyable {
    var catalog: CustomCatalog
    var matcher: CatalogMatcher
    var stream: StreamingMatcher?
  }

  private let state: Mutex<State>
  private let continuation: AsyncStream<SessionResult>.Continuation
  /// The results of streaming buffers, in order; the newest 64 are kept until somebody takes them.
  public let results: AsyncStream<SessionResult>

  public init(catalog: CustomCatalog) throws(CatalogError) {
    var catalog = catalog
    try catalog.seal()
    state = Mutex(State(catalog: catalog, matcher: CatalogMatcher(catalog), stream: nil))
    (results, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(64))
  }

  public var catalog: CustomCatalog { state.withLock { $0.catalog } }

  /// Matches with another catalog from now on. A stream goes on without a gap.
  public func replaceCatalog(with catalog: CustomCatalog) throws(CatalogError) {
    var catalog = catalog
    try catalog.seal()
    let new = catalog
    state.withLock { state in
      state.catalog = new
      state.matcher = CatalogMatcher(new)
    }
  }

  /// Matches one query.
  public func match(_ query: Query) -> SessionResult {
    if let error = objection(to: query.duration) { return .error(error) }
    return state.withLock { state in
      let matches = state.matcher.matches(query)
      return matches.isEmpty ? .noMatch(queryStart: 0, queryDuration: query.duration) : .matches(matches)
    }
  }

  func withMatcher<R: Sendable>(_ body: (inout CatalogMatcher) -> R) -> R { state.withLock { body(&$0.matcher) } }

  /// Matches a signature. It holds less than a query made of the audio, and finds less in noise.
  public func match(_ signature: Signature) -> SessionResult {
    // A query takes memory for each second, and a signature may claim any number of them.
    if let error = objection(to: signature.duration) { return .error(error) }
    return match(Query(signature))
  }

  private func objection(to seconds: Double) -> CatalogError? {
    let catalog = self.catalog
    if seconds < catalog.minimumQueryDuration {
      return .queryTooShort(seconds: seconds, minimum: catalog.minimumQueryDuration)
    }
    if seconds > catalog.maximumQueryDuration {
      return .queryTooLong(seconds: seconds, maximum: catalog.maximumQueryDuration)
    }
    return nil
  }

  /// Takes the next frames of a stream, one channel, full scale ±1; results come in `results`.
  /// - Parameter sampleRate: Frames per second; when it changes, another stream begins.
  public func matchStreamingBuffer(_ frames: [Float], sampleRate: Int) {
    state.withLock { state in
      if state.stream?.sampleRate != sampleRate { state.stream = StreamingMatcher(sampleRate: sampleRate) }
      let results = state.stream?.append(frames.span, with: &state.matcher) ?? []
      for result in results { continuation.yield(result) }
    }
  }

  /// Ends the stream, and with it `results`.
  public func finishStreaming() {
    state.withLock { state in
      let results = state.stream?.finish(with: &state.matcher) ?? []
      for result in results { continuation.yield(result) }
      state.stream = nil
    }
    continuation.finish()
  }
}
