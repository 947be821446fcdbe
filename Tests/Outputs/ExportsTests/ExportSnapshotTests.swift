import Analysis
import AnalysisTesting
import BuiltInAnalyzers
import CZlib
import Filters
import Foundation
import GRDB
import LibraryStore
import LibraryTesting
import Platform
import Records
import ResultStore
import SystemPackage
import Testing

@testable import Exports

/// Exports of the untidy library, byte for byte.
@Suite(.bounded) struct ExportSnapshotTests {
  private let folder: TemporaryDirectory
  private let store: ResultStore

  init() throws {
    folder = try TemporaryDirectory()
    store = try ResultStore(path: folder.path.appending("library.sqlite"), findings: BuiltInAnalyzers.findings)
    try UntidyLibrary.fill(store)
  }

  /// Options required by some formats.
  private static let options: [String: [String: String]] = [
    "mpd": ["music": "/music"], "m3u8": ["paths": "absolute"], "jams": ["root": "/music"], "lab": ["root": "/music"],
    "annotations-csv": ["root": "/music"], "nsp": ["name": "Fast & <loud>"],
    "traktor": ["from": "/music", "to": "D:\\Music"], "bagit": ["root": "/music"],
  ]

  /// Manifests of bags cannot hold names that are not UTF-8.
  private static let filters = ["nsp": "bpm:80..180 genre:electronic -year:..1990", "bagit": "artist:björk"]

  private func export(_ format: any ExportFormat, _ options: [String: String] = [:]) throws -> FilePath {
    let output = folder.path.appending(format.name)
    if format.output.isFolder {
      try FileManager.default.createDirectory(atPath: output.string, withIntermediateDirectories: true)
    }
    let selection = RecordSelection(
      statuses: [.ok, .partial], long: format.long, includesRuns: true, includesChecksums: format.needsChecksums)
    let filter = try Self.filters[format.name].map { try TrackFilter(parsing: $0) } ?? .everything
    return try store.extract(selection, matching: filter, since: nil) { extract in
      var context = ExportContext(
        output: output, program: "Nocturne 1.2.3", now: UntidyLibrary.time("2024-03-10T06:00:00Z"),
        trackCount: extract.count, options: Self.options[format.name, default: [:]].merging(options) { $1 },
        findings: BuiltInAnalyzers.findings, filter: filter)
      context.isIncremental = false
      var writer = try format.begin(context)
      try extract.forEachRecord { try writer.append($0) }
      try writer.remove(ExportRemoval(path: "/music/gone.mp3"))
      _ = try writer.finish()
      return output
    }
  }

  private func expect(_ text: String, is name: String) throws {
    if let complaint = try Snapshots().complaint(about: text, named: name) { Issue.record("\(complaint)") }
  }

  private func text(_ file: FilePath) throws -> String {
    ReadableText.plain(Array(try Data(contentsOf: URL(filePath: file.string))))
  }

