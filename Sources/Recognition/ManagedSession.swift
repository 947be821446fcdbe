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
    var isCancelled = false
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
    let recording: Recording? = shared.withLock { shared in
      guard shared.state == .idle, !shared.isCancelled else { return nil }
      do {
        let recording = try Recording(source)
        shared.recording = recording
        shared.state = .prerecording
        return recording
      } catch {
        shared.isCancelled = true
        continuation.yield(.error(error))
        continuation.finish()
        return nil
      }
    }
    guard let recording else { return }
    // Reading blocks: it must not take a thread of the cooperative pool.
    Thread.detachNewThread { [self] in listen(to: recording) }
    Task { [self] in
      for await result in session.results { continuation.yield(result) }
      continuation.finish()
      shared.withLock { $0.state = .idle }
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
    shared.withLock { shared in
      shared.isCancelled = true
      shared.recording?.stop()
      shared.recording = nil
      shared.state = .idle
    }
    session.finishStreaming()
    continuation.finish()
  }

  private func listen(to recording: Recording) {
    do {
      try recording.read { frames in
        guard !shared.withLock({ $0.isCancelled }) else { return false }
        session.matchStreamingBuffer(frames, sampleRate: source.sampleRate)
        return true
      }
    } catch {
      if !shared.withLock({ $0.isCancelled }) { continuation.yield(.error(error)) }
    }
    session.finishStreaming()
  }
}
