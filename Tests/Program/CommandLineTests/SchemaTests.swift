import AnalysisTesting
import Foundation
import Testing

@testable import Commands

@Suite(.bounded) struct SchemaTests {
  @Test func checkedInSchemasAreThoseOfTheTypes() throws {
    let root = Repository.url()
    for file in Schemas.files {
      let stored = try? String(
        contentsOf: root.appendingPathComponent("reports/schema/\(file.name)"), encoding: .utf8)
      let isCurrent = stored == file.text
      #expect(isCurrent, "reports/schema/\(file.name) is out of date: run `analyze schema --output reports/schema`")
    }
  }
}
