internal import HTTPTypes
package import Hummingbird

/// A path and a method of the server, with everything that the router, access checks, limits and the OpenAPI document
/// need.
package struct Route: Sendable {
  package typealias Respond = @Sendable (Request, ServerContext) async throws -> Response

  package let api: API
  package let method: HTTPRequest.Method
  /// The path, with names for its variable parts: `/v1/tracks/{id}`.
  package let path: String
  package let summary: String
  /// Parameters of the query string.
  package let parameters: [RouteParameter]
  package let body: RouteBody?
  /// Successful responses in JSON or without a body.
  package let answers: [RouteAnswer]
  /// The media type of its responses.
  package let mediaType: String
  let access: RouteAccess
  let respond: Respond

  /// The operation name in generated clients: `getV1TracksById`.
  package var id: String {
    let words = path.split { !$0.isLetter && !$0.isNumber && $0 != "{" && $0 != "_" }.map { part in
      part.first == "{" ? "By" + part.dropFirst().capitalizedFirst : part.capitalizedFirst
    }
    return method.rawValue.lowercased() + (words.isEmpty ? "Root" : words.joined())
  }

  package func add(to router: Router<ServerContext>) {
    let group = router.group()
    if let errors = api.errors { group.add(middleware: errors) }
    group.on(RouterPath(path), method: method, use: respond)
  }
}

extension StringProtocol {
  fileprivate var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}
