internal import HTTPTypes
internal import NIOCore
internal import Platform
internal import Recognition
internal import RecognitionTasks
internal import Serving
internal import Synchronization
internal import Text

/// A live recognition session. A client sends audio in chunks and receives events about what is playing.
///
/// A session keeps twelve seconds of spectrum, the newest events, and the audio that has not been matched yet. All
/// three are bounded. Chunks are matched one at a time, on the thread that calls `listen`.
final class LiveSession: Sendable {
  /// An acknowledgment of a chunk.
  struct Receipt: Sendable, Equatable {
    /// Number of the chunk, counted from 0.
    var sequence: Int
    /// `true` if the chunk had already arrived and was ignored.
    var isDuplicate: Bool
    /// Number of seconds of audio accepted so far.
    var receivedSeconds: Double
  }

  private enum Phase {
    case open
    /// No more audio is accepted, but queued audio is still being matched. The value is the reason for the end.
    case ending(String)
    case ended
  }

  private struct State {
    var phase = Phase.open
    var format: PCMFormat?
    var chunks: [ByteBuffer] = []
    var chunkBytes = 0
    var isListening = false
    var nextSequence = 0
    var receivedBytes = 0
    var lastActivity = ContinuousClock.now
    var events: [SessionEvent] = []
    var lastEventID = 0
    var watchers: [Int: AsyncStream<Void>.Continuation] = [:]
    var nextWatcher = 0
  }

  /// The data of the matching, used by one thread at a time.
  private struct Listening: ~Copyable {
    var stream: StreamingMatcher?
    var changes = TrackChanges()
    /// Number of tracks that are playing.
    var openCount = 0
    /// The incomplete frame at the end of the last chunk.
    var rest = ByteBuffer()
    /// `true` if an event has reported that the catalog cannot be used, or that some catalogs do not answer.
    var hasFailed = false
  }

  let id: String
  private let limit: ConfidenceLimit
  private let waiting: BufferBudget
  private let state = Mutex(State())
  private let listening = Mutex(Listening())

  /// Maximum size of a chunk in bytes, which is enough for ten seconds of two channels of floats at 48 kHz.
  static let maximumChunkSize = 4 << 20
  /// Maximum number of bytes in queued chunks.
  private static let queueLimit = 8 << 20
  /// Maximum number of queued chunks, which limits the memory that they take in addition to their bytes.
  private static let queuedChunkLimit = 256
  /// Number of events kept for clients that reconnect.
  private static let eventLimit = 64
  private static let watcherLimit = 4

  /// - Parameter waiting: Budget for the queued audio of all sessions.
  init(id: String, limit: ConfidenceLimit, waiting: BufferBudget) {
    self.id = id
    self.limit = limit
    self.waiting = waiting
  }

  // MARK: Audio

  /// Queues a chunk for `listen`.
  /// - Parameter sequence: Number of the chunk, counted from 0; `nil` for the next number.
  /// - Returns: The receipt, and `true` if the caller must call `listen`.
  func add(
    _ chunk: ByteBuffer, _ format: PCMFormat, sequence: Int?
  ) throws(RequestError) -> (receipt: Receipt, isWorkNew: Bool) {
    try state.withLock { (state) throws(RequestError) in
      guard case .open = state.phase else {
        throw RequestError(.gone, "The session has ended. Open a new one with POST /v1/sessions.")
      }
      state.lastActivity = .now
      if let first = state.format, first != format {
        throw RequestError(
          .badRequest, "All audio of a session must have the same Content-Type. For another one, open a new session.")
      }
      let number = sequence ?? state.nextSequence
      if number < state.nextSequence {
        return (receipt(for: number, isDuplicate: true, format, state), false)
      }
      guard number == state.nextSequence else {
        throw RequestError(
          .conflict, "Chunk \(state.nextSequence) must come first: chunks are accepted in the order of their numbers.")
      }
      guard state.chunkBytes + chunk.readableBytes <= Self.queueLimit, state.chunks.count < Self.queuedChunkLimit else {
        throw RequestError(.tooManyRequests, "Audio arrives faster than it can be matched.", retryAfter: 1)
      }
      try waiting.take(chunk.readableBytes)
      state.format = format
      state.nextSequence += 1
      state.receivedBytes += chunk.readableBytes
      state.chunkBytes += chunk.readableBytes
      state.chunks.append(chunk)
      let isWorkNew = !state.isListening
      state.isListening = true
      return (receipt(for: number, isDuplicate: false, format, state), isWorkNew)
    }
  }

  private func receipt(for number: Int, isDuplicate: Bool, _ format: PCMFormat, _ state: State) -> Receipt {
    Receipt(sequence: number, isDuplicate: isDuplicate, receivedSeconds: format.seconds(ofBytes: state.receivedBytes))
  }

  /// Stops accepting audio.
  /// - Returns: `true` if the caller must call `listen`.
  func end(because reason: String) -> Bool {
    state.withLock { state in
      guard case .open = state.phase else { return false }
      state.phase = .ending(reason)
      defer { state.isListening = true }
      return !state.isListening
    }
  }

  private enum Work {
    case chunk(ByteBuffer, PCMFormat)
    case end(String)
  }

  private func nextWork() -> Work? {
    state.withLock { state in
      if !state.chunks.isEmpty, let format = state.format {
        let chunk = state.chunks.removeFirst()
        state.chunkBytes -= chunk.readableBytes
        waiting.giveBack(chunk.readableBytes)
        return .chunk(chunk, format)
      }
      if case .ending(let reason) = state.phase { return .end(reason) }
      state.isListening = false
      return nil
    }
  }

