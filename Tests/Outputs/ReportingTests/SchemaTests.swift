import Analysis
import AnalysisTesting
import BuiltInAnalyzers
import Foundation
import Records
import Reporting
import Testing

@Suite(.bounded) struct SchemaTests {
  private static func schema(_ part: String) throws -> String {
    try #require(ReportSchema(findings: Samples.findings).files.first { $0.name.contains(part) }).text
  }

  /// Each finding has a key of its own, distinct from those of every record.
  @Test func everyFindingHasItsKey() throws {
    let line = ReportWriter.ndjsonLine(for: Samples.full, options: ReportOptions(findings: []))
    let facts = try #require(try JSONSerialization.jsonObject(with: Data(line)) as? [String: Any])
    func name<Finding: DeclaredFinding>(_ type: Finding.Type) -> String { Finding.declaration.name }
    let names = BuiltInAnalyzers.findings.map { name($0) }
    #expect(Set(names + facts.keys).count == names.count + facts.count)
  }

  @Test func jsonReportFollowsItsSchema() throws {
    let validator = try SchemaValidator(Self.schema("report"))
    for run in [Samples.run, nil] {
      let report = try JSONSerialization.jsonObject(with: Samples.report(.json, run: run))
      #expect(validator.complaints(about: report) == [])
    }
  }

  @Test func everyLineFollowsTheFileSchema() throws {
    let validator = try SchemaValidator(Self.schema("file"))
    for record in Samples.all {
      for options in [ReportOptions(findings: Samples.findings), Samples.everything] {
        let line = ReportWriter.ndjsonLine(for: record, options: options)
        #expect(validator.complaints(about: try JSONSerialization.jsonObject(with: Data(line))) == [])
      }
    }
  }

  /// The validator detects violations.
  @Test func validatorComplains() throws {
    let validator = try SchemaValidator(Self.schema("file"))
    let line = ReportWriter.ndjsonLine(for: Samples.full, options: ReportOptions(findings: Samples.findings))
    let sound = try #require(try JSONSerialization.jsonObject(with: Data(line)) as? [String: Any])
    for (name, value) in [
      ("id", 3), ("status", "fine"), ("uri", NSNull()), ("surplus", 1), ("tags", ["title": "x"]), ("remarks", [Any]()),
      ("analyzers", ["tempo": "1"]), ("error", ["stage": "scan", "code": "x"]), ("vanished", 0),
    ] as [(String, Any)] {
      var broken = sound
      broken[name] = value
      #expect(!validator.complaints(about: broken).isEmpty, "\(name)")
    }
    for name in sound.keys {
      var broken = sound
      broken[name] = nil
      #expect(!validator.complaints(about: broken).isEmpty, "\(name)")
    }
  }

  /// Field names: snake_case, unique as CSV columns, every canonical tag among them.
  @Test func namesFollowTheRules() throws {
    let table = try JSONSerialization.jsonObject(with: Data(Self.schema("csv").utf8)) as? [String: Any]
    let columns = try #require(table?["fields"] as? [[String: Any]]).compactMap { $0["name"] as? String }
    #expect(columns.count == Set(columns).count)
    #expect(columns.allSatisfy { $0.wholeMatch(of: /[a-z][a-z0-9]*(_[a-z0-9]+)*/) != nil })
    for field in TagField.all { #expect(columns.contains("tags_\(field.name)")) }
    let header = try #require(String(decoding: Samples.report(.csv, []), as: UTF8.self).split(separator: "\r\n").first)
    #expect(header.split(separator: ",").map(String.init) == columns)
  }
}
