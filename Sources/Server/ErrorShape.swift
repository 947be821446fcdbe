internal import HTTPTypes
internal import Hummingbird
internal import Logging
internal import Text

/// Turns whatever goes wrong in a group of routes into the answer that the clients of this API expect.
struct ErrorShape: RouterMiddleware {
  typealias Context = ServerContext

  /// Writes the body of the answer.
  let write: @Sendable (RequestError, inout JSONWriter) -> Void

  func handle(
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
  static let standard = ErrorShape(write: write)

  static func write(_ error: RequestError, _ json: inout JSONWriter) {
    json.object { json in
      json.putObject("error") {
        $0.put("status", error.status.code)
        $0.put("message", error.message)
      }
    }
  }
}
