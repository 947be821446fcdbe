internal import NIOCore
internal import NIOHTTP1

/// A request sent to another server.
struct RemoteQuestion: Sendable {
  let body: ByteBuffer
  let authority: String
  let token: String?
  let answer: EventLoopPromise<RemoteAnswer>
}

/// An answer from another server.
struct RemoteAnswer: Sendable {
  let status: HTTPResponseStatus
  let body: [UInt8]
  /// `true` if the connection can be used again.
  let keepsOpen: Bool
}

/// The connection ended before the answer arrived.
struct ClosedConnection: Error {}

/// Sends one request at a time over a connection, and collects the answer.
final class RemoteExchange: ChannelDuplexHandler {
  typealias InboundIn = HTTPClientResponsePart
  typealias OutboundIn = RemoteQuestion
  typealias OutboundOut = HTTPClientRequestPart

  private var answer: EventLoopPromise<RemoteAnswer>?
  private var head: HTTPResponseHead?
  private var body: [UInt8] = []

  /// Maximum size of an answer in bytes: more than a hundred signatures of one hour each.
  private static let maxBytes = 32 << 20
  private static let path = "/v1/catalog/part"

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    let question = unwrapOutboundIn(data)
    answer = question.answer
    head = nil
    body = []
    var headers = HTTPHeaders([
      ("Host", question.authority), ("Content-Type", "application/octet-stream"),
      ("Content-Length", "\(question.body.readableBytes)"), ("User-Agent", "nocturne"),
    ])
    if let token = question.token { headers.add(name: "Authorization", value: "Bearer \(token)") }
    let head = HTTPRequestHead(version: .http1_1, method: .POST, uri: Self.path, headers: headers)
    context.write(wrapOutboundOut(.head(head)), promise: nil)
    context.write(wrapOutboundOut(.body(.byteBuffer(question.body))), promise: nil)
    context.write(wrapOutboundOut(.end(nil)), promise: promise)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head(let head): self.head = head
    case .body(let part):
      body += part.readableBytesView
      if body.count > Self.maxBytes { end(.failure(ClosedConnection()), context) }
    case .end:
      guard let head else { return end(.failure(ClosedConnection()), context) }
      let received = RemoteAnswer(status: head.status, body: body, keepsOpen: head.isKeepAlive)
      answer?.succeed(received)
      answer = nil
      body = []
      if !head.isKeepAlive { context.close(promise: nil) }
    }
  }

  func channelInactive(context: ChannelHandlerContext) { end(.failure(ClosedConnection()), context) }

  func errorCaught(context: ChannelHandlerContext, error: any Error) { end(.failure(error), context) }

  private func end(_ result: Result<RemoteAnswer, any Error>, _ context: ChannelHandlerContext) {
    answer?.completeWith(result)
    answer = nil
    context.close(promise: nil)
  }
}
