internal import Foundation
internal import Synchronization
public import SystemPackage

/// A session that does its own listening: from standard input, a pipe or a recording command.
///
///     let listening = try ManagedSession(
///       catalog: catalog, source: .command(["arecord", "-q", "-t", "raw", "-f", "S16_LE", "-r", "16000"],
///         sampleRate: 16000, channelCount: 1, encoding: .s16))
///     for await result in listening.results {
///       for match in result.matches { print(match.best.item.title ?? "?") }
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
  /// Where the catalog lies and what was there when it was opened, if its changes are followed.
  private let followed: (path: FilePath, state: CatalogState)?
  private let source: RecordingSource
  private let shared = Mutex(Shared())
  private let stream: AsyncStream<SessionResult>
  private let continuation: AsyncStream<SessionResult>.Continuation

  public convenience init(catalog: CustomCatalog, source: RecordingSource) throws(CatalogError) {
    try self.init(catalog, nil, source)
  }

  /// Opens a catalog and follows its changes: once a second of audio, between two buffers, it is looked whether there is a
  /// new one. If that cannot be opened, the result is an error, a `CatalogError`, and listening goes on with the old one.
  public convenience init(following path: FilePath, source: RecordingSource) throws(CatalogError) {
    let state = CatalogState(of: path)
    try self.init(CustomCatalog(contentsOf: path), (path, state), source)
  }

  private init(
    _ catalog: CustomCatalog, _ followed: (path: FilePath, state: CatalogState)?, _ source: RecordingSource
  ) throws(CatalogError) {
    session = try Session(catalog: catalog)
    self.followed = followed
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
      case .matches, .error: return result
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
      var state = followed?.state
      var frameCount = 0
      try recording.read { frames in
        guard !shared.withLock({ $0.isOver }) else { return false }
        frameCount += frames.count
        if frameCount >= source.sampleRate {
          frameCount = 0
          follow(&state)
        }
        session.matchStreamingBuffer(frames, sampleRate: source.sampleRate)
        return true
      }
    } catch {
      if !shared.withLock({ $0.isOver }) { continuation.yield(.error(error)) }
    }
    session.finishStreaming()
  }

  /// Takes the catalog anew if it has changed.
  private func follow(_ state: inout CatalogState?) {
    guard let path = followed?.path else { return }
    let now = CatalogState(of: path)
    guard now != state else { return }
    state = now
    do {
      try session.replaceCatalog(with: CustomCatalog(contentsOf: path))
    } catch {
      continuation.yield(.error(error))
    }
  }
}

/// What tells a catalog from an earlier one at the same place, without opening it: a file is only ever replaced by another.
private struct CatalogState: Equatable {
  private var device: UInt
  private var inode: UInt
  private var size: Int
  private var seconds: Int
  private var nanoseconds: Int

  init(of path: FilePath) {
    var status = stat()
    if stat(path.appending(CatalogList.name).string, &status) != 0, stat(path.string, &status) != 0 { status = stat() }
    device = UInt(status.st_dev)
    inode = UInt(status.st_ino)
    size = Int(status.st_size)
    seconds = Int(status.st_mtim.tv_sec)
    nanoseconds = Int(status.st_mtim.tv_nsec)
  }
}
