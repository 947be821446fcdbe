internal import HTTPTypes
package import Hummingbird

/// Responses to methods that a path does not support: 405 with the supported methods in `Allow` (RFC 9110, section
/// 15.5.6). `OPTIONS` returns the same header.
package enum OtherMethods {
  private static let all: [HTTPRequest.Method] = [.get, .head, .post, .put, .patch, .delete, .options, .trace]

  /// Adds the responses. Call this once the router has all of its routes.
  package static func add(to router: Router<ServerContext>) {
    var methods: [String: Set<HTTPRequest.Method>] = [:]
    for route in router.routes { methods[route.path.description, default: []].insert(route.method) }
    for (path, known) in methods {
      var known = known
      // The router adds HEAD itself.
      if known.contains(.get) { known.insert(.head) }
      let allowed = all.filter { known.contains($0) || $0 == .options }.map(\.rawValue).joined(separator: ", ")
      for method in all where !known.contains(method) {
        router.on(RouterPath(path), method: method) { _, _ in
          var response =
            method == .options
            ? Response(status: .noContent)
            : Response.json(status: .methodNotAllowed) {
              ErrorShape.write(RequestError(.methodNotAllowed, "This address accepts \(allowed)."), &$0)
            }
          response.headers[.allow] = allowed
          return response
        }
      }
    }
  }
}
