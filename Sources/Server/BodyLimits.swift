internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import Synchronization

/// How large the body of a request may be, and how much of large bodies may be in memory at once.
struct BodyLimits: RouterMiddleware {
  typealias Context = ServerContext

  /// Bytes, for all but audio and signatures.
  static let standard = 1 << 20
  /// Bytes of audio or signatures.
  static let large = 64 << 20
  /// Bytes of all bodies that are larger than `standard`.
  static let allLarge = 256 << 20

  private let reserved = Reserved()

  private final class Reserved: Sendable {
    let bytes = Atomic(0)
  }

  func handle(
    _ request: Request, context: ServerContext, next: (Request, ServerContext) async throws -> Response
  ) async throws -> Response {
    let limit = Self.limit(for: context.endpointPath ?? "")
    let length = request.headers[.contentLength].flatMap(Int.init)
    if let length, length > limit {
      throw RequestError(
        .contentTooLarge, "The body is larger than the \(limit >> 20) MB that are taken here.")
    }
    guard let length else {
      guard request.headers[.transferEncoding] != nil else { return try await next(request, context) }
      var request = request
      request.body = RequestBody(asyncSequence: CountedBody(base: request.body, limit: limit))
      return try await next(request, context)
    }
    guard length > Self.standard else { return try await next(request, context) }
    guard reserved.bytes.add(length, ordering: .relaxed).newValue <= Self.allLarge else {
      reserved.bytes.subtract(length, ordering: .relaxed)
      throw RequestError(
        .serviceUnavailable, "Too much is being sent at once. Try again in some seconds.", retryAfter: 5)
    }
    defer { reserved.bytes.subtract(length, ordering: .relaxed) }
    return try await next(request, context)
  }

  static func limit(for pattern: String) -> Int {
    let prefixes = ["/v1/match", "/v1/sessions", "/v1/catalog", "/app/api/listen"]
    return prefixes.contains { pattern == $0 || pattern.hasPrefix("\($0)/") } ? large : standard
  }
}

/// A body whose size the client has not said: more than is allowed ends it.
private struct CountedBody: AsyncSequence, Sendable {
  let base: RequestBody
  let limit: Int

  struct AsyncIterator: AsyncIteratorProtocol {
    var base: RequestBody.AsyncIterator
    let limit: Int
    var rest: Int

    mutating func next() async throws -> ByteBuffer? {
      guard let buffer = try await base.next() else { return nil }
      rest -= buffer.readableBytes
      guard rest >= 0 else { throw NIOTooManyBytesError(maxBytes: limit) }
      return buffer
    }
  }

  func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(base: base.makeAsyncIterator(), limit: limit, rest: limit)
  }
}