  /// Matches the next chunk, or finishes the session if it is ending and all its chunks have been matched.
  /// - Returns: `true` if there may be more chunks.
  func listen(_ catalog: ServedCatalog, _ links: LibraryLinks) -> Bool {
    guard let work = nextWork() else { return false }
    switch work {
    case .chunk(let chunk, let format):
      listening.withLock { listening in
        var bytes = listening.rest
        bytes.writeImmutableBuffer(chunk)
        let frames = format.mono(bytes.readableBytesView)
        bytes.moveReaderIndex(forwardBy: frames.count * format.frameSize)
        listening.rest = ByteBuffer(bytes.readableBytesView)
        if listening.stream == nil { listening.stream = StreamingMatcher(sampleRate: format.sampleRate) }
        let queries = listening.stream?.append(frames.span) ?? []
        answer(queries, &listening, catalog, links)
      }
      return true
    case .end(let reason):
      listening.withLock { listening in
        let queries = listening.stream?.finish() ?? []
        answer(queries, &listening, catalog, links)
        add(listening.changes.finish(), &listening, links)
        listening.stream = nil
      }
      var json = JSONWriter()
      json.value(.object(["event": "end", "reason": .string(reason)]))
      add(.end, json.bytes)
      let watchers = state.withLock { state in
        state.phase = .ended
        defer { state.watchers = [:] }
        return Array(state.watchers.values)
      }
      // Ends the watchers outside the lock, because ending them takes the lock.
      for watcher in watchers { watcher.finish() }
      return false
    }
  }

  private func answer(
    _ queries: [StreamingMatcher.Query], _ listening: inout Listening, _ catalog: ServedCatalog, _ links: LibraryLinks
  ) {
    for query in queries {
      do {
        let (found, missing) = try catalog.withSession { ($0.match(query), $0.takeMissingCatalogs()) }
        let result = limit.accepted(found)
        say(missing, &listening)
        add(listening.changes.next(result), &listening, links)
        if case .noMatch(let start, let duration) = result, listening.openCount == 0 {
          var json = JSONWriter()
          json.value(
            .object([
              "event": "no-match", "heard_at": .string("\(Timestamp.now)"), "time_s": .number(start + duration),
            ]))
          add(.noMatch, json.bytes)
        }
      } catch  where !listening.hasFailed {
        listening.hasFailed = true
        addError(RequestError(error).message)
      } catch {}
    }
  }

  /// Reports that catalogs do not answer. Later failures are reported only after all catalogs have answered again.
  private func say(_ missing: [MissingCatalog], _ listening: inout Listening) {
    if !missing.isEmpty, !listening.hasFailed {
      let catalogs = missing.map { "\($0.name) (\($0.reason))" }.joined(separator: ", ")
      addError("Not all catalogs answer, so tracks may be missing: \(catalogs). The server keeps asking them.")
    }
    listening.hasFailed = !missing.isEmpty
  }

  private func addError(_ message: String) {
    var json = JSONWriter()
    json.value(.object(["event": "error", "message": .string(message)]))
    add(.error, json.bytes)
  }

  private func add(_ changes: [TrackChanges.Change], _ listening: inout Listening, _ links: LibraryLinks) {
    for var change in changes {
      listening.openCount += change.kind == .began ? 1 : -1
      // A match is reported even if the library cannot be read.
      change.match = (try? change.match.map(links.linked)) ?? change.match
      var json = JSONWriter()
      DetectionRecord(heard: .now, change: change).writeJSON(into: &json)
      add(change.kind == .began ? .match : .trackEnded, json.bytes)
    }
  }

  // MARK: Events

  private func add(_ name: SessionEvent.Name, _ data: [UInt8]) {
    state.withLock { state in
      state.lastEventID += 1
      state.events.append(SessionEvent(id: state.lastEventID, name: name, data: data))
      if state.events.count > Self.eventLimit { state.events.removeFirst() }
      for watcher in state.watchers.values { watcher.yield() }
    }
  }

  /// Returns the events that came after the one with this id and are still kept.
  func events(after id: Int) -> [SessionEvent] { state.withLock { $0.events.filter { $0.id > id } } }

  /// Returns a stream that yields at once, when there may be new events, and when a keep-alive is due. It ends with the
  /// session, or when `end` completes because the client has disconnected.
  func wakeUps(until end: EventLoopFuture<Void>) throws(RequestError) -> AsyncStream<Void> {
    let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    continuation.yield()
    let number: Int? = try state.withLock { (state) throws(RequestError) in
      if case .ended = state.phase { return nil }
      guard state.watchers.count < Self.watcherLimit else {
        throw RequestError(
          .tooManyRequests, "At most \(Self.watcherLimit) clients at a time can read the events of a session.")
      }
      state.nextWatcher += 1
      state.watchers[state.nextWatcher] = continuation
      return state.nextWatcher
    }
    guard let number else {
      continuation.finish()
      return stream
    }
    continuation.onTermination = { [weak self] _ in
      _ = self?.state.withLock { $0.watchers.removeValue(forKey: number) }
    }
    end.whenComplete { _ in continuation.finish() }
    return stream
  }

  func wake() {
    state.withLock { state in
      for watcher in state.watchers.values { watcher.yield() }
    }
  }

  // MARK: State

  /// Time since the last audio arrived, or since the session was opened.
  var idleTime: Duration { state.withLock { ContinuousClock.now - $0.lastActivity } }

  var isEnded: Bool {
    state.withLock { state in
      if case .ended = state.phase { true } else { false }
    }
  }

  struct Progress {
    let id: String
    let nextSequence: Int
    let receivedSeconds: Double
    let lastEventID: Int
  }

  var progress: Progress {
    state.withLock { state in
      Progress(
        id: id, nextSequence: state.nextSequence,
        receivedSeconds: state.format?.seconds(ofBytes: state.receivedBytes) ?? 0, lastEventID: state.lastEventID)
    }
  }
}
