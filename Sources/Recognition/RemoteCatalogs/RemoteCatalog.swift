internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
package import Platform
package import Recognition
internal import Synchronization
internal import SystemPackage
internal import Text

/// The catalog of another `analyze serve` process, which is matched over HTTP as a part of the local catalog.
///
/// Connections stay open and are shared by all threads. A server that has failed is skipped for a few seconds, and for
/// longer after each further failure, so that a slow or unavailable server does not delay every query in an hour of
/// audio.
package final class RemoteCatalog: CatalogPart {
  private struct State {
    /// Connections that are idle.
    var idle: [any Channel] = []
    /// The current outage; `nil` if the server answered the last request.
    var outage: Outage?
  }

  private struct Outage {
    var reason: PartFailure
    /// Number of consecutive failures.
    var count: Int
    var began: ContinuousClock.Instant
    /// Time until which the server is skipped.
    var end: ContinuousClock.Instant
  }

  private let address: ServerAddress
  private let token: String?
  private let answerSeconds: Int64
  private let now: @Sendable () -> ContinuousClock.Instant
  private let state = Mutex(State())

  /// Time limit for connecting.
  private static let connectLimit = TimeAmount.seconds(2)
  /// Minimum time for which a server is skipped after its first failure. Each further failure doubles it, up to
  /// `maxPause`.
  private static let minPause = Duration.seconds(5)
  private static let maxPause = Duration.seconds(300)
  private static let maxIdle = 16
  /// A single thread serves all connections, because they are idle most of the time.
  private static let threads = MultiThreadedEventLoopGroup(numberOfThreads: 1)

  /// - Parameters:
  ///   - token: The bearer token, if the server requires one.
  ///   - answerSeconds: Time limit for an answer, in seconds.
  ///   - now: Returns the current time; tests replace it.
  package init(
    _ address: ServerAddress, token: String?, answerSeconds: Int64 = 10,
    now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
  ) {
    self.address = address
    self.token = token
    self.answerSeconds = answerSeconds
    self.now = now
  }

  deinit {
    for channel in state.withLock({ $0.idle }) { channel.close(promise: nil) }
  }

  package var name: String { address.description }

  package func ask(_ question: [UInt8]) -> PartReply {
    if let reason = recentFailure { return PartReply { () throws(PartFailure) in throw reason } }
    let sent = now()
    let answer = Self.threads.next().makePromise(of: RemoteAnswer.self)
    send(ByteBuffer(bytes: question), answer)
    let future = answer.futureResult
    return PartReply { [self] () throws(PartFailure) in
      let reason: PartFailure
      do {
        let answer = try future.wait()
        if answer.status == .ok {
          state.withLock { $0.outage = nil }
          return answer.body
        }
        reason = Self.refusal(answer)
      } catch {
        reason = Self.failure(error)
      }
      throw fail(reason, sent: sent)
    }
  }

  /// The reason to skip the server now; `nil` if it can be tried. After a pause, one request at a time tests whether
  /// the server is back.
  private var recentFailure: PartFailure? {
    state.withLock { state in
      guard let outage = state.outage else { return nil }
      let now = now()
      if now < outage.end { return outage.reason }
      state.outage?.end = now + .seconds(answerSeconds + 1)
      return nil
    }
  }

  /// Records a failure, unless it belongs to an outage that is already known. Returns the reason to report.
  private func fail(_ reason: PartFailure, sent: ContinuousClock.Instant) -> PartFailure {
    state.withLock { state in
      let now = now()
      if let outage = state.outage, sent < outage.began { return outage.reason }
      let count = (state.outage?.count ?? 0) + 1
      let pause = Self.pause(afterFailures: count, last: now - sent)
      let suffix = pause > Self.minPause ? " (next attempt in \(pause.components.seconds) s)" : ""
      let outage = Outage(
        reason: PartFailure(reason.description + suffix), count: count, began: now, end: now + pause)
      state.outage = outage
      return outage.reason
    }
  }

  /// - Parameter last: Duration of the last failure. At most a quarter of the time is spent waiting for a slow server.
  static func pause(afterFailures count: Int, last: Duration) -> Duration {
    min(maxPause, max(minPause * (1 << min(count - 1, 10)), last.components.seconds > 0 ? last * 3 : .zero))
  }

  // MARK: Connections

  private func send(_ question: ByteBuffer, _ answer: EventLoopPromise<RemoteAnswer>) {
    guard let channel = idleConnection else { return sendOverNewConnection(question, answer) }
    let first = channel.eventLoop.makePromise(of: RemoteAnswer.self)
    first.futureResult.whenComplete { [self] result in
      // The server may have closed an idle connection just now.
      if case .failure(is ClosedConnection) = result { return sendOverNewConnection(question, answer) }
      answer.completeWith(result)
    }
    send(question, over: channel, first)
  }

  private var idleConnection: (any Channel)? {
    state.withLock { state in
      state.idle.removeAll { !$0.isActive }
      return state.idle.popLast()
    }
  }

  private func sendOverNewConnection(_ question: ByteBuffer, _ answer: EventLoopPromise<RemoteAnswer>) {
    ClientBootstrap(group: Self.threads).connectTimeout(Self.connectLimit)
      .channelOption(.tcpOption(.tcp_nodelay), value: 1)
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHTTPClientHandlers()
          try channel.pipeline.syncOperations.addHandler(RemoteExchange())
        }
      }
      .connect(host: address.host, port: address.port).whenComplete { [self] result in
        switch result {
        case .success(let channel): send(question, over: channel, answer)
        case .failure(let error): answer.fail(error)
        }
      }
  }

  private func send(_ question: ByteBuffer, over channel: any Channel, _ answer: EventLoopPromise<RemoteAnswer>) {
    let received = channel.eventLoop.makePromise(of: RemoteAnswer.self)
    let limit = channel.eventLoop.scheduleTask(in: .seconds(answerSeconds)) { [answerSeconds] in
      received.fail(PartFailure("it does not answer within \(answerSeconds) s"))
      channel.close(promise: nil)
    }
    received.futureResult.whenComplete { [self] result in
      limit.cancel()
      if case .success(let answer) = result, answer.keepsOpen { keep(channel) }
      answer.completeWith(result)
    }
    let message = RemoteQuestion(body: question, authority: address.authority, token: token, answer: received)
    channel.writeAndFlush(message).whenFailure { received.fail($0) }
  }

  private func keep(_ channel: any Channel) {
    let isKept = state.withLock { state in
      guard state.idle.count < Self.maxIdle else { return false }
      state.idle.append(channel)
      return true
    }
    if !isKept { channel.close(promise: nil) }
  }

  // MARK: Failures

  private static func failure(_ error: any Error) -> PartFailure {
    switch error {
    case let failure as PartFailure: failure
    case let error as NIOConnectionError:
      PartFailure(
        error.connectionErrors.isEmpty
          ? "its host name cannot be resolved" : "no connection (\(reason(error.connectionErrors[0].error)))")
    case is ClosedConnection: PartFailure("it closed the connection")
    default: PartFailure("no connection (\(reason(error)))")
    }
  }

  private static func reason(_ error: any Error) -> String {
    switch error {
    case let error as IOError: "\(Errno(rawValue: error.errnoCode))"
    case ChannelError.connectTimeout: "no answer"
    default: "\(error)"
    }
  }

  /// Returns the failure for a status other than 200.
  private static func refusal(_ answer: RemoteAnswer) -> PartFailure {
    switch answer.status {
    case .unauthorized: PartFailure("it rejects the token, or requires one: see the setting catalog_tokens")
    case .notFound, .methodNotAllowed:
      PartFailure("it is not a Nocturne server, or its version has no remote catalogs")
    case .badRequest where message(answer)?.contains(PartFailure.otherVersionText) == true:
      PartFailure("it runs another version of Nocturne, whose messages have a different format: update both")
    default: PartFailure("it answers with \(answer.status.code)\(message(answer).map { ": \($0)" } ?? "")")
    }
  }

  /// Returns the message of an error response from Nocturne, which is JSON; `nil` for other responses.
  private static func message(_ answer: RemoteAnswer) -> String? {
    guard case .object(let object)? = try? JSONValue(parsing: answer.body),
      case .object(let error)? = object["error"], case .string(let message)? = error["message"]
    else { return nil }
    return String((message.hasSuffix(".") ? message.dropLast() : message[...]).prefix(300))
  }
}
