internal import Foundation
internal import Synchronization

/// A session that does its own listening: from standard input, a pipe or a recording command.
///
///     let listening = try ManagedSession(
///       catalog: catalog, source: .command(["arecord", "-q", "-t", "raw", "-f", "S16_LE", "-r", "16000"],
///         sampleRate: 16000, channelCount: 1, encoding: .s16))
///     for await result in listening.results {
///       if case .match(let match) = result { print(match.best.item.title ?? "?") }
///     }
public final class ManagedSession: Sendable {
  public enum State: String, Sendable {
    /// Nothing is open.
    case idle
    /// The source is open and audio is being collected.
    case prerecording
    /// Somebody is waiting for results.
    case matching
  }

  private struct Shared {
    var state = State.idle
    var recording: Recording?
    /// Whether the source has ended or `cancel()` was called.
    var isOver = false
  }

  private let session: Session
  private let source: RecordingSource
  private let shared = Mutex(Shared())
  private let stream: AsyncStream<SessionResult>
  private let continuation: AsyncStream<SessionResult>.Continuation

  public init(catalog: CustomCatalog, source: RecordingSource) throws(CatalogError) {
    session = try Session(catalog: catalog)
    self.source = source
    (stream, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(64))
  }

  public var state: State { shared.withLock { $0.state } }

  /// Opens the source and begins to listen, so that a result comes sooner. Does nothing if that has been done, or after
  /// `cancel()`.
  public func prepare() {
    let isFirst = shared.withLock { shared in
      guard shared.state == .idle, !shared.isOver else { return false }
      shared.state = .prerecording
      return true
    }
    guard isFirst else { return }
    // Reading blocks: it must not take a thread of the cooperative pool.
    Thread.detachNewThread { [self] in listen() }
    Task { [self] in
      for await result in session.results { continuation.yield(result) }
      _ = close()
      continuation.finish()
    }
  }

  /// The first match, or the last answer when the source ends, when `cancel()` is called, or once `seconds` of audio
  /// have given none. `nil` if there was no answer at all.
  public func result(within seconds: Double = 15) async -> SessionResult? {
    var last: SessionResult?
    for await result in results {
      last = result
      switch result {
      case .match, .error: return result
      case .noMatch(let start, let duration): if start + duration >= seconds { return result }
      }
    }
    return last
  }

  /// Answers for as long as the source goes on. They can be gone through once.
  public var results: AsyncStream<SessionResult> {
    prepare()
    shared.withLock { if $0.state == .prerecording { $0.state = .matching } }
    return stream
  }

  /// Stops listening for good and ends `results`.
  public func cancel() {
    // Before the end is known: who waits for it may exit then.
    close()?.stop()
    session.finishStreaming()
    continuation.finish()
  }

  /// - Returns: What was open.
  private func close() -> Recording? {
    shared.withLock { shared in
      shared.isOver = true
      shared.state = .idle
      return shared.recording.take()
    }
  }

  private func listen() {
    do {
      let recording = try Recording(source)
      let isWanted = shared.withLock { shared in
        if !shared.isOver { shared.recording = recording }
        return !shared.isOver
      }
      guard isWanted else { return }
      try recording.read { frames in
        guard !shared.withLock({ $0.isOver }) else { return false }
        session.matchStreamingBuffer(frames, sampleRate: source.sampleRate)
        return true
      }
    } catch {
      if !shared.withLock({ $0.isOver }) { continuation.yield(.error(error)) }
    }
    session.finishStreaming()
  }
}
