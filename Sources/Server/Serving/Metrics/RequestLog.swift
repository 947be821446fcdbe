internal import Foundation
internal import HTTPTypes
package import Hummingbird
internal import NIOCore
internal import Platform
internal import Synchronization

/// Counts and logs every request. It is the outermost middleware.
package struct RequestLog: RouterMiddleware {
  package typealias Context = ServerContext

  private let metrics: ServerMetrics
  private let log: AccessLog?

  package init(_ metrics: ServerMetrics, log: AccessLog?) {
    self.metrics = metrics
    self.log = log
  }

  package func handle(
    _ request: Request, context: ServerContext, next: (Request, ServerContext) async throws -> Response
  ) async throws -> Response {
    let start = ContinuousClock.now
    let time = Timestamp.now
    let method = Self.knownMethods.contains(request.method) ? request.method.rawValue : "other"
    let route = context.endpointPath.flatMap { $0.hasPrefix("/") ? $0 : nil } ?? "none"
    metrics.requestBegan()
    var response: Response
    do {
      response = try await next(request, context)
    } catch {
      metrics.requestEnded(.init(method: method, route: route, status: 500), seconds: (.now - start) / .seconds(1))
      throw error
    }
    let status = response.status.code
    metrics.requestEnded(.init(method: method, route: route, status: status), seconds: (.now - start) / .seconds(1))
    let finish = { @Sendable [metrics, log] (byteCount: Int) in
      metrics.sent(byteCount)
      guard let log else { return }
      let client = context.client
      log.write(
        AccessLog.Entry(
          time: time, client: client.address?.description, token: client.token, method: method,
          target: LoggedTarget.text(of: request.uri.string), route: route, status: status, byteCount: byteCount,
          milliseconds: (.now - start) / .milliseconds(1), userAgent: request.headers[.userAgent]))
    }
    if let length = response.body.contentLength, length <= Self.wholeBody {
      finish(request.method == .head ? 0 : length)
    } else {
      let body = response.body
      response.body = ResponseBody(contentLength: body.contentLength) { writer in
        let sent = SentBytes()
        defer { finish(sent.count.load(ordering: .relaxed)) }
        try await body.write(CountingWriter(base: writer, sent: sent))
      }
    }
    return response
  }

  private static let knownMethods: Set<HTTPRequest.Method> = [.get, .head, .post, .put, .delete, .patch, .options]
  /// Maximum size in bytes of a body that counts as sent immediately, without waiting for its end.
  private static let wholeBody = 1 << 20
}

private final class SentBytes: Sendable {
  let count = Atomic(0)
}

/// Counts the written bytes.
private struct CountingWriter: ResponseBodyWriter {
  var base: any ResponseBodyWriter
  let sent: SentBytes

  mutating func write(_ buffer: ByteBuffer) async throws {
    try await base.write(buffer)
    sent.count.add(buffer.readableBytes, ordering: .relaxed)
  }

  consuming func finish(_ trailingHeaders: HTTPFields?) async throws {
    try await base.finish(trailingHeaders)
  }
}

/// A path and query without secrets, for the log.
enum LoggedTarget {
  /// Names of parameters that contain secrets (Subsonic, AcoustID, and common mistakes).
  private static let secrets: Set<String> = [
    "apikey", "api_key", "access_token", "client", "client_secret", "key", "p", "password", "s", "secret", "t", "token",
  ]

  static func text(of target: String) -> String {
    guard let mark = target.firstIndex(of: "?") else { return target }
    let fields = target[target.index(after: mark)...].split(separator: "&", omittingEmptySubsequences: false).map {
      field in
      let name = field.prefix { $0 != "=" }
      let plain = (String(name).removingPercentEncoding ?? String(name)).lowercased()
      return name.endIndex < field.endIndex && secrets.contains(plain) ? "\(name)=…" : String(field)
    }
    return "\(target[..<mark])?\(fields.joined(separator: "&"))"
  }
}
