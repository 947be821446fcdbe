internal import Hummingbird

/// What holds for all routes of an API. Each is declared beside its routes.
struct API: Sendable {
  /// By which the OpenAPI document groups routes.
  let name: String
  /// With which paths begin: `/v1`.
  let path: String
  /// Who may use its routes, unless a route says otherwise.
  var access = RouteAccess.token
  /// Bytes of a request's body.
  var bodyLimit = BodyLimits.standard
  /// Whether mistakes are told in the form of `ErrorShape.standard`.
  var hasStandardErrors = true
  /// Turns what its routes throw into answers, or into a `RequestError`.
  var errors: (any MiddlewareProtocol<Request, Response, ServerContext>)?

  /// What belongs to no other API.
  static let server = API(name: "server", path: "")
}
