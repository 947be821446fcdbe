internal import HTTPTypes
package import Hummingbird

/// An address that the server answers, and all there is to say of it: the router, access, limits and the OpenAPI document
/// read it here.
package struct Route: Sendable {
  package typealias Respond = @Sendable (Request, ServerContext) async throws -> Response

  package let api: API
  package let method: HTTPRequest.Method
  /// With names for what varies: `/v1/tracks/{id}`.
  package let path: String
  package let summary: String
  /// Parameters of the query string.
  package let parameters: [RouteParameter]
  package let body: RouteBody?
  /// Answers in JSON or without a body, if all is well.
  package let answers: [RouteAnswer]
  /// The media type of its answers.
  package let mediaType: String
  let access: RouteAccess
  let respond: Respond

  /// For names in clients that are made from the document: `getV1TracksById`.
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
  /// With a capital letter at its start.
  fileprivate var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}
