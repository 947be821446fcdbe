import AnalysisTesting
import Foundation
import HTTPTypes
import Hummingbird
import Testing
import Text

@testable import Server
@testable import Serving

@Suite(.bounded) struct OpenAPITests {
  private let routes: [Route]

  init() throws { routes = try Route.all() }

  @Test func everyRouteHasAnIdAndSaysWhatItAnswers() throws {
    #expect(Set(routes.map(\.id)).count == routes.count)
    let document = OpenAPIRoutes.document(of: routes)
    for route in routes {
      let described = document["paths"][route.path][route.method.rawValue.lowercased()]
      #expect(described["operationId"].text == route.id)
      #expect(route.id.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" }, "\(route.id)")
      guard route.mediaType == "application/json" else { continue }
      #expect(!route.answers.isEmpty, "\(route.method) \(route.path) does not say what it answers")
    }
  }

  /// Methods that a path does not support have the access and limits of that path, too.
  @Test func routesOfOnePathHaveTheSameAccessAndLimits() {
    for (path, routes) in Dictionary(grouping: routes, by: \.path) {
      #expect(routes.allSatisfy { $0.access == routes[0].access }, "\(path)")
      #expect(Set(routes.map(\.api.bodyLimit)).count == 1, "\(path)")
    }
  }

  @Test func thePathsAreThoseOfTheRouter() {
    for route in routes { #expect(RouterPath(route.path).description == route.path) }
  }

  @Test func namesOfSchemasAreThere() throws {
    var names: Set<String> = []
    func collect(_ value: JSONValue) {
      switch value {
      case .array(let values): values.forEach(collect)
      case .object(let members):
        if case .string(let name)? = members["$ref"] { names.insert(name) }
        members.values.forEach(collect)
      default: break
      }
    }
    collect(OpenAPIRoutes.document(of: routes))
    #expect(names == Set(OpenAPIRoutes.schemas(of: routes).keys.map { "#/components/schemas/\($0)" }))
  }

  /// The schemas that the snapshots are compared with.
  @Test func aMemberThatASchemaDoesNotHaveIsFound() throws {
    let validator = try SchemaValidator(
      #"{"anyOf": [{"type": "object", "properties": {"a": {"type": "integer", "minimum": 0}}, "required": ["a"]}, {"type": "null"}]}"#,
      isClosed: true)
    for right in [["a": 1], NSNull()] as [Any] { #expect(validator.complaints(about: right) == []) }
    for wrong in [["a": -1], ["a": 1, "b": 2], ["b": 1], ["a": "1"], [1]] as [Any] {
      #expect(!validator.complaints(about: wrong).isEmpty, "\(wrong)")
    }
  }

  /// A member may be null, or be missing.
  @Test func membersAreAsTheirSchemaSays() throws {
    let other = JSONType<Int>.only("n", .place, as: "Other")
    let type = JSONType<(text: String?, numbers: [Double]?, others: [(key: String, value: Int)])>.object(
      "Thing", .optional("a", .text) { $0.text }, .ifAny("b", .list(.number(decimals: 1))) { $0.numbers },
      .required("c-d", .map(other)) { $0.others })
    #expect(type.schema.json == ["$ref": "#/components/schemas/Thing"])
    #expect(Set(type.definitions.keys) == ["Thing", "Other"])
    #expect(
      type.definitions["Thing"]?.json == [
        "type": "object", "required": ["a", "c-d"],
        "properties": [
          "a": ["anyOf": [["type": "string"], ["type": "null"]]], "b": ["type": "array", "items": ["type": "number"]],
          "c-d": ["type": "object", "additionalProperties": ["$ref": "#/components/schemas/Other"]],
        ],
      ])
    var json = JSONWriter()
    type.write((nil, nil, [("x", 1)]), &json)
    type.write(("", [.nan, 0.25], []), &json)
    #expect(json.text == #"{"a":null,"c-d":{"x":{"n":1}}},{"a":"","b":[null,0.3],"c-d":{}}"#)
  }
}
