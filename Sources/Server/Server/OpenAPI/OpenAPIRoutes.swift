internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import Records
internal import Serving
internal import Text

/// `/openapi.json`: all routes, described in OpenAPI 3.1 (https://spec.openapis.org/oas/v3.1.1).
struct OpenAPIRoutes: RouteSet {
  let api = API.server
  let others: [Route]

  var routes: [Route] {
    // The document also describes its own route.
    let itself = answering(ByteBuffer())
    return [answering(ByteBuffer(string: Self.document(of: others + [itself]).text))]
  }

  private func answering(_ document: ByteBuffer) -> Route {
    route(.get, "openapi.json", "This document", answers: [.json(.any)]) { _, _ in
      Response(
        status: .ok, headers: [.contentType: "application/json; charset=utf-8", .cacheControl: "no-cache"],
        body: ResponseBody(byteBuffer: document))
    }
  }

  static func document(of routes: [Route]) -> JSONValue {
    var paths: [String: [String: JSONValue]] = [:]
    for route in routes { paths[route.path, default: [:]][route.method.rawValue.lowercased()] = operation(route) }
    return [
      "openapi": "3.1.1",
      "info": [
        "title": "Nocturne", "version": .string(Nocturne.version),
        "license": ["name": "GPL-3.0-or-later", "identifier": "GPL-3.0-or-later"],
      ],
      "paths": .object(paths.mapValues { .object($0) }),
      "components": [
        "schemas": .object(schemas(of: routes)),
        "securitySchemes": [
          "token": ["type": "http", "scheme": "bearer"],
          "cookie": ["type": "apiKey", "in": "cookie", "name": .string(AppCookie.name)],
        ],
      ],
      // A token is needed if the server was started with --token-file.
      "security": [[:], ["token": []], ["cookie": []]],
    ]
  }

  /// The object schemas of responses, parameters and bodies, by name. Clients generated from the document use these
  /// names.
  static func schemas(of routes: [Route]) -> [String: JSONValue] {
    let parts = routes.flatMap { route in
      route.answers.map(\.definitions) + route.parameters.map(\.definitions)
        + (route.body?.members.map(\.definitions) ?? [])
    }
    return Definitions.merged(parts + [JSONType.error.definitions]).mapValues(\.json)
  }

  private static func operation(_ route: Route) -> JSONValue {
    // Text after a parameter, such as a file extension, belongs to the path.
    let names = route.path.matches(of: /\{(\w+)\}/).map { String($0.output.1) }
    let inPath = names.map { name -> JSONValue in
      ["name": .string(name), "in": "path", "required": true, "schema": ["type": "string"]]
    }
    let inQuery = route.parameters.map { parameter -> JSONValue in
      [
        "name": .string(parameter.name), "in": "query", "required": .bool(parameter.isRequired),
        "schema": parameter.schema,
      ]
    }
    var members: [String: JSONValue] = [
      "operationId": .string(route.id),
      "tags": [.string(route.api.name)],
      "summary": .string(route.summary),
      "parameters": .array(inPath + inQuery),
      "responses": .object(responses(route)),
    ]
    if let body = route.body { members["requestBody"] = requestBody(body) }
    return .object(members)
  }

  private static func responses(_ route: Route) -> [String: JSONValue] {
    var problem: [String: JSONValue] = ["description": "Error, in the format of this API"]
    if route.api.hasStandardErrors {
      problem["content"] = ["application/json": ["schema": JSONType.error.schema.json]]
    }
    var responses: [String: JSONValue] = ["default": .object(problem)]
    for answer in route.answers {
      var response: [String: JSONValue] = ["description": "Success"]
      if let schema = answer.schema {
        var content: [String: JSONValue] = ["application/json": ["schema": schema]]
        if route.mediaType != "application/json" { content[route.mediaType] = [:] }
        response["content"] = .object(content)
      }
      responses[String(answer.status)] = .object(response)
    }
    if route.mediaType != "application/json", !route.answers.contains(where: { $0.status == 200 }) {
      let isText = route.mediaType.hasPrefix("text/")
      let schema: JSONValue = isText ? ["type": "string"] : ["type": "string", "format": "binary"]
      responses["200"] = ["description": "Success", "content": .object([route.mediaType: ["schema": schema]])]
    }
    if route.method == .get, route.answers.contains(where: { $0.status == 200 }) {
      responses["304"] = ["description": "Not modified since the version in If-None-Match"]
    }
    return responses
  }

  private static func requestBody(_ body: RouteBody) -> JSONValue {
    let content: [String: JSONValue] =
      switch body {
      case .json(let members): ["application/json": ["schema": object(of: members)]]
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

  private static func object(of members: [RouteParameter]) -> JSONValue {
    [
      "type": "object",
      "properties": .object(Dictionary(members.map { ($0.name, $0.schema) }) { first, _ in first }),
      "required": .array(members.filter(\.isRequired).map { .string($0.name) }),
    ]
  }
}
