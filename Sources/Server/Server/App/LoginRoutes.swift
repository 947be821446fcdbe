internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import Serving
internal import Text

/// Routes for logging in to the app, which exchanges a token for a cookie, and for logging out, which deletes the
/// cookie.
struct LoginRoutes: RouteSet {
  let api = API.app
  let services: Services
  private let failures = FailedAttempts()

  init(services: Services) { self.services = services }

  var routes: [Route] {
    route(
      .post, "login", "Exchange a token for a session cookie", body: .json([.text("token").required]),
      answers: [.empty(.noContent)],
      access: .open, login)
    route(.post, "logout", "Remove the session cookie", answers: [.empty(.noContent)], access: .open) { _, context in
      Response(status: .noContent, headers: [.setCookie: AppCookie.expired(isSecure: context.client.isSecure)])
    }
  }

  /// The body is `{"token": "…"}`.
  @Sendable private func login(_ request: Request, _ context: ServerContext) async throws -> Response {
    let body = try await request.body.collect(upTo: 4096)
    guard services.access.areNeeded else { return Response(status: .noContent) }
    guard case .object(let members)? = try? JSONValue(parsing: body.readableBytesView),
      case .string(let token)? = members["token"]
    else { throw RequestError(.badRequest, "The body must be {\"token\": \"…\"}.") }
    guard let name = services.access.name(ofSecret: token),
      let pass = services.access.pass(for: name, kind: .cookie, lasting: AppCookie.lifetime)
    else {
      try failures.note(context.client.address)
      throw RequestError(.unauthorized, "There is no such token.")
    }
    return Response(
      status: .noContent, headers: [.setCookie: AppCookie.header(pass, isSecure: context.client.isSecure)])
  }
}
