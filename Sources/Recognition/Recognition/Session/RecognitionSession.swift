public import Landmarks
internal import Synchronization

/// Recognizes queries, or a stream of audio, using a catalog.
///
///     let session = try RecognitionSession(catalog: CustomCatalog(contentsOf: "library.catalog"))
///     var generator = RecognitionQueryGenerator(sampleRate: 16_000)
///     generator.append(samples.span)
///     for match in session.match(generator.query()).matches {
///       print(match.best.item.title ?? "?", match.heard, match.best.matchOffset)
///     }
///
/// A session may be used from any thread. It matches one query at a time, on the calling thread, which takes
/// milliseconds. Memory use does not grow with the length of a stream.
public final class RecognitionSession: Sendable {
  /// The answer to a query.
  public enum Result: Sendable {
    /// The tracks detected in the query, ordered by start.
    case matches([SignatureMatch])
    /// There is no match in the window that starts `queryStart` seconds into the stream and lasts `queryDuration`
    /// seconds.
    case noMatch(queryStart: Double, queryDuration: Double)
    /// The query or a replacement catalog cannot be used.
    case error(CatalogError)

    /// All detected tracks; empty if there are none.
    public var matches: [SignatureMatch] {
      if case .matches(let matches) = self { matches } else { [] }
    }

    /// The match with the highest confidence; `nil` if there is none.
    public var match: SignatureMatch? { matches.max { $0.best.confidence < $1.best.confidence } }

    /// End of the query, in seconds from the start of the stream; `nil` for errors.
    package var end: Double? {
      switch self {
      case .matches(let matches): matches.first.map { $0.queryStart + $0.queryDuration }
      case .noMatch(let start, let duration): start + duration
      case .error: nil
      }
    }
  }

  /// The state of matching, used by one thread at a time.
  private struct State: ~Copyable {
    var catalog: CustomCatalog
    var matcher: CatalogMatcher
    var stream: StreamingMatcher?
  }

  private let state: Mutex<State>
  /// Remote catalogs that are matched as well.
  let parts: [any CatalogPart]
  private let continuation: AsyncStream<Result>.Continuation
  /// The results of streamed buffers, oldest first. The newest 64 unread results are buffered.
  public let results: AsyncStream<Result>

  public convenience init(catalog: CustomCatalog) throws(CatalogError) { try self.init(catalog: catalog, parts: []) }

  /// - Parameter parts: Remote catalogs that are matched together with `catalog` as if all were one; see
  ///   `takeMissingCatalogs()`.
  package init(catalog: CustomCatalog, parts: [any CatalogPart]) throws(CatalogError) {
    let catalog = try catalog.sealed()
    self.parts = parts
    state = Mutex(State(catalog: catalog, matcher: CatalogMatcher(catalog, parts: parts), stream: nil))
    (results, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(64))
  }

  public var catalog: CustomCatalog { state.withLock { $0.catalog } }

  /// Replaces the catalog. A stream continues without interruption.
  public func replaceCatalog(with catalog: CustomCatalog) throws(CatalogError) {
    let catalog = try catalog.sealed()
    state.withLock { state in
      state.catalog = catalog
      state.matcher = CatalogMatcher(catalog, parts: parts)
    }
  }

  // MARK: Parts

  /// Returns the remote catalogs that have failed to answer since the last call, and local segments that cannot be
  /// read. Their tracks may be missing from the results since then.
  package func takeMissingCatalogs() -> [MissingCatalog] { state.withLock { $0.matcher.takeMissing() } }

  /// Answers a request from another session that uses this session's catalog as a part.
  /// - Throws: `PartFailure` if the bytes are not a request, or have another version.
  package func answer(toPart question: [UInt8]) throws(PartFailure) -> [UInt8] {
    try state.withLock { (state) throws(PartFailure) in try state.matcher.answer(question) }
  }

  // MARK: Clips

  /// Matches one query.
  public func match(_ query: RecognitionQuery) -> Result {
    if let error = objection(to: query.duration) { return .error(error) }
    return state.withLock { state in
      let matches = state.matcher.matches(query)
      return matches.isEmpty ? .noMatch(queryStart: 0, queryDuration: query.duration) : .matches(matches)
    }
  }

  /// Matches a signature. It contains less information than a query created from the audio, so fewer matches are found
  /// in noise.
  public func match(_ signature: Signature) -> Result {
    // The memory use of a query grows with its duration, and a signature may claim any duration.
    if let error = objection(to: signature.duration) { return .error(error) }
    return match(RecognitionQuery(signature))
  }

  func withMatcher<R: Sendable>(_ body: (inout CatalogMatcher) -> R) -> R { state.withLock { body(&$0.matcher) } }

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

  // MARK: Streams

  /// Matches the next frames of a stream, which has one channel with full scale at ±1. The results arrive in `results`.
  ///
  /// Matching runs within the call, every few seconds of audio. Call this method on a thread that may block for a few
  /// milliseconds, not in the callback of an audio device.
  /// - Parameters:
  ///   - frames: Any number of frames. Buffer boundaries do not affect the results.
  ///   - sampleRate: Sample rate in Hz. A change starts a new stream.
  public func matchStreamingBuffer(_ frames: Span<Float>, sampleRate: Int) {
    for result in match(streaming: frames, sampleRate: sampleRate) { continuation.yield(result) }
  }

  /// Matches the next frames of a stream. `matchStreamingBuffer(_:sampleRate:)` for spans has the details.
  public func matchStreamingBuffer(_ frames: UnsafeBufferPointer<Float>, sampleRate: Int) {
    matchStreamingBuffer(frames.span, sampleRate: sampleRate)
  }

  /// Ends the stream and `results`.
  public func finishStreaming() {
    for result in matchEndOfStream() { continuation.yield(result) }
    continuation.finish()
  }

  /// Matches the next frames of a stream.
  /// - Returns: The results that these frames complete.
  package func match(streaming frames: Span<Float>, sampleRate: Int) -> [Result] {
    state.withLock { state in
      if state.stream?.sampleRate != sampleRate { state.stream = StreamingMatcher(sampleRate: sampleRate) }
      return state.stream?.append(frames, with: &state.matcher) ?? []
    }
  }

  /// Matches a query from a stream that is buffered elsewhere, so that a few sessions can serve many streams.
  package func match(_ query: StreamingMatcher.Query) -> Result { state.withLock { query.result(with: &$0.matcher) } }

  /// Ends the stream.
  /// - Returns: The remaining results; see `StreamingMatcher.finish()`.
  package func matchEndOfStream() -> [Result] {
    state.withLock { state in
      defer { state.stream = nil }
      return state.stream?.finish(with: &state.matcher) ?? []
    }
  }
}
