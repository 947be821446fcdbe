import BuiltInAnalyzers
import Filters
import LibraryTasks
import Records
import Testing

@Suite struct FindingColumnTests {
  /// A field is asked for by the name that reports have for it.
  @Test func namesAreThoseOfTheCSVReport() throws {
    let header = Set(Shape<FileRecord>.file(ReportOptions(findings: BuiltInAnalyzers.findings)).columns.map(\.name))
    for column in FindingColumn.known { #expect(header.contains(column.name), "\(column.name)") }
    #expect(Set(FindingColumn.known.map(\.name)).count == FindingColumn.known.count)
    #expect(FindingColumn.known.contains { $0.name == "traits_energy" && $0.isIndexed })
  }
}
