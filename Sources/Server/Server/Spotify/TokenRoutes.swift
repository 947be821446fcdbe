internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import Serving
internal import Text

/// `/api/token`: issues a bearer token in exchange for a client's secret, according to the client credentials grant of
/// OAuth 2 (RFC 6749, section 4.4). The secret is a token from the token file. If no tokens are needed, any client gets
/// a bearer token.
struct TokenRoutes: RouteSet {
  let api = API(name: "library", path: "/api", access: .ownSecret, hasStandardErrors: false, errors: Self.errors)
  let services: Services
  private let failures = FailedAttempts()

  init(services: Services) { self.services = services }

  /// Lifetime of a bearer token, in seconds.
  fileprivate static let lifetime = 3600

  var routes: [Route] {
    route(
      .post, "token", "Exchange a client secret for a bearer token valid for an hour",
      body: .form(["grant_type", "client_id", "client_secret"]), answers: [.json(.token)], token)
  }

  private static let errors = ErrorShape { error, json in
    let code =
      switch error.status {
      case .unauthorized: "invalid_client"
      case .badRequest: error.message.hasPrefix("grant_type") ? "unsupported_grant_type" : "invalid_request"
      default: "server_error"
      }
    json.object {
      $0.put("error", code)
      $0.put("error_description", error.message)
    }
  }

  @Sendable private func token(_ request: Request, _ context: ServerContext) async throws -> Response {
    guard request.headers[.contentType]?.lowercased().hasPrefix("application/x-www-form-urlencoded") == true else {
      throw RequestError(.badRequest, "The body must have the type application/x-www-form-urlencoded.")
    }
    let fields = FormFields(String(buffer: try await request.body.collect(upTo: 8192)))
    guard ["client_credentials", "refresh_token"].contains(fields["grant_type"]) else {
      throw RequestError(.badRequest, "grant_type must be client_credentials.")
    }
    var name: String?
    if services.access.areNeeded {
      name = secret(request, fields).flatMap { services.access.name(ofSecret: $0) }
      guard name != nil else {
        try failures.note(context.client.address)
        throw RequestError(.unauthorized, "Invalid client secret.")
      }
    }
    guard let pass = services.access.pass(for: name, kind: .bearer, lasting: Self.lifetime) else {
      throw RequestError(.unauthorized, "Invalid client secret.")
    }
    return JSONType.token.response(pass)
  }

  private func secret(_ request: Request, _ fields: FormFields) -> String? {
    if let header = request.headers[.authorization], case .secret(let secret)? = Credentials(authorization: header) {
      return secret
    }
    return fields["client_secret"]
  }
}

extension JSONType<String> {
  fileprivate static var token: Self {
    .object(
      "Token", .required("access_token", .text) { $0 }, .required("token_type", .text) { _ in "Bearer" },
      .required("expires_in", .integer) { _ in TokenRoutes.lifetime }, .required("scope", .text) { _ in "" })
  }
}
