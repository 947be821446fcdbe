import AnalysisTesting
import HTTPTypes
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOPosix
import ServiceLifecycle
import Synchronization
import Testing

@testable import Serving

/// Connections of a server at a free port of this machine.
@Suite(.bounded) struct GuardedServerTests {
  /// The end of a connection at the client.
  private final class Received: ChannelInboundHandler, Sendable {
    typealias InboundIn = ByteBuffer

    private let bytes = Mutex("")
    var text: String { bytes.withLock { $0 } }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      let text = String(buffer: unwrapInboundIn(data))
      bytes.withLock { $0 += text }
    }
  }

  private struct Client {
    let channel: any Channel
    let received: Received

    init(_ port: Int) async throws {
      let received = Received()
      self.received = received
      channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
        .channelInitializer { $0.pipeline.addHandler(received) }
        .connect(host: "127.0.0.1", port: port).get()
    }

    func send(_ text: String) async throws { try await channel.writeAndFlush(ByteBuffer(string: text)) }

    /// Waits for the end of the connection.
    /// - Returns: Everything that the server sent.
    func end() async throws -> String {
      try await channel.closeFuture.get()
      return received.text
    }
  }

  private let metrics = ServerMetrics()

  private func serve(_ limits: ConnectionLimits, _ body: (_ port: Int) async throws -> Void) async throws {
    let router = Router(context: ServerContext.self)
    router.get("/") { _, _ in Response(status: .ok) }
    let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    let (ports, found) = AsyncStream.makeStream(of: Int.self)
    let application = Application(
      responder: router.buildResponder(),
      server: HTTPServerBuilder { [limits, metrics] responder in
        GuardedChannel(
          responder: responder, limits: limits, counts: ConnectionCounts(limits) { _ in false }, metrics: metrics)
      },
      configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
      onServerRunning: { found.yield($0.localAddress?.port ?? 0) },
      logger: logger)
    let group = ServiceGroup(configuration: .init(services: [application], logger: logger))
    let server = Task {
      defer { found.finish() }
      try await group.run()
    }
    let port = try #require(await ports.first { _ in true })
    try await body(port)
    await group.triggerGracefulShutdown()
    try await server.value
  }

  private func waitUntil(_ condition: (ServerMetrics.State) -> Bool) async {
    while !condition(metrics.state) { await Task.yield() }
  }

  /// A connection too many of one address is closed, and counts for nothing.
  @Test func anAddressHasSoManyConnections() async throws {
    var limits = ConnectionLimits()
    limits.connectionsPerAddress = 1
    try await serve(limits) { port in
      let first = try await Client(port)
      await waitUntil { $0.connections == 1 }
      for number in 1...2 {
        #expect(try await Client(port).end() == "")
        await waitUntil { $0.connections == 1 }
        #expect(metrics.state.ended == [.tooMany: number])
      }
      try await first.send("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
      #expect(try await first.end().hasPrefix("HTTP/1.1 200 OK\r\n"))
      await waitUntil { $0.connections == 0 }
      let next = try await Client(port)
      try await next.send("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
      #expect(try await next.end().hasPrefix("HTTP/1.1 200 OK\r\n"))
      #expect(metrics.state.allConnections == 4 && metrics.state.ended == [.tooMany: 2])
    }
  }

  /// A silent client is sent away, and a client that has sent a part of a request is told why.
  @Test func slowClientsAreSentAway() async throws {
    var limits = ConnectionLimits()
    limits.headTime = .milliseconds(30)
    limits.tick = .milliseconds(10)
    try await serve(limits) { port in
      let (silent, slow) = (try await Client(port), try await Client(port))
      try await slow.send("GET / HTTP/1.1\r\nHost: a\r\n")
      #expect(try await silent.end() == "")
      #expect(try await slow.end().hasPrefix("HTTP/1.1 408 Request Timeout\r\n"))
      #expect(metrics.state.ended[.tooSlow] ?? 0 >= 2)
    }
  }

  /// Both limits of headers: their number, and their bytes.
  @Test func headersHaveLimits() async throws {
    try await serve(ConnectionLimits()) { port in
      func status(_ headers: String) async throws -> Int? {
        let client = try await Client(port)
        try await client.send("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\(headers)\r\n")
        return try await client.end().split(separator: " ").dropFirst().first.flatMap { Int($0) }
      }
      let many = (0..<98).map { "X-\($0): a\r\n" }.joined()
      for (headers, expected) in [
        (many, 200), (many + "Y: a\r\n", 431), ("X: \(String(repeating: "a", count: 30_000))\r\n", 200),
        ("X: \(String(repeating: "a", count: 33_000))\r\n", 431),
      ] {
        let status = try await status(headers)
        #expect(status == expected, "\(headers.utf8.count) bytes")
      }
      #expect(metrics.state.ended == [.notHTTP: 2])
    }
  }
}
