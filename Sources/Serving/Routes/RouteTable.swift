/// The rules of routes, known before a route is called. They depend on the path of the route, not on what the client
/// writes; the methods of a path have the same access and limits, also those that it does not take.
package struct RouteTable: Sendable {
  private let routes: [String: Route]

  package init(_ routes: [Route]) {
    self.routes = Dictionary(routes.map { ($0.path, $0) }) { first, _ in first }
  }

  /// - Parameter path: As in `Route`; `nil` if the router knows none.
  func access(_ path: String?) -> RouteAccess { path.flatMap { routes[$0] }?.access ?? .token }

  /// Bytes.
  func bodyLimit(_ path: String?) -> Int { path.flatMap { routes[$0] }?.api.bodyLimit ?? BodyLimits.standard }
}
