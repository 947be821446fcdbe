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
