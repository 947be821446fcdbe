internal import HTTPTypes
package import Hummingbird
internal import NIOCore
internal import Synchronization

/// Limits the size of a request body, and of all bodies in memory together.
package struct BodyLimits: RouterMiddleware {
  package typealias Context = ServerContext

  /// Maximum number of bytes in a body, except for audio and signatures.
  static let standard = 1 << 20
  /// Maximum number of bytes in a body with audio or signatures.
  package static let large = 64 << 20
  /// Maximum number of bytes in all bodies together.
  static let all = 256 << 20

  let routes: RouteTable
  private let budget = BufferBudget(limit: all)

  package init(routes: RouteTable) { self.routes = routes }

  package func handle(
    _ request: Request, context: ServerContext, next: (Request, ServerContext) async throws -> Response
  ) async throws -> Response {
    let limit = routes.bodyLimit(context.endpointPath)
    let length = request.headers[.contentLength].flatMap(Int.init)
    if let length, length > limit {
      throw RequestError(
        .contentTooLarge, "The body is larger than the \(limit >> 20) MB that are accepted here.")
    }
    guard length ?? 1 > 0, length != nil || request.headers[.transferEncoding] != nil else {
      return try await next(request, context)
    }
    let share = BufferBudget.Share(of: budget)
    // Until the response, the route may keep the whole body in memory.
    defer { share.giveBack() }
    var request = request
    if let length {
      try share.take(length)
    } else {
      request.body = RequestBody(asyncSequence: CountedBody(base: request.body, limit: limit, share: share))
    }
    if context.endpointPath != nil { context.welcomeBody() }
    return try await next(request, context)
  }
}

/// Counts the bytes in memory that came from clients, up to a limit.
package final class BufferBudget: Sendable {
  private let limit: Int
  private let count = Atomic(0)

  package init(limit: Int) { self.limit = limit }

  /// - Throws: `RequestError` with status 503 if the limit would be exceeded, in which case the bytes are not counted.
  package func take(_ bytes: Int) throws(RequestError) {
    guard count.add(bytes, ordering: .relaxed).newValue <= limit else {
      giveBack(bytes)
      throw RequestError(
        .serviceUnavailable, "Too much data is being uploaded at once. Try again in a few seconds.", retryAfter: 5)
    }
  }

  package func giveBack(_ bytes: Int) { count.subtract(bytes, ordering: .relaxed) }

  /// The bytes of one request.
  final class Share: Sendable {
    private let budget: BufferBudget
    private let count = Atomic(0)

    init(of budget: BufferBudget) { self.budget = budget }

    func take(_ bytes: Int) throws(RequestError) {
      try budget.take(bytes)
      count.add(bytes, ordering: .relaxed)
    }

    func giveBack() { budget.giveBack(count.exchange(0, ordering: .relaxed)) }
  }
}

/// A body of unknown size. It is counted as it arrives, and fails when it exceeds the limit.
private struct CountedBody: AsyncSequence, Sendable {
  let base: RequestBody
  let limit: Int
  let share: BufferBudget.Share

  struct AsyncIterator: AsyncIteratorProtocol {
    var base: RequestBody.AsyncIterator
    let limit: Int
    let share: BufferBudget.Share
    var rest: Int

    mutating func next() async throws -> ByteBuffer? {
      guard let buffer = try await base.next() else { return nil }
      rest -= buffer.readableBytes
      guard rest >= 0 else { throw NIOTooManyBytesError(maxBytes: limit) }
      try share.take(buffer.readableBytes)
      return buffer
    }
  }

  func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(base: base.makeAsyncIterator(), limit: limit, share: share, rest: limit)
  }
}
