internal import HTTPTypes
package import Hummingbird
internal import Logging
package import Text

/// Turns errors from the routes of an API into the responses that its clients expect.
package struct ErrorShape: RouterMiddleware {
  package typealias Context = ServerContext

  private let write: @Sendable (RequestError, inout JSONWriter) -> Void

  /// - Parameter write: Writes the body of the response.
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

  package static let standard = ErrorShape(write: write)

  private static let type = JSONType.error

  static func write(_ error: RequestError, _ json: inout JSONWriter) { type.write(ErrorDetail(error), &json) }
}

/// An error in the form of Spotify's Web API, which this server's own APIs use as well.
package struct ErrorDetail: Sendable {
  package var status: Int
  package var message: String
  /// A machine-readable code.
  package var reason: String?
  /// The invalid word of a filter, and its position if known.
  package var mistake: (word: String, position: Int?)?

  package init(
    _ error: RequestError, reason: String? = nil, mistake: (word: String, position: Int?)? = nil
  ) {
    status = error.status.code
    message = error.message
    self.reason = reason
    self.mistake = mistake
  }
}

extension JSONType<ErrorDetail> {
  package static var error: Self {
    .only(
      "error",
      .object(
        "ErrorDetail", .required("status", .integer) { $0.status }, .required("message", .text) { $0.message },
        .ifAny("reason", .text) { $0.reason }, .ifAny("position", .nullable(.integer)) { $0.mistake.map(\.position) },
        .ifAny("word", .text) { $0.mistake?.word }), as: "Error")
  }
}
