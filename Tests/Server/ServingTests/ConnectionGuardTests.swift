import AnalysisTesting
import NIOCore
import NIOEmbedded
import NIOHTTP1
import Testing
import Text

@testable import Serving

/// The guard of one connection, with an event loop whose time the tests set.
@Suite(.bounded) struct ConnectionGuardTests {
  /// The end of a pipeline next to the network. It records what the guard sends, as one line for each part.
  private final class Wire: ChannelOutboundHandler {
    typealias OutboundIn = HTTPServerResponsePart

    var lines: [String] = []
    /// `true` once the test is over, so the channel may close.
    var isOver = false

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
      switch unwrapOutboundIn(data) {
      case .head(let head):
        let connection = head.headers.first(name: "connection").map { " connection: \($0)" } ?? ""
        lines.append("\(head.status.code)\(connection)")
      case .body(.byteBuffer(let buffer)): lines.append(String(buffer: buffer))
      case .body(.fileRegion): lines.append("file")
      case .end: lines.append("end")
      }
      promise?.succeed()
    }

    func triggerUserOutboundEvent(context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?) {
      lines.append("event \(event)")
      promise?.succeed()
    }

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
      if isOver { return context.close(mode: mode, promise: promise) }
      lines.append("close \(mode)")
      promise?.succeed()
    }
  }

  /// The other end, next to the routes.
  private final class Routes: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart

    var lines: [String] = []

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      switch unwrapInboundIn(data) {
      case .head(let head):
        let headers = head.headers.filter { $0.name.lowercased() != "host" }
        lines.append(([head.uri] + headers.map { "\($0.name): \($0.value)" }).joined(separator: " "))
      case .body(let buffer): lines.append(String(buffer: buffer))
      case .end: lines.append("end")
      }
    }

    func channelInactive(context: ChannelHandlerContext) { lines.append("inactive") }
    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) { lines.append("event \(event)") }
    func errorCaught(context: ChannelHandlerContext, error: any Error) { lines.append("error \(error)") }
  }

  private final class Connection {
    let metrics = ServerMetrics()
    let wire = Wire()
    let routes = Routes()
    let limits: ConnectionLimits
    let connectionGuard: ConnectionGuard
    let channel: EmbeddedChannel

    init(_ change: (inout ConnectionLimits) -> Void = { _ in }) throws {
      var limits = ConnectionLimits()
      change(&limits)
      self.limits = limits
      connectionGuard = ConnectionGuard(limits, metrics: metrics)
      channel = EmbeddedChannel(handlers: [wire, connectionGuard, routes])
      try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
    }

    deinit {
      wire.isOver = true
      _ = try? channel.finish(acceptAlreadyClosed: true)
    }

    /// Lines sent to the client since the last call.
    func sent() -> [String] {
      defer { wire.lines = [] }
      return wire.lines
    }

    /// Lines that reached the routes since the last call.
    func arrived() -> [String] {
      defer { routes.lines = [] }
      return routes.lines
    }

    func head(
      _ method: HTTPMethod = .GET, _ uri: String = "/", _ headers: HTTPHeaders = ["Host": "a"],
      version: HTTPVersion = .http1_1
    ) throws {
      try read(.head(HTTPRequestHead(version: version, method: method, uri: uri, headers: headers)))
    }

    func read(_ part: HTTPServerRequestPart) throws { try channel.writeInbound(part) }

    func answer(_ status: HTTPResponseStatus = .ok, _ headers: HTTPHeaders = [:]) {
      write(.head(HTTPResponseHead(version: .http1_1, status: status, headers: headers)))
    }

    @discardableResult func write(_ part: HTTPServerResponsePart) -> EventLoopFuture<Void> {
      channel.writeAndFlush(part)
    }

    /// - Returns: `true` if the event was handled.
    @discardableResult func outbound(_ event: any Sendable) -> Bool {
      var isHandled = false
      let promise = channel.eventLoop.makePromise(of: Void.self)
      promise.futureResult.assumeIsolated().whenSuccess { isHandled = true }
      channel.triggerUserOutboundEvent(event, promise: promise)
      // A promise must not stay open.
      promise.fail(CancellationError())
      return isHandled
    }

    func inbound(_ event: any Sendable) { channel.pipeline.fireUserInboundEventTriggered(event) }
    func fail(_ error: any Error) { channel.pipeline.fireErrorCaught(error) }
    func wait(_ time: TimeAmount) { channel.embeddedEventLoop.advanceTime(by: time) }
    /// Until the guard looks at its client.
    func tick() { wait(limits.tick) }
  }

  /// The response of the guard itself, after which the client has a second to read it.
  private func expectRefusal(
    _ connection: Connection, _ status: Int, _ message: String, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let lines = connection.sent()
    try #require(lines.count == 4, "\(lines)", sourceLocation: sourceLocation)
    #expect(lines[0] == "\(status) connection: close", sourceLocation: sourceLocation)
    let body: JSONValue = ["error": ["status": .integer(Int64(status)), "message": .string(message)]]
    #expect(try JSONValue(parsing: lines[1].utf8) == body, sourceLocation: sourceLocation)
    #expect(lines[2...] == ["end", "close output"], sourceLocation: sourceLocation)
    connection.wait(.milliseconds(999))
    #expect(connection.sent() == [], sourceLocation: sourceLocation)
    connection.wait(.milliseconds(1))
    #expect(connection.sent().first == "close all", sourceLocation: sourceLocation)
  }

  // MARK: Requests

  @Test func requestsAndAnswersPass() throws {
    let connection = try Connection()
    connection.outbound("other")
    #expect(connection.sent() == ["event other"])
    for _ in 0..<2 {
      try connection.head(.POST, "/a", ["Host": "a", "X": "y"])
      try connection.read(.body(ByteBuffer(string: "text")))
      try connection.read(.end(nil))
      #expect(connection.arrived() == ["/a X: y", "text", "end"] && connection.connectionGuard.state.pending == 1)
      connection.answer()
      connection.write(.body(.byteBuffer(ByteBuffer(string: "answer"))))
      connection.write(.end(nil))
      #expect(connection.connectionGuard.state.pending == 0)
      connection.tick()
      #expect(connection.sent() == ["200", "answer", "end"])
    }
    #expect(connection.metrics.state.ended == [:])
    connection.channel.pipeline.fireChannelInactive()
    #expect(connection.arrived() == ["inactive"])
  }

  @Test(
    arguments: [
      (.GET, "/", [:], "A request needs exactly one Host header."),
      (.GET, "/", ["Host": "a", "host": "b"], "A request needs exactly one Host header."),
      (.GET, "http://a/", ["Host": "a"], "The address must begin with a slash."),
      (.GET, "*", ["Host": "a"], "The address must begin with a slash."),
      (.OPTIONS, "a", ["Host": "a"], "The address must begin with a slash."),
      (
        .POST, "/", ["Host": "a", "Content-Length": "1", "Transfer-Encoding": "chunked"],
        "A request may have Content-Length or Transfer-Encoding, not both."
      ),
    ] as [(HTTPMethod, String, HTTPHeaders, String)])
  func ambiguousRequestsAreRefused(method: HTTPMethod, uri: String, headers: HTTPHeaders, message: String) throws {
    let connection = try Connection()
    try connection.head(method, uri, headers)
    try connection.read(.end(nil))
    #expect(connection.metrics.state.ended == [.notHTTP: 1])
    try expectRefusal(connection, 400, message)
    // Nothing of this connection reaches the routes, and nothing of theirs the client.
    try connection.head()
    #expect(connection.arrived() == [])
    var error: (any Error)?
    connection.write(.end(nil)).assumeIsolated().whenFailure { error = $0 }
    #expect(error as? ChannelError == .ioOnClosedChannel && connection.sent() == [])
  }

  @Test(
    arguments: [
      (.GET, "/", ["Host": "a"]), (.OPTIONS, "*", ["Host": "a"]), (.OPTIONS, "/", ["Host": "a"]),
      (.POST, "/", ["Host": "a", "Content-Length": "1"]), (.POST, "/", ["Host": "a", "Transfer-Encoding": "chunked"]),
    ] as [(HTTPMethod, String, HTTPHeaders)])
  func othersArePassedOn(method: HTTPMethod, uri: String, headers: HTTPHeaders) throws {
    let connection = try Connection()
    try connection.head(method, uri, headers)
    #expect(connection.arrived().count == 1 && connection.sent() == [])
  }

  /// The response is the last one, because the parser reads nothing after such a request.
  @Test func anUpgradeIsIgnored() throws {
    let connection = try Connection()
    try connection.head(.GET, "/", ["Host": "a", "Connection": "Upgrade", "Upgrade": "h2c", "X": "y"])
    #expect(connection.arrived().map { Set($0.split(separator: " ")) } == [["/", "connection:", "close", "X:", "y"]])
    connection.answer(.ok, ["Connection": "keep-alive"])
    #expect(connection.sent() == ["200 connection: close"])
  }

  @Test func unreadableBytesAreRefusedOnce() throws {
    let connection = try Connection()
    connection.fail(HTTPParserError.invalidVersion)
    connection.fail(HTTPParserError.invalidVersion)
    #expect(connection.arrived() == [])
    try expectRefusal(connection, 400, "This is not a valid HTTP/1.1 request.")
    let other = try Connection { ($0.headerCount, $0.headerBytes) = (7, 3 << 10) }
    other.fail(HTTPParserError.headerOverflow)
    #expect(other.metrics.state.ended == [.notHTTP: 1])
    try expectRefusal(other, 431, "There are more than 7 headers, or they are larger than 3 kB.")
    // After a request and its answer as well.
    let used = try Connection()
    try used.head()
    try used.read(.end(nil))
    used.answer()
    used.write(.end(nil))
    #expect(used.sent() == ["200", "end"])
    used.fail(HTTPParserError.invalidMethod)
    try expectRefusal(used, 400, "This is not a valid HTTP/1.1 request.")
  }

  /// The routes answer a request whose body is damaged, and the connection ends.
  @Test func aDamagedBodyIsLeftToTheRoutes() throws {
    let connection = try Connection()
    try connection.head(.POST)
    connection.fail(HTTPParserError.invalidChunkSize)
    #expect(connection.arrived() == ["/", "error \(HTTPParserError.invalidChunkSize)"] && connection.sent() == [])
    #expect(connection.metrics.state.ended == [:])
    connection.answer(.badRequest)
    connection.write(.end(nil))
    #expect(connection.sent() == ["400 connection: close", "end", "close output"])
    connection.wait(.milliseconds(999))
    #expect(connection.sent() == [])
    connection.wait(.milliseconds(1))
    #expect(connection.sent() == ["close all"])
  }

  // MARK: Slow clients

  private static let never = TimeAmount.nanoseconds(-1)

  @Test func aSilentClientIsSentAway() throws {
    let connection = try Connection { $0.headTime = Self.never }
    connection.wait(.milliseconds(999))
    #expect(connection.sent() == [])
    connection.wait(.milliseconds(1))
    #expect(connection.sent() == ["close all"] && connection.metrics.state.ended == [.tooSlow: 1])
  }

  @Test func aSlowRequestIsToldSo() throws {
    let head = try Connection { $0.headTime = Self.never }
    head.connectionGuard.received(1)
    head.tick()
    #expect(head.metrics.state.ended == [.tooSlow: 1])
    try expectRefusal(head, 408, "The request did not arrive in time.")
    let body = try Connection { $0.bodyTime = Self.never }
    try body.head(.POST)
    // An interim response is not the answer.
    body.answer(.continue)
    #expect(body.sent() == ["100"])
    body.tick()
    try expectRefusal(body, 408, "The request did not arrive in time.")
  }

  /// A second answer would be taken for a part of the first.
  @Test func aBegunAnswerIsCutOff() throws {
    let connection = try Connection { $0.bodyTime = Self.never }
    try connection.head(.POST)
    connection.answer()
    #expect(connection.sent() == ["200"])
    connection.tick()
    #expect(connection.sent() == ["close all"])
    // The end of the answer comes too late.
    connection.write(.end(nil))
    #expect(connection.sent() == [])
  }

  @Test func aWholeRequestIsNotSlow() throws {
    let connection = try Connection { $0.bodyTime = Self.never }
    try connection.head(.POST)
    try connection.read(.end(nil))
    connection.tick()
    #expect(connection.sent() == [] && connection.metrics.state.ended == [:])
  }

  // MARK: Expect: 100-continue

  private func waiting(version: HTTPVersion = .http1_1, expect: String = "100-continue") throws -> Connection {
    let connection = try Connection { $0.bodyTime = Self.never }
    try connection.head(.POST, "/", ["Host": "a", "Expect": expect, "Content-Length": "1"], version: version)
    return connection
  }

  @Test func aClientIsAskedForItsBodyOnce() throws {
    let connection = try waiting()
    #expect(connection.outbound(ConnectionGuard.BodyWelcome()) && connection.sent() == ["100"])
    #expect(connection.outbound(ConnectionGuard.BodyWelcome()) && connection.sent() == [])
  }

  @Test func noOneElseIsAsked() throws {
    func expectSilence(_ connection: Connection, sourceLocation: SourceLocation = #_sourceLocation) {
      _ = connection.sent()
      #expect(connection.outbound(ConnectionGuard.BodyWelcome()), sourceLocation: sourceLocation)
      #expect(connection.sent() == [], sourceLocation: sourceLocation)
    }
    expectSilence(try Connection())
    expectSilence(try waiting(version: .http1_0))
    expectSilence(try waiting(expect: "other"))
    let sending = try waiting()
    try sending.read(.body(ByteBuffer(string: "a")))
    expectSilence(sending)
    let ended = try waiting()
    try ended.read(.end(nil))
    expectSilence(ended)
    let answered = try waiting()
    answered.answer()
    expectSilence(answered)
    let refused = try waiting()
    refused.tick()
    expectSilence(refused)
    let next = try waiting()
    try next.head()
    expectSilence(next)
  }

  // MARK: The end

  private func stream(_ connection: Connection, type: String = "text/event-stream; charset=utf-8") throws {
    try connection.head()
    try connection.read(.end(nil))
    connection.answer(.ok, ["Content-Type": type])
    #expect(connection.sent() == ["200"])
  }

  @Test func aStreamEndsWithItsClient() throws {
    let (early, late, other) = (try Connection(), try Connection(), try Connection())
    try stream(late)
    late.wait(.zero)
    #expect(late.sent() == [])
    for connection in [early, late, other] {
      connection.inbound(ChannelEvent.inputClosed)
      connection.wait(.zero)
    }
    #expect(late.sent() == ["close all"] && early.sent() == [] && other.sent() == [])
    // The client closed its side before the stream began.
    try stream(early)
    early.wait(.zero)
    #expect(early.sent() == ["close all"])
    // Ordinary responses may still be read.
    try stream(other, type: "application/json")
    other.wait(.zero)
    #expect(other.sent() == [])
    #expect(other.arrived() == ["event inputClosed", "/", "end"])
  }

  @Test func aStoppingServerEndsStreamsAtOnce() throws {
    let connection = try Connection()
    try stream(connection)
    connection.inbound(ChannelShouldQuiesceEvent())
    #expect(connection.sent() == ["end"])
    connection.wait(.zero)
    #expect(connection.sent() == ["close all"])
    connection.write(.body(.byteBuffer(ByteBuffer(string: "event"))))
    #expect(connection.sent() == [])
    #expect(connection.arrived() == ["/", "end", "event ChannelShouldQuiesceEvent()"])
  }

  /// Other responses have eight seconds.
  @Test func aStoppingServerFinishesAnswers() throws {
    let (idle, answering, ended) = (try Connection(), try Connection(), try Connection())
    try stream(answering, type: "application/json")
    try stream(ended)
    ended.write(.end(nil))
    #expect(ended.sent() == ["end"])
    for connection in [idle, answering, ended] {
      connection.inbound(ChannelShouldQuiesceEvent())
      connection.wait(.milliseconds(7_999))
      #expect(connection.sent() == [])
    }
    answering.write(.end(nil))
    #expect(answering.sent() == ["end"])
    for connection in [idle, answering, ended] {
      connection.wait(.milliseconds(1))
      #expect(connection.sent() == ["close all"])
    }
  }

  // MARK: Bytes

  private final class Reads: ChannelOutboundHandler {
    typealias OutboundIn = IOData

    var count = 0

    func read(context: ChannelHandlerContext) {
      count += 1
      context.read()
    }
  }

  /// The guard learns of all bytes and of all attempts to read, and they go on.
  @Test func bytesAreReported() throws {
    let connection = try Connection()
    let reads = Reads()
    let channel = EmbeddedChannel(handlers: [reads, ByteWatch(connection.connectionGuard)])
    func verdict(after seconds: Int64, waiting: Int = 0) -> ConnectionState.Verdict {
      var state = connection.connectionGuard.state
      return state.verdict(waiting: waiting, now: .now() + .seconds(seconds))
    }
    #expect(verdict(after: 11) == .close)
    let bytes = ByteBuffer(string: "GET")
    try channel.writeInbound(bytes)
    #expect(try channel.readInbound() == bytes)
    #expect(verdict(after: 11) == .requestTimeout)
    try connection.head(.POST)
    try channel.writeInbound(bytes)
    #expect(verdict(after: 31) == .proceed)
    channel.read()
    #expect(reads.count == 1 && verdict(after: 31) == .requestTimeout)
    let large = ByteBuffer(repeating: 0, count: 8189)
    try channel.writeInbound(large)
    channel.read()
    #expect(verdict(after: 31) == .proceed)
    try connection.read(.end(nil))
    try channel.writeOutbound(IOData.byteBuffer(bytes))
    #expect(try channel.readOutbound(as: IOData.self) == .byteBuffer(bytes))
    #expect(verdict(after: 61, waiting: 3) == .close && verdict(after: 61, waiting: 2) == .proceed)
    _ = try channel.finish()
  }
}
