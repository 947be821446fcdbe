/// The rules of all routes, available before a route is called. They depend on the path of the route, not on the
/// client's URL. All methods of a path have the same access and limits, even methods that are not supported.
package struct RouteTable: Sendable {
  /// The rules by `Route.path`, with limits in bytes.
  private let rules: [String: (access: RouteAccess, bodyLimit: Int)]

  package init(_ routes: [Route]) {
    rules = Dictionary(routes.map { ($0.path, ($0.access, $0.api.bodyLimit)) }) { first, _ in first }
  }

  /// - Parameter path: The path of the route; `nil` if no route matches.
  func access(_ path: String?) -> RouteAccess { path.flatMap { rules[$0] }?.access ?? .token }

  func bodyLimit(_ path: String?) -> Int { path.flatMap { rules[$0] }?.bodyLimit ?? BodyLimits.standard }
}
