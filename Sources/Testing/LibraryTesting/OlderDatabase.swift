internal import AnalysisTesting
internal import Foundation
internal import GRDB
package import SystemPackage

/// Databases with every released schema, as earlier versions wrote them: the SQL in `Tests/Fixtures/store-vN.sql`.
package enum OlderDatabase {
  private static let fixtures = Repository.url("Tests/Fixtures")

  package static func write(version: Int, at path: FilePath) throws {
    let sql = try String(contentsOf: fixtures.appendingPathComponent("store-v\(version).sql"), encoding: .utf8)
    try DatabaseQueue(path: path.string).writeWithoutTransaction { try $0.execute(sql: sql) }
  }
}
