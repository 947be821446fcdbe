import AnalysisTesting
import BuiltInAnalyzers
import Foundation
import HTTPTypes
import Hummingbird
import ResultStore
import SystemPackage
import Testing
import Text

@testable import Server

@Suite struct OpenAPITests {
  private func routes() throws -> [(method: HTTPRequest.Method, path: String)] {
    let folder = FilePath(NSTemporaryDirectory()).appending("nocturne-openapi-\(UUID().uuidString)")
    try FileManager.default.createDirectory(atPath: folder.string, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder.string) }
    let store = try ResultStore(path: folder.appending("library.sqlite"), findings: BuiltInAnalyzers.findings)
    let services = try Services(store: store, options: ServerOptions(catalog: folder.appending("catalog")))
    defer { services.close() }
    return try NocturneServer(services) { _ in }.router.routes.map { ($0.method, $0.path.description) }
  }

  @Test func everyRouteIsInTheDocument() throws {
    let routes = try routes()
    guard case .object(let document) = OpenAPIRoutes.document(of: routes), case .object(let paths)? = document["paths"]
    else {
      Issue.record("no paths")
      return
    }
    #expect(Set(paths.keys) == Set(routes.map(\.path)))
    for route in routes {
      guard case .object(let operations)? = paths[route.path] else { continue }
      #expect(operations[route.method.rawValue.lowercased()] != nil, "\(route)")
      #expect(
        APIOperation.described.contains { $0.method == route.method && $0.path == route.path },
        "\(route) is not described")
    }
  }

  @Test func everyOperationHasAnIdAndSaysWhatItAnswers() throws {
    let operations = APIOperation.described
    #expect(Set(operations.map(\.id)).count == operations.count)
    let document = OpenAPIRoutes.document(of: operations.map { ($0.method, $0.path) })
    for operation in operations {
      let described = document["paths"][operation.path][operation.method.rawValue.lowercased()]
      #expect(described["operationId"].text == operation.id)
      #expect(operation.id.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" }, "\(operation.id)")
      guard operation.answer == "application/json" else { continue }
      #expect(!operation.answers.isEmpty, "\(operation.method) \(operation.path) does not say what it answers")
    }
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
    collect(OpenAPIRoutes.document(of: APIOperation.described.map { ($0.method, $0.path) }))
    #expect(names == Set(APISchemas.all.keys.map { "#/components/schemas/\($0)" }))
  }

  @Test func typesAreWrittenInAFewWords() {
    #expect(
      AnswerSchema.object("a: text, b?: [integer?]?, c-d: {Other}") == [
        "type": "object", "required": ["a", "c-d"],
        "properties": [
          "a": ["type": "string"],
          "b": [
            "anyOf": [
              ["type": "array", "items": ["anyOf": [["type": "integer"], ["type": "null"]]]], ["type": "null"],
            ]
          ],
          "c-d": ["type": "object", "additionalProperties": ["$ref": "#/components/schemas/Other"]],
        ],
      ])
  }

  @Test func whatIsDescribedIsThere() throws {
    let routes = try routes()
    for operation in APIOperation.described {
      #expect(
        routes.contains { $0.method == operation.method && $0.path == operation.path },
        "\(operation.method) \(operation.path) is described, and there is no such route")
    }
    let names = APIOperation.described.map { "\($0.method) \($0.path)" }
    #expect(Set(names).count == names.count)
  }
}
