package import Hummingbird

/// The rules for all routes of an API. Each API is declared together with its routes.
package struct API: Sendable {
  /// The group of its routes in the OpenAPI document.
  package let name: String
  /// The prefix of its paths: `/v1`.
  package let path: String
  /// The access to its routes, unless a route specifies its own.
  package let access: RouteAccess
  /// Maximum number of bytes in a request body.
  package let bodyLimit: Int
  /// `true` if errors have the form of `ErrorShape.standard`.
  package let hasStandardErrors: Bool
  /// Turns errors of its routes into responses or a `RequestError`.
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

  /// The API for routes that do not belong to any other API.
  package static let server = API(name: "server", path: "")
}
