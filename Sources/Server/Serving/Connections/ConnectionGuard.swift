internal import HTTPTypes
internal import NIOCore
internal import NIOHTTP1
internal import Text

/// Guards one connection, as a handler between the HTTP parser and the responder. It closes the connection if the
/// client is too slow, refuses malformed requests, and closes the connection in an orderly way when the server stops.
/// It runs on the event loop of the connection.
final class ConnectionGuard: ChannelDuplexHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias InboundOut = HTTPServerRequestPart
  typealias OutboundIn = HTTPServerResponsePart
  typealias OutboundOut = HTTPServerResponsePart

  private let limits: ConnectionLimits
  private let metrics: ServerMetrics
  private(set) var state: ConnectionState
  private var watch: RepeatedTask?
  private var isRefused = false
  private var isEventStream = false
  private var hasBegunAnswer = false
  /// `true` if the request asks for an upgrade, so its response is the last one on the connection.
  private var wantsUpgrade = false
  /// `true` if the client waits for permission before it sends the body (RFC 9110, section 10.1.1).
  private var expectsContinue = false
  /// `true` if received bytes could not be parsed, so the rest of the input is ignored.
  private var isDamaged = false
  /// `true` if the client has closed its side.
  private var isInputClosed = false

  /// An outbound event that announces that the body of the current request will be read.
  struct BodyWelcome: Sendable {}

  init(_ limits: ConnectionLimits, metrics: ServerMetrics) {
    self.limits = limits
    self.metrics = metrics
    state = ConnectionState(limits, now: .now())
  }

  func handlerAdded(context: ChannelHandlerContext) {
    let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
    watch = context.eventLoop.scheduleRepeatedTask(initialDelay: limits.tick, delay: limits.tick) { _ in
      let (handler, context) = bound.value
      handler.check(context)
    }
  }

  func handlerRemoved(context: ChannelHandlerContext) { watch?.cancel() }

  func channelInactive(context: ChannelHandlerContext) {
    watch?.cancel()
    context.fireChannelInactive()
  }

  /// Counts received bytes; called by the first handler of the channel.
  func received(_ byteCount: Int) { state.received(byteCount, now: .now()) }
  func wrote(_ byteCount: Int) { state.wrote(byteCount, now: .now()) }
  func asksForBytes() { state.asksForBytes() }

  private func check(_ context: ChannelHandlerContext) {
    guard context.channel.isActive else { return }
    let waiting = (try? context.channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
    switch state.verdict(waiting: waiting, now: .now()) {
    case .proceed: break
    case .close:
      metrics.connectionEnded(because: .tooSlow)
      context.close(promise: nil)
    case .requestTimeout:
      metrics.connectionEnded(because: .tooSlow)
      refuse(.requestTimeout, "The request did not arrive in time.", context)
    }
  }

  // MARK: Requests

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard !isRefused else { return }
    var data = data
    switch unwrapInboundIn(data) {
    case .head(var head):
      state.headEnded(now: .now())
      if let problem = Self.problem(with: head) {
        metrics.connectionEnded(because: .notHTTP)
        return refuse(.badRequest, problem, context)
      }
      if head.headers.contains(name: "upgrade") {
        // The upgrade is ignored (RFC 9110, section 7.8), but the parser does not read anything after such a request.
        // Java's client asks for an upgrade in its first request.
        wantsUpgrade = true
        head.headers.remove(name: "upgrade")
        head.headers.replaceOrAdd(name: "connection", value: "close")
        data = wrapInboundOut(.head(head))
      }
      expectsContinue = head.version == .http1_1 && head.headers[canonicalForm: "expect"].contains("100-continue")
    case .body: expectsContinue = false
    case .end:
      expectsContinue = false
      state.requestEnded(now: .now())
    }
    context.fireChannelRead(data)
  }

  /// Returns the reason a proxy could interpret a request differently from the server (RFC 9112, sections 3.2 and 6.3);
  /// `nil` if there is none.
  private static func problem(with head: HTTPRequestHead) -> String? {
    let hosts = head.headers[canonicalForm: "host"]
    if hosts.count != 1 { return "A request needs exactly one Host header." }
    if !head.uri.hasPrefix("/") && !(head.uri == "*" && head.method == .OPTIONS) {
      return "The address must begin with a slash."
    }
    if head.headers.contains(name: "transfer-encoding") && head.headers.contains(name: "content-length") {
      return "A request may have Content-Length or Transfer-Encoding, not both."
    }
    return nil
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    guard let error = error as? HTTPParserError else { return context.fireErrorCaught(error) }
    isDamaged = true
    // While a request is being answered, the error is passed on to the code that reads its body.
    guard state.pending == 0 else { return context.fireErrorCaught(error) }
    metrics.connectionEnded(because: .notHTTP)
    if error == .headerOverflow {
      refuse(
        .requestHeaderFieldsTooLarge,
        "There are more than \(limits.headerCount) headers, or they are larger than \(limits.headerBytes >> 10) kB.",
        context)
    } else {
      refuse(.badRequest, "This is not a valid HTTP/1.1 request.", context)
    }
  }

  /// Responds instead of the routes, which never receive this request, and closes the connection.
  private func refuse(_ status: HTTPResponseStatus, _ message: String, _ context: ChannelHandlerContext) {
    guard !isRefused else { return }
    isRefused = true
    guard !hasBegunAnswer else { return context.close(promise: nil) }
    var json = JSONWriter()
    json.value(["error": ["status": .integer(Int64(status.code)), "message": .string(message)]])
    let body = ByteBuffer(bytes: json.bytes)
    let headers: HTTPHeaders = [
      "Content-Type": "application/json; charset=utf-8", "Content-Length": String(body.readableBytes),
      "Connection": "close", "X-Content-Type-Options": "nosniff",
    ]
    context.write(
      wrapOutboundOut(.head(HTTPResponseHead(version: .http1_1, status: status, headers: headers))), promise: nil)
    context.write(wrapOutboundOut(.body(.byteBuffer(body))), promise: nil)
    context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    // If the connection were closed immediately, a client that is still sending would lose the response.
    context.close(mode: .output, promise: nil)
    close(context, in: .seconds(1))
  }

  // MARK: Answers

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    guard !isRefused else {
      promise?.fail(ChannelError.ioOnClosedChannel)
      return
    }
    var data = data
    switch unwrapOutboundIn(data) {
    case .head(var head):
      if wantsUpgrade || isDamaged {
        head.headers.replaceOrAdd(name: "connection", value: "close")
        data = wrapOutboundOut(.head(head))
      }
      if head.status.code >= 200 { hasBegunAnswer = true }
      isEventStream = head.headers.first(name: "content-type")?.hasPrefix("text/event-stream") == true
      if isEventStream && isInputClosed { close(context, in: .zero) }
    case .body: break
    case .end:
      hasBegunAnswer = false
      isEventStream = false
      state.answerEnded(now: .now())
      if isDamaged {
        context.writeAndFlush(data, promise: promise)
        context.close(mode: .output, promise: nil)
        return close(context, in: .seconds(1))
      }
    }
    context.write(data, promise: promise)
  }

  func triggerUserOutboundEvent(context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?) {
    guard event is BodyWelcome else { return context.triggerUserOutboundEvent(event, promise: promise) }
    guard expectsContinue, !isRefused, !hasBegunAnswer else {
      promise?.succeed()
      return
    }
    expectsContinue = false
    context.writeAndFlush(
      wrapOutboundOut(.head(HTTPResponseHead(version: .http1_1, status: .continue))), promise: promise)
  }

  // MARK: The end

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if case .inputClosed? = event as? ChannelEvent {
      // Clients may close their side and still read an ordinary response. For an event stream, a closed side means that
      // the client is gone.
      isInputClosed = true
      if isEventStream { close(context, in: .zero) }
    }
    if event is ChannelShouldQuiesceEvent {
      if isEventStream {
        // Event streams do not end on their own.
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        isRefused = true
        close(context, in: .zero)
      } else {
        close(context, in: limits.stopTime)
      }
    }
    context.fireUserInboundEventTriggered(event)
  }

  private func close(_ context: ChannelHandlerContext, in time: TimeAmount) {
    let channel = context.channel
    context.eventLoop.scheduleTask(in: time) { channel.close(promise: nil) }
  }
}

/// The first handler of a connection, which reports received and sent bytes, and attempts to read, to the guard.
final class ByteWatch: ChannelDuplexHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer
  typealias OutboundIn = IOData
  typealias OutboundOut = IOData

  private let connection: ConnectionGuard

  init(_ connection: ConnectionGuard) { self.connection = connection }

  func read(context: ChannelHandlerContext) {
    connection.asksForBytes()
    context.read()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    connection.received(unwrapInboundIn(data).readableBytes)
    context.fireChannelRead(data)
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    connection.wrote(unwrapOutboundIn(data).readableBytes)
    context.write(data, promise: promise)
  }
}
