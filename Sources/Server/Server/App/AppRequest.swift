internal import HTTPTypes
internal import Hummingbird
internal import Serving
internal import Text

/// A request from a page of the app.
struct AppRequest: Sendable {
  let query: QueryReading
  /// The value of `{id}` in the path; empty if the path has no id.
  let id: String
  /// The members of the body; empty if the route takes no body.
  let body: [String: JSONValue]
}

/// Routes of the app, which respond with data of the library.
protocol AppRouteSet: RouteSet {
  var library: AppLibrary { get }
}

extension AppRouteSet {
  var api: API { .app }

  /// - Parameters:
  ///   - body: Members of the request body.
  ///   - work: The lane of `Services` in which the response is computed and encoded.
  func answer<Value>(
    _ method: HTTPRequest.Method, _ path: String, _ summary: String, _ parameters: [RouteParameter] = [],
    body: [RouteParameter]? = nil, answers type: JSONType<Value>, status: HTTPResponse.Status = .ok,
    _ work: Services.Work = .reading, _ answer: @escaping @Sendable (AppRequest) throws -> Value
  ) -> Route {
    self.answer(method, path, summary, parameters, body: body, answers: [.json(type, status)], work) {
      type.response(try answer($0), status: status)
    }
  }

  func answer(
    _ method: HTTPRequest.Method, _ path: String, _ summary: String, _ parameters: [RouteParameter] = [],
    body: [RouteParameter]? = nil, answers: [RouteAnswer], _ work: Services.Work = .reading,
    _ answer: @escaping @Sendable (AppRequest) throws -> Response
  ) -> Route {
    route(method, path, summary, parameters, body: body.map { .json($0) }, answers: answers) { request, context in
      let parsed = AppRequest(
        query: QueryReading(request), id: context.parameters.get("id") ?? "",
        body: body == nil ? [:] : try await request.jsonObject())
      return try await library.services.run(work) { try answer(parsed) }
    }
  }
}
