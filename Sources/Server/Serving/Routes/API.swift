package import Hummingbird

/// The rules for all routes of an API. Each is declared beside its routes.
package struct API: Sendable {
  /// By which the OpenAPI document groups routes.
  package let name: String
  /// With which paths begin: `/v1`.
  package let path: String
  /// The condition for using its routes, unless a route says otherwise.
  package let access: RouteAccess
  /// Bytes of a request's body.
  package let bodyLimit: Int
  /// Whether mistakes are reported in the form of `ErrorShape.standard`.
  package let hasStandardErrors: Bool
  /// Turns what its routes throw into answers, or into a `RequestError`.
  package let errors: (any MiddlewareProtocol<Request, Response, ServerContext>)?

  package init(
    name: String, path: String, access: RouteAccess = .token, bodyLimit: Int = BodyLimits.standard,
    hasStandardErrors: Bool = true, errors: (any MiddlewareProtocol<Request, Response, ServerContext>)? = nil
  ) {
    self.name = name
    self.path = path
    self.access = access
    self.bodyLimit = bodyLimit
    self.hasStandardErrors = hasStandardErrors
    self.errors = errors
  }

  /// Routes that belong to no other API.
  package static let server = API(name: "server", path: "")
}
