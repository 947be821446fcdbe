public import Landmarks
internal import Synchronization

/// Recognizes queries, or a stream of audio, with a catalog.
///
///     let session = try RecognitionSession(catalog: CustomCatalog(contentsOf: "library.catalog"))
///     var generator = RecognitionQueryGenerator(sampleRate: 16_000)
///     generator.append(samples.span)
///     for match in session.match(generator.query()).matches {
///       print(match.best.item.title ?? "?", match.heard, match.best.matchOffset)
///     }
///
/// A session may be used from any thread. One query is matched at a time, on the thread that asks, in milliseconds. For
/// hours of audio memory stays the same.
public final class RecognitionSession: Sendable {
  /// The answer to a query.
  public enum Result: Sendable {
    /// The tracks heard in the query, one or several in the order in which they begin.
    case matches([SignatureMatch])
    /// No match in the catalog from this second of the stream on, for `queryDuration` seconds.
    case noMatch(queryStart: Double, queryDuration: Double)
    /// The query, or a catalog that was to be used from now on, cannot be used.
    case error(CatalogError)

    /// All tracks that are heard; none is an empty list.
    public var matches: [SignatureMatch] {
      if case .matches(let matches) = self { matches } else { [] }
    }

    /// The likeliest of them.
    public var match: SignatureMatch? { matches.max { $0.best.confidence < $1.best.confidence } }

    /// Seconds from the start of the stream to the end of the query.
    var end: Double? {
      switch self {
      case .matches(let matches): matches.first.map { $0.queryStart + $0.queryDuration }
      case .noMatch(let start, let duration): start + duration
      case .error: nil
      }
    }
  }

  /// The state of matching, for one thread at a time.
  private struct State: ~Copyable {
    var catalog: CustomCatalog
    var matcher: CatalogMatcher
    var stream: StreamingMatcher?
  }

  private let state: Mutex<State>
  /// Catalogs elsewhere that are asked, too.
  let parts: [any CatalogPart]
  private let continuation: AsyncStream<Result>.Continuation
  /// The results of streaming buffers, in order; the newest 64 are kept until they are read.
  public let results: AsyncStream<Result>

  public convenience init(catalog: CustomCatalog) throws(CatalogError) { try self.init(catalog: catalog, parts: []) }

  /// - Parameter parts: Catalogs elsewhere that are asked together with this one, as if all were one; see
  ///   `takeMissingCatalogs()`.
  package init(catalog: CustomCatalog, parts: [any CatalogPart]) throws(CatalogError) {
    let catalog = try catalog.sealed()
    self.parts = parts
    state = Mutex(State(catalog: catalog, matcher: CatalogMatcher(catalog, parts: parts), stream: nil))
    (results, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(64))
  }

  public var catalog: CustomCatalog { state.withLock { $0.catalog } }

  /// Matches with another catalog from now on. A stream goes on without a gap.
  public func replaceCatalog(with catalog: CustomCatalog) throws(CatalogError) {
    let catalog = try catalog.sealed()
    state.withLock { state in
      state.catalog = catalog
      state.matcher = CatalogMatcher(catalog, parts: parts)
    }
  }

  // MARK: Parts

  /// The catalogs elsewhere that have not answered since this was asked last: their tracks may be missing in the results
  /// since then.
  package func takeMissingCatalogs() -> [MissingCatalog] { state.withLock { $0.matcher.takeMissing() } }

  /// Answers a question of another session, of which this one's catalog is a part.
  /// - Throws: `PartFailure` for bytes that are no such question, or one of another version.
  package func answer(toPart question: [UInt8]) throws(PartFailure) -> [UInt8] {
    let question = try PartQuestion(bytes: question)
    return state.withLock { $0.matcher.answer(question) }
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

  /// Matches a signature. It holds less than a query made of the audio, and finds less in noise.
  public func match(_ signature: Signature) -> Result {
    // A query takes memory for each second, and a signature may claim any number of them.
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

  /// Takes the next frames of a stream, one channel, full scale ±1; results come in `results`.
  ///
  /// Every few seconds of audio they are matched at once: call it on a thread that may wait for some milliseconds, and
  /// not in the callback of an audio device.
  /// - Parameters:
  ///   - frames: Any number of frames; how a stream is cut makes no difference.
  ///   - sampleRate: Frames per second; when it changes, another stream begins.
  public func matchStreamingBuffer(_ frames: Span<Float>, sampleRate: Int) {
    for result in match(streaming: frames, sampleRate: sampleRate) { continuation.yield(result) }
  }

  /// Takes the next frames of a stream; see `matchStreamingBuffer(_:sampleRate:)` of a span.
  public func matchStreamingBuffer(_ frames: UnsafeBufferPointer<Float>, sampleRate: Int) {
    matchStreamingBuffer(frames.span, sampleRate: sampleRate)
  }

  /// Ends the stream, and with it `results`.
  public func finishStreaming() {
    for result in matchEndOfStream() { continuation.yield(result) }
    continuation.finish()
  }

  /// Takes the next frames of a stream.
  /// - Returns: The results that have become due.
  package func match(streaming frames: Span<Float>, sampleRate: Int) -> [Result] {
    state.withLock { state in
      if state.stream?.sampleRate != sampleRate { state.stream = StreamingMatcher(sampleRate: sampleRate) }
      return state.stream?.append(frames, with: &state.matcher) ?? []
    }
  }

  /// Answers a question of a stream that is kept elsewhere: so a few sessions serve many streams.
  package func match(_ query: StreamingMatcher.Query) -> Result { state.withLock { query.result(with: &$0.matcher) } }

  /// Ends the stream.
  /// - Returns: The last result, if there is anything that was not looked at.
  package func matchEndOfStream() -> [Result] {
    state.withLock { state in
      defer { state.stream = nil }
      return state.stream?.finish(with: &state.matcher) ?? []
    }
  }
}
