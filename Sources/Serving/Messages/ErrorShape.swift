internal import HTTPTypes
package import Hummingbird
internal import Logging
package import Text

/// Turns whatever goes wrong in a group of routes into the answer that the clients of this API expect.
package struct ErrorShape: RouterMiddleware {
  package typealias Context = ServerContext

  private let write: @Sendable (RequestError, inout JSONWriter) -> Void

  /// - Parameter write: Writes the body of the answer.
  package init(write: @escaping @Sendable (RequestError, inout JSONWriter) -> Void) { self.write = write }

  package func handle(
    _ request: Request, context: ServerContext, next: (Request, ServerContext) async throws -> Response
  ) async throws -> Response {
    do {
      return try await next(request, context)
    } catch {
      let described = RequestError(error)
      if described.status.kind == .serverError && described.status != .serviceUnavailable {
        context.logger.error("request_failed", metadata: ["error": "\(error)"])
      }
      var response = Response.json(status: described.status) { write(described, &$0) }
      if let seconds = described.retryAfter { response.headers[.retryAfter] = String(seconds) }
      if described.status == .unauthorized { response.headers[.wwwAuthenticate] = "Bearer" }
      return response
    }
  }

  /// `{"error": {"status": …, "message": …}}`, as Spotify's Web API has it; our own API as well.
  package static let standard = ErrorShape(write: write)

  static func write(_ error: RequestError, _ json: inout JSONWriter) {
    json.object { json in
      json.putObject("error") {
        $0.put("status", error.status.code)
        $0.put("message", error.message)
      }
    }
  }
}
