package import HTTPTypes
internal import Hummingbird

/// A part of the server: a set of routes.
package protocol RouteSet: Sendable {
  var api: API { get }
  @RouteBuilder var routes: [Route] { get }
}

extension RouteSet {
  /// - Parameters:
  ///   - path: The path below the path of the API: `tracks/{id}`.
  ///   - type: The media type of the responses.
  ///   - access: The access to the route; `nil` for the default access of the API.
  package func route(
    _ method: HTTPRequest.Method, _ path: String, _ summary: String, _ parameters: [RouteParameter] = [],
    body: RouteBody? = nil, answers: [RouteAnswer] = [], type: String = "application/json",
    access: RouteAccess? = nil, _ respond: @escaping Route.Respond
  ) -> Route {
    Route(
      api: api, method: method, path: "\(api.path)/\(path)", summary: summary, parameters: parameters, body: body,
      answers: answers, mediaType: type, access: access ?? api.access, respond: respond)
  }
}

/// Builds lists of routes from statements and loops.
@resultBuilder package enum RouteBuilder {
  package static func buildExpression(_ route: Route) -> [Route] { [route] }
  package static func buildExpression(_ routes: [Route]) -> [Route] { routes }
  package static func buildBlock(_ parts: [Route]...) -> [Route] { parts.flatMap(\.self) }
  package static func buildArray(_ parts: [[Route]]) -> [Route] { parts.flatMap(\.self) }
}
