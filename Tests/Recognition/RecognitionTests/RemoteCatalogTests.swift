import AnalysisTesting
import Platform
import Recognition
import Synchronization
import Testing

@testable import RemoteCatalogs

@Suite(.bounded) struct RemoteCatalogTests {
  private func reason(_ catalog: RemoteCatalog) -> String {
    do throws(PartFailure) {
      try catalog.check()
      return ""
    } catch {
      return error.description
    }
  }

  private func catalog(_ server: ScriptedServer) throws -> RemoteCatalog {
    RemoteCatalog(try ServerAddress("http://127.0.0.1:\(server.port)"), token: nil)
  }

  /// Servers up to 0.2.0 answer so to a question with a checksum.
  @Test func anOlderServerIsNamed() throws {
    let message =
      "The question to the catalog cannot be read: it is no question to a catalog, or one of another version of Nocturne."
    let server = try ScriptedServer { _ in
      [.answer(400, ["Content-Type": "application/json"], Array("{\"error\":{\"message\":\"\(message)\"}}".utf8))]
    }
    #expect(try reason(catalog(server)).hasPrefix("it runs another version of Nocturne"))
  }

  /// A server that fails is asked more and more rarely, so a slow one cannot take most of the time.
  @Test func pausesGrow() {
    let refused = (1...9).map { RemoteCatalog.pause(afterFailures: $0, last: .zero) }
    #expect(refused == [5, 10, 20, 40, 80, 160, 300, 300, 300].map { .seconds($0) })
    let late = (1...5).map { RemoteCatalog.pause(afterFailures: $0, last: .seconds(10)) }
    #expect(late == [30, 30, 30, 40, 80].map { .seconds($0) })
    #expect(RemoteCatalog.pause(afterFailures: 1_000, last: .seconds(10)) == .seconds(300))
  }

  @Test func aFailedServerIsNotAskedAtOnce() throws {
    let server = try ScriptedServer { _ in [.answer(500)] }
    let catalog = try catalog(server)
    for _ in 0..<5 { #expect(reason(catalog).contains("500")) }
    #expect(server.requests.count == 1)
  }
}
