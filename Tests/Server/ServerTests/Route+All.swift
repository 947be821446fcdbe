import AnalysisEngine
import AnalysisTesting
import BuiltInAnalyzers
import Pipeline
import ResultStore
import SystemPackage

@testable import Server
@testable import Serving

extension Route {
  /// The routes of a server.
  static func all() throws -> [Route] {
    let folder = try TemporaryDirectory()
    let store = try ResultStore(path: folder.path.appending("library.sqlite"), findings: BuiltInAnalyzers.findings)
    let services = try Services(
      store: store,
      options: ServerOptions(
        catalog: folder.path.appending("catalog"), fileAnalysis: SingleFileAnalysis(timeLimit: .standard)))
    defer { services.close() }
    return try NocturneServer(services) { _ in }.routes
  }
}
