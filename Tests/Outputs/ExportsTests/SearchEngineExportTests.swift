import Analysis
import AnalysisTesting
import Exports
import Foundation
import Platform
import Records
import SystemPackage
import Testing
import Text

/// Vectors, removals and options of exports for search engines, and the options of all formats.
@Suite(.bounded) struct SearchEngineExportTests {
  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  private func context(_ options: [String: String] = [:]) -> ExportContext {
    ExportContext(output: folder.path, program: "Nocturne 1.2.3", trackCount: 9, options: options)
  }

  private func export(
    _ name: String, _ records: [FileRecord] = [], removals: Int = 0, options: [String: String] = [:]
  ) throws {
    var writer = try #require(ExportFormats.named(name)).begin(context(options))
    for record in records { try writer.append(record) }
    for number in 0..<removals { try writer.remove(ExportRemoval(path: FilePath("/music/\(number)"))) }
    _ = try writer.finish()
  }

  private func text(_ name: String) throws -> String {
    try String(contentsOfFile: folder.file(name).string, encoding: .utf8)
  }

  private func record(descriptor: [UInt8]) -> FileRecord {
    var record = track()
    record.findings[LikenessFinding.self] = LikenessFinding(version: 1, descriptor: descriptor)
    return record
  }

  // MARK: - Vectors

  private static let numbers: [UInt8] = [1, 0xFF, 0x80, 0x7F] + Array(repeating: 0, count: 124)
  private static let vector = "[1,-1,-128,127" + String(repeating: ",0", count: 124) + "]"

  @Test(arguments: [
    ("typesense", "yes", "documents.jsonl", "schema.json", "\"num_dim\":128"),
    ("meilisearch", "yes", "documents.ndjson", "settings.json", "\"dimensions\":128"),
    ("opensearch", "opensearch", "documents.ndjson", "index.json", "128"),
    ("opensearch", "elasticsearch", "documents.ndjson", "index.json", "128"),
  ])
  func vectors(engine: String, kind: String, documents: String, settings: String, dimensions: String) throws {
    try export(engine, [record(descriptor: Self.numbers)], options: ["vectors": kind])
    #expect(try text(documents).contains("\"likeness\":\(Self.vector)"))
    let schema = try text(settings)
    #expect(schema.contains("likeness") && schema.contains(dimensions))
    #expect(schema.contains("\"knn\":true") == (kind == "opensearch"))
    _ = try JSONValue(parsing: Array(schema.utf8))
    let lines = try text(documents).split(separator: "\n")
    for line in lines { _ = try JSONValue(parsing: Array(line.utf8)) }

    // Without the option there are none.
    try export(engine, [record(descriptor: Self.numbers)])
    #expect(try !text(documents).contains("likeness") && !text(settings).contains("likeness"))
  }

  /// Zeros have no direction, and descriptors of other sizes are of other versions.
  @Test(arguments: [
    Array(repeating: UInt8(0), count: 128), Array(repeating: UInt8(1), count: 127),
    Array(repeating: UInt8(1), count: 129), [],
  ])
  func tracksWithoutVectors(descriptor: [UInt8]) throws {
    let records = [record(descriptor: descriptor)]
    try export("typesense", records, options: ["vectors": "yes"])
    #expect(try !text("documents.jsonl").contains("likeness"))
    try export("opensearch", records, options: ["vectors": "opensearch"])
    #expect(try !text("documents.ndjson").contains("likeness"))
    try export("meilisearch", records, options: ["vectors": "yes"])
    #expect(try text("documents.ndjson").contains("\"_vectors\":{\"likeness\":null}"))
  }

  // MARK: - Removals

  /// Typesense takes up to a hundred removals at once, one batch per line; the others are in one list.
  @Test(arguments: [(0, 0), (1, 1), (100, 1), (101, 2), (250, 3)]) func removals(count: Int, batches: Int) throws {
    try export("typesense", removals: count)
    #expect(try text("removals.txt").split(separator: "\n").count == batches)
    let ids = Set((0..<count).map { ExportRemoval(path: FilePath("/music/\($0)")).fileID })
    let removed = try text("removals.txt")
    #expect(ids.count == count && ids.allSatisfy { removed.contains($0) })
    try export("meilisearch", removals: count)
    guard case .array(let list) = try JSONValue(parsing: Array(text("removals.json").utf8)) else {
      Issue.record("no list")
      return
    }
    #expect(list.count == count && ids.allSatisfy { list.contains(.string($0)) })
    try export("opensearch", removals: count)
    #expect(try text("removals.ndjson").split(separator: "\n").count == count)
  }

  // MARK: - Options

  /// Each format refuses options that it does not have, before it writes anything.
  @Test(arguments: ExportFormats.all.map(\.name)) func unknownOptionsAreRefused(format: String) throws {
    let output = folder.file("out")
    let context = ExportContext(
      output: output, program: "Nocturne 1.2.3", trackCount: 9, options: ["no-such-option": "x"])
    #expect { _ = try #require(ExportFormats.named(format)).begin(context) } throws: { error in
      guard case .unknownOption(let name, _)? = error as? ExportError else { return false }
      return name == "no-such-option"
    }
    #expect(!output.exists)
  }

  @Test(arguments: [
    ("typesense", "vectors", "opensearch", "yes"), ("meilisearch", "vectors", "no", "yes"),
    ("opensearch", "vectors", "yes", "opensearch or elasticsearch"),
    ("typesense", "collection", "", "the name of a collection"), ("traktor", "loudness", "1", ""),
    ("traktor", "loudness", "-41", ""), ("traktor", "loudness", "loud", ""),
  ])
  func valuesAreChecked(format: String, option: String, value: String, expected: String) throws {
    #expect { _ = try #require(ExportFormats.named(format)).begin(context([option: value])) } throws: { error in
      guard case .badOption(let name, value: let found, expected: let hint)? = error as? ExportError else {
        return false
      }
      return name == option && found == value && (expected.isEmpty || hint == expected)
    }
  }

  @Test func collectionsHaveNames() throws {
    try export("typesense", options: ["collection": "music"])
    #expect(try text("schema.json").contains("\"name\":\"music\""))
    for loudness in ["0", "-40"] {
      let output = ExportContext(
        output: folder.file("t.nml"), program: "Nocturne 1.2.3", trackCount: 0, options: ["loudness": loudness])
      _ = try #require(ExportFormats.named("traktor")).begin(output)
    }
  }
}
