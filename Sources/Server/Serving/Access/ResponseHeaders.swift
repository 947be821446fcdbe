internal import HTTPTypes
package import Hummingbird

/// Adds security headers to every response. Headers set by a route take precedence.
package struct ResponseHeaders: RouterMiddleware {
  package typealias Context = ServerContext

  package init() {}

  package func handle(
    _ request: Request, context: ServerContext, next: (Request, ServerContext) async throws -> Response
  ) async throws -> Response {
    var response = try await next(request, context)
    for (name, value) in Self.standard where response.headers[name] == nil { response.headers[name] = value }
    if response.headers[.contentSecurityPolicy] == nil {
      let isPage = response.headers[.contentType]?.lowercased().hasPrefix("text/html") == true
      response.headers[.contentSecurityPolicy] = isPage ? Self.pagePolicy : Self.dataPolicy
    }
    return response
  }

  private static let standard: [(HTTPField.Name, String)] = [
    (.xContentTypeOptions, "nosniff"),
    (HTTPField.Name("Referrer-Policy")!, "no-referrer"),
    (HTTPField.Name("X-Frame-Options")!, "DENY"),
    (HTTPField.Name("Cross-Origin-Opener-Policy")!, "same-origin"),
    (.crossOriginResourcePolicy, "same-origin"),
    (HTTPField.Name("Permissions-Policy")!, "microphone=(self), camera=(), geolocation=()"),
  ]

  /// The policy for pages. Pages use only resources of this server, `data:` images and blobs, and no inline scripts
  /// (https://www.w3.org/TR/CSP3/).
  private static let pagePolicy =
    "default-src 'self'; img-src 'self' data: blob:; media-src 'self' blob:; worker-src 'self'; object-src 'none'; "
    + "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

  private static let dataPolicy = "default-src 'none'; frame-ancestors 'none'"
}
