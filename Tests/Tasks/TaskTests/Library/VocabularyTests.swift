import Analysis
import AnalysisTesting
import BuiltInAnalyzers
import Filters
import LibraryTasks
import Records
import Testing
import Text

@testable import Exports

/// Each fact has the same name everywhere: that of the CSV report.
@Suite(.bounded) struct VocabularyTests {
  private static let reported = Set(
    Shape<FileRecord>.file(ReportOptions(findings: BuiltInAnalyzers.findings)).columns.map(\.name))

  @Test func fieldsOfFindingsAreAskedForByTheirNames() throws {
    for column in FindingColumn.known { #expect(Self.reported.contains(column.name), "\(column.name)") }
    #expect(Set(FindingColumn.known.map(\.name)).count == FindingColumn.known.count)
    #expect(FindingColumn.known.contains { $0.name == "traits_energy" && $0.isIndexed })
    for name in FilterField.allCases.compactMap(\.reported) {
      #expect(Self.reported.contains(name), "\(name)")
      #expect(throws: Never.self) { try TrackFilter(parsing: "\(name):1", columns: FindingColumn.known) }
    }
  }

  /// The names of findings in search engines, tables and lists of tracks.
  @Test func listsOfTracksHaveNoNamesOfTheirOwn() throws {
    let exported = (TrackField.all + TrackField.others(of: BuiltInAnalyzers.findings)).map(\.name)
    // The tempo of a metronome is not a finding.
    let schemas =
      SearchSchema.files + SimilarSchema.files + PlaylistSchema.files
      + ClickSchema.files.filter { $0.format == "click" }
    let listed = try schemas.flatMap { Self.members(of: try JSONValue(parsing: $0.text.utf8)) }
    #expect(listed.contains("tempo_bpm"))
    let findings = [TempoFinding.declaration.name, "key", "loudness", "traits"]
    // Key tonic and mode in one text, which the report separates; known levels; the candidates of a playlist.
    let made: Set = ["key_name", "loudness_known", "candidates"]
    for name in Set(exported + listed).subtracting(made) {
      if let finding = findings.first(where: { name.hasPrefix($0 + "_") }) {
        #expect(Self.reported.contains(name), "\(name): the report calls no field of \(finding) so")
      }
      let homes = findings.filter { Self.reported.contains("\($0)_\(name)") }
      #expect(homes.isEmpty, "\(name): \(homes.map { "\($0)_\(name)" }.joined(separator: ", ")) in the report")
    }
  }

  /// The names of all properties in a schema.
  private static func members(of schema: JSONValue) -> [String] {
    switch schema {
    case .object(let members):
      members.flatMap { name, value in
        guard name == "properties", case .object(let properties) = value else { return self.members(of: value) }
        return properties.keys + properties.values.flatMap { self.members(of: $0) }
      }
    case .array(let values): values.flatMap { members(of: $0) }
    default: []
    }
  }
}