  /// All files of a folder, each preceded by its name.
  private func texts(in folder: FilePath) throws -> String {
    let names = FileManager.default.enumerator(atPath: folder.string)?.allObjects as? [String] ?? []
    var texts: [String] = []
    for name in names.sorted() {
      var isFolder: ObjCBool = false
      let file = folder.appending(name)
      guard FileManager.default.fileExists(atPath: file.string, isDirectory: &isFolder), !isFolder.boolValue else {
        continue
      }
      // Inventories contain file times.
      let text = try text(file).replacing(#/([0-9]+) [0-9]{10} /#) { "\($0.1) <time> " }
      texts.append("=== \(name)\n" + text)
    }
    return texts.joined(separator: "\n")
  }

  private static let binary = ["mixxx", "parquet"]

  @Test(arguments: ExportFormats.all.map(\.name).filter { !binary.contains($0) }.sorted())
  func texts(name: String) throws {
    let format = try #require(ExportFormats.named(name))
    let output = try export(format)
    try expect(format.output.isFolder ? texts(in: output) : text(output), is: "\(name).txt")
  }

  /// Tables of a Mixxx database that knows three of the files.
  @Test func mixxx() throws {
    let database = folder.path.appending("mixxxdb.sqlite").string
    try DatabaseQueue(path: database).write { db in
      try db.execute(sql: MixxxExportTests.schema)
      for (id, name) in [(1, "hunter"), (2, "joga"), (3, "rain")] {
        let path = UntidyLibrary.files[name]?.path.string ?? ""
        try db.execute(sql: "INSERT INTO track_locations VALUES (?, ?)", arguments: [id, path])
        try db.execute(
          sql: "INSERT INTO library (id, location, samplerate, bpm) VALUES (?, ?, 44100, 99)", arguments: [id, id])
      }
    }
    let output = try export(MixxxExport(), ["database": database])
    let tables = try DatabaseQueue(path: output.string).read { db in
      try ["track_locations", "library", "cues"].map { table in
        let rows = try Row.fetchAll(db, sql: "SELECT * FROM \(table) ORDER BY id")
        return "=== \(table)\n"
          + rows.map { row in
            row.map { name, value in "\(name): \(Self.shown(value))" }.joined(separator: "\n")
          }.joined(separator: "\n\n")
      }
    }
    try expect(tables.joined(separator: "\n\n") + "\n", is: "mixxx.txt")
  }

  private static func shown(_ value: DatabaseValue) -> String {
    switch value.storage {
    case .null: "NULL"
    case .int64(let number): "\(number)"
    case .double(let number): "\(number)"
    case .string(let text): text.debugDescription
    case .blob(let data): data.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
  }

  /// Columns of tracks, and the size and hash of each page of all files: their compression depends on another library.
  /// The values of the first columns are those of the search engines.
  @Test func parquet() throws {
    let output = try export(ParquetExport())
    var lines = (TrackField.all + TrackField.others(of: BuiltInAnalyzers.findings)).map { "\($0.name) (\($0.kind))" }
    for name in ParquetExport().files(for: BuiltInAnalyzers.findings) {
      let bytes = Array(try Data(contentsOf: URL(filePath: output.appending(name).string)))
      lines += ["", "=== \(name)"]
      for page in Self.pages(of: bytes) { lines.append("\(page.count) \(ContentID(hashing: page))") }
    }
    try expect(lines.joined(separator: "\n") + "\n", is: "parquet.txt")
  }

  private static func pages(of bytes: [UInt8]) -> [[UInt8]] {
    var pages: [[UInt8]] = []
    var index = 0
    while index + 18 < bytes.count {
      guard bytes[index..<index + 3].elementsEqual([0x1F, 0x8B, 8]), let page = unpacked(bytes[index...]) else {
        index += 1
        continue
      }
      pages.append(page.bytes)
      index += page.length
    }
    return pages
  }

  /// - Returns: Content of a gzip stream, and its length; `nil` if it is not one.
  private static func unpacked(_ bytes: ArraySlice<UInt8>) -> (bytes: [UInt8], length: Int)? {
    var stream = z_stream()
    guard inflateInit2_(&stream, 15 + 16, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else { return nil }
    defer { inflateEnd(&stream) }
    var input = Array(bytes)
    var output = [UInt8](repeating: 0, count: 1 << 20)
    let (inputCount, outputCount) = (input.count, output.count)
    let status = input.withUnsafeMutableBufferPointer { input in
      output.withUnsafeMutableBufferPointer { output in
        stream.next_in = input.baseAddress
        stream.avail_in = UInt32(inputCount)
        stream.next_out = output.baseAddress
        stream.avail_out = UInt32(outputCount)
        return inflate(&stream, Z_FINISH)
      }
    }
    guard status == Z_STREAM_END else { return nil }
    return (Array(output.prefix(outputCount - Int(stream.avail_out))), inputCount - Int(stream.avail_in))
  }

  @Test func everySnapshotIsAskedFor() throws {
    #expect(try Snapshots().leftOver(besides: Set(ExportFormats.all.map { "\($0.name).txt" })) == [])
  }
}
