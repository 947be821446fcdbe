import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import NIOEmbedded
import Synchronization

@testable import Serving

/// Routes behind the middleware of the server, without connections.
struct ServedRoutes: Sendable {
  struct Answer {
    var status: Int
    var headers: HTTPFields
    var bytes: [UInt8]

    var text: String { String(decoding: bytes, as: UTF8.self) }
  }

  let metrics = ServerMetrics()
  private let responder: RouterResponder<ServerContext>
  private let logger: Logger

  /// - Parameter logger: Receives what the server logs.
  init(
    _ routes: [Route], _ options: ServingOptions = ServingOptions(), tokens: AccessTokens = AccessTokens(file: nil),
    logger: Logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
  ) {
    let table = RouteTable(routes)
    let router = Router(context: ServerContext.self, options: .autoGenerateHeadEndpoints)
    router.add(middleware: RequestLog(metrics, log: options.accessLog))
    router.add(middleware: ResponseHeaders())
    router.add(middleware: TextDelivery { try $0() })
    router.add(middleware: ErrorShape.standard)
    router.add(middleware: Access(options, tokens: tokens, routes: table))
    router.add(middleware: BodyLimits(routes: table))
    for route in routes { route.add(to: router) }
    OtherMethods.add(to: router)
    responder = router.buildResponder()
    self.logger = logger
  }

  /// - Parameters:
  ///   - peer: The address at the other end of the connection.
  ///   - host: The value of the header `Host`; `nil` for none.
  func ask(
    _ method: HTTPRequest.Method, _ target: String, _ headers: HTTPFields = [:], body: String = "",
    from peer: String = "127.0.0.1", host: String? = "localhost"
  ) async throws -> Answer {
    let head = HTTPRequest(method: method, scheme: "http", authority: host, path: target, headerFields: headers)
    return try await Self.withContext(logger: logger, from: peer) { context in
      let request = Request(head: head, body: RequestBody(buffer: ByteBuffer(string: body)))
      let response = try await responder.respond(to: request, context: context)
      return Answer(
        status: response.status.code, headers: response.headers, bytes: try await Self.bytes(of: response.body))
    }
  }

  func get(
    _ target: String, _ headers: HTTPFields = [:], from peer: String = "127.0.0.1"
  ) async throws -> Answer { try await ask(.get, target, headers, from: peer) }

  /// Calls `body` with the context of one request.
  /// - Parameter path: The path of the route; `nil` if no route matches yet.
  static func withContext<Result>(
    logger: Logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, path: String? = nil,
    from peer: String = "127.0.0.1", _ body: (ServerContext) async throws -> Result
  ) async throws -> Result {
    let channel = NIOAsyncTestingChannel()
    channel.remoteAddress = try SocketAddress(ipAddress: peer, port: 49_152)
    let context = ServerContext(source: ApplicationRequestContextSource(channel: channel, logger: logger))
    context.coreContext.endpointPath.value = path
    do {
      let result = try await body(context)
      _ = try? await channel.finish()
      return result
    } catch {
      _ = try? await channel.finish()
      throw error
    }
  }

  static func bytes(of body: ResponseBody) async throws -> [UInt8] {
    let written = Written()
    try await body.write(Writer(written: written))
    return written.bytes.withLock { $0 }
  }

  private final class Written: Sendable {
    let bytes = Mutex<[UInt8]>([])
  }

  private struct Writer: ResponseBodyWriter {
    let written: Written

    mutating func write(_ buffer: ByteBuffer) async throws {
      written.bytes.withLock { $0.append(contentsOf: buffer.readableBytesView) }
    }

    consuming func finish(_ trailingHeaders: HTTPFields?) async throws {}
  }
}

/// Routes from a list, below `/test`.
struct TestRoutes: RouteSet {
  var api = API(name: "test", path: "/test")
  var list: [(method: HTTPRequest.Method, path: String, access: RouteAccess?, respond: Route.Respond)]

  var routes: [Route] {
    for item in list { route(item.method, item.path, "", access: item.access, item.respond) }
  }
}
