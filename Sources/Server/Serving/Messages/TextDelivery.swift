internal import Analysis
internal import HTTPTypes
package import Hummingbird
internal import NIOCore
internal import Synchronization

/// Compresses JSON and XML responses for clients that accept gzip. Adds an `ETag` to responses to GET requests, and
/// responds with 304 to a matching `If-None-Match` (RFC 9110, sections 8.8.3, 12.5.3 and 13.1.2).
package struct TextDelivery: RouterMiddleware {
  package typealias Context = ServerContext

  /// Runs long work on a thread that is not one of the event loops' threads.
  package typealias Aside = @Sendable (@Sendable () throws -> [UInt8]?) async throws -> [UInt8]?

  private let aside: Aside

  package init(aside: @escaping Aside) { self.aside = aside }

  /// Minimum size to compress, in bytes. Shorter responses fit into one packet anyway.
  private static let minCompressedSize = 1 << 10
  /// Maximum size to compress inline, in bytes. Longer responses are compressed in `aside`, so that they do not delay
  /// other connections.
  private static let maxInlineSize = 1 << 16
  private static let types = ["application/json", "application/xml", "application/schema+json"]

  package func handle(
    _ request: Request, context: ServerContext, next: (Request, ServerContext) async throws -> Response
  ) async throws -> Response {
    var response = try await next(request, context)
    let type = response.headers[.contentType]?.prefix { $0 != ";" }.lowercased() ?? ""
    guard response.status.kind == .successful, Self.types.contains(type), let length = response.body.contentLength,
      length > 0, response.headers[.contentEncoding] == nil
    else { return response }
    let body = try await Self.bytes(of: response.body)
    response.body = ResponseBody(byteBuffer: ByteBuffer(bytes: body))
    response.headers.append(HTTPField(name: .vary, value: "Accept-Encoding"))
    if request.method == .get, response.status == .ok {
      let tag = response.headers[.eTag] ?? "\"\(ContentID(hashing: body))\""
      // The tag is weak because it identifies the content regardless of compression.
      response.headers[.eTag] = tag.hasPrefix("W/") ? tag : "W/\(tag)"
      if response.headers[.cacheControl] ?? "no-store" == "no-store" {
        response.headers[.cacheControl] = "private, no-cache"
      }
      if let known = request.headers[.ifNoneMatch], EntityTags(known).contains(String(tag.trimmingPrefix("W/"))) {
        response.headers[.contentType] = nil
        response.headers[.contentLength] = nil
        return Response(status: .notModified, headers: response.headers)
      }
    }
    guard body.count >= Self.minCompressedSize, Self.acceptsGzip(request.headers[.acceptEncoding]) else {
      return response
    }
    let packed =
      body.count <= Self.maxInlineSize
      ? GzipBody.packed(body) : try? await aside { GzipBody.packed(body) }
    guard let packed else { return response }
    response.headers[.contentEncoding] = "gzip"
    response.headers[.contentLength] = nil
    response.body = ResponseBody(byteBuffer: ByteBuffer(bytes: packed))
    return response
  }

  /// `true` if the header `Accept-Encoding` contains gzip or `*` with a weight above 0.
  static func acceptsGzip(_ header: String?) -> Bool {
    var weights: [String: Bool] = [:]
    for coding in header?.lowercased().split(separator: ",") ?? [] {
      let parts = coding.split(separator: ";").map { $0.filter { !$0.isWhitespace } }
      guard let name = parts.first else { continue }
      let weight = parts.dropFirst().first { $0.hasPrefix("q=") }.flatMap { Double($0.dropFirst(2)) }
      weights[name] = weight ?? 1 > 0
    }
    return weights["gzip"] ?? weights["*"] ?? false
  }

  private static func bytes(of body: ResponseBody) async throws -> [UInt8] {
    let collected = Collected()
    try await body.write(CollectingWriter(collected: collected))
    return collected.bytes.withLock { $0 }
  }

  private final class Collected: Sendable {
    let bytes = Mutex<[UInt8]>([])
  }

  private struct CollectingWriter: ResponseBodyWriter {
    let collected: Collected

    mutating func write(_ buffer: ByteBuffer) async throws {
      collected.bytes.withLock { $0.append(contentsOf: buffer.readableBytesView) }
    }

    consuming func finish(_ trailingHeaders: HTTPFields?) async throws {}
  }
}
