/// The rules of routes, known before a route is called. They depend on the path of the route, not on what the client
/// writes; the methods of a path have the same access and limits, also those that it does not take.
package struct RouteTable: Sendable {
  /// By paths as `Route` has them; limits in bytes.
  private let rules: [String: (access: RouteAccess, bodyLimit: Int)]

  package init(_ routes: [Route]) {
    rules = Dictionary(routes.map { ($0.path, ($0.access, $0.api.bodyLimit)) }) { first, _ in first }
  }

  /// - Parameter path: `nil` if the router knows none.
  func access(_ path: String?) -> RouteAccess { path.flatMap { rules[$0] }?.access ?? .token }

  func bodyLimit(_ path: String?) -> Int { path.flatMap { rules[$0] }?.bodyLimit ?? BodyLimits.standard }
}
