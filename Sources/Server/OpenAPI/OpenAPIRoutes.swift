internal import Application
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import Text

/// `/openapi.json`: all routes, in the form of OpenAPI 3.1 (https://spec.openapis.org/oas/v3.1.1). To be added last.
struct OpenAPIRoutes: RouteSet {
  static let path = "/openapi.json"

  func add(to router: Router<ServerContext>) {
    let routes = router.routes.map { (method: $0.method, path: $0.path.description) }
    let document = Self.document(of: routes + [(.get, Self.path)])
    let bytes = ByteBuffer(string: document.text)
    router.get(RouterPath(Self.path)) { _, _ in
      Response(
        status: .ok, headers: [.contentType: "application/json; charset=utf-8", .cacheControl: "no-cache"],
        body: ResponseBody(byteBuffer: bytes))
    }
  }

  static func document(of routes: [(method: HTTPRequest.Method, path: String)]) -> JSONValue {
    var paths: [String: [String: JSONValue]] = [:]
    for route in routes {
      let described = APIOperation.described.first { $0.method == route.method && $0.path == route.path }
      paths[route.path, default: [:]][route.method.rawValue.lowercased()] = operation(
        described ?? APIOperation(route.method, route.path, "Not described yet", answer: "*/*"))
    }
    return [
      "openapi": "3.1.1",
      "info": [
        "title": "Nocturne", "version": .string(Nocturne.version),
        "license": ["name": "GPL-3.0-or-later", "identifier": "GPL-3.0-or-later"],
      ],
      "paths": .object(paths.mapValues { .object($0) }),
      "components": [
        "schemas": .object(APISchemas.all),
        "securitySchemes": [
          "token": ["type": "http", "scheme": "bearer"],
          "cookie": ["type": "apiKey", "in": "cookie", "name": .string(AppCookie.name)],
        ]
      ],
      // Needed if the server was started with --token-file.
      "security": [[:], ["token": []], ["cookie": []]],
    ]
  }

  private static func operation(_ operation: APIOperation) -> JSONValue {
    // What follows a parameter, such as an ending, belongs to the path.
    let names = operation.path.matches(of: /\{(\w+)\}/).map { String($0.output.1) }
    let inPath = names.map { name -> JSONValue in
      ["name": .string(name), "in": "path", "required": true, "schema": ["type": "string"]]
    }
    let inQuery = operation.parameters.map { parameter -> JSONValue in
      [
        "name": .string(parameter.name), "in": "query", "required": .bool(parameter.isRequired),
        "schema": parameter.schema,
      ]
    }
    var members: [String: JSONValue] = [
      "operationId": .string(operation.id),
      "tags": [.string(operation.tag)],
      "summary": .string(operation.summary),
      "parameters": .array(inPath + inQuery),
      "responses": .object(responses(operation)),
    ]
    if let body = operation.body { members["requestBody"] = requestBody(body) }
    return .object(members)
  }

  private static func responses(_ operation: APIOperation) -> [String: JSONValue] {
    var problem: [String: JSONValue] = ["description": "Why it is not as asked, in the shape of the API"]
    if operation.hasStandardErrors {
      problem["content"] = ["application/json": ["schema": AnswerSchema.type("Error")]]
    }
    var responses: [String: JSONValue] = ["default": .object(problem)]
    for answer in operation.answers {
      var response: [String: JSONValue] = ["description": "As asked"]
      if let schema = answer.schema {
        var content: [String: JSONValue] = ["application/json": ["schema": schema]]
        if operation.answer != "application/json" { content[operation.answer] = [:] }
        response["content"] = .object(content)
      }
      responses[String(answer.status)] = .object(response)
    }
    if operation.answer != "application/json", !operation.answers.contains(where: { $0.status == 200 }) {
      let isText = operation.answer.hasPrefix("text/")
      let schema: JSONValue = isText ? ["type": "string"] : ["type": "string", "format": "binary"]
      responses["200"] = ["description": "As asked", "content": .object([operation.answer: ["schema": schema]])]
    }
    if operation.method == .get, operation.answers.contains(where: { $0.status == 200 }) {
      responses["304"] = ["description": "The answer has not changed since that of If-None-Match"]
    }
    return responses
  }

  private static func requestBody(_ body: APIOperation.Body) -> JSONValue {
    let content: [String: JSONValue] =
      switch body {
      case .json(let schema): ["application/json": ["schema": schema]]
      case .form(let names):
        [
          "application/x-www-form-urlencoded": [
            "schema": [
              "type": "object",
              "properties": .object(Dictionary(names.map { ($0, ["type": "string"]) }) { first, _ in first }),
            ]
          ]
        ]
      case .bytes(let types):
        Dictionary(types.map { ($0, ["schema": ["type": "string", "format": "binary"]]) }) { first, _ in first }
      }
    return ["content": .object(content)]
  }
}
