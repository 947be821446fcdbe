internal import Analysis
internal import Foundation
internal import Records
internal import SystemPackage

/// Label files for `mir_eval.io` and Sonic Visualiser, with tab-separated columns.
public struct LabExport: ExportFormat {
  public let name = "lab"
  public let abstract = "Label files for each track: beats, tempo, key and sections"
  public let long: Set<String> = ["beats"]
  public let output = ExportOutput.tree

  public init() {}

  public func begin(_ context: ExportContext) throws -> any ExportWriter {
    try context.checkOptions(MirroredFolder.options)
    return try TableWriter(context, fileExtension: "lab", Self.tables)
  }

  private static func tables(of record: FileRecord) -> [AnnotationTable: [String]] {
    let annotations = TrackAnnotations(record)
    var tables: [AnnotationTable: [String]] = [
      .beats: annotations.beats.map { String(format: "%.4f", $0.seconds) },
      .downbeats: annotations.downbeats.map { String(format: "%.4f", $0) },
      .sections: annotations.sections.map { String(format: "%.3f\t%.3f\t", $0.start, $0.end) + $0.value },
    ]
    if let key = record.keyFinding?.key { tables[.key] = ["\(key.tonic)\t\(key.mode.rawValue)"] }
    if let tempo = record.tempo, let bpm = tempo.bpm {
      // Writes the slower tempo, the faster tempo, and the weight of the slower one (MIREX, audio tempo estimation).
      let other = tempo.candidates.first { abs($0.bpm / bpm - 1) > 0.04 && $0.weight > 0 }
      let weight = tempo.candidates.first { abs($0.bpm / bpm - 1) <= 0.04 }?.weight ?? 1
      let share = other.map { weight / (weight + $0.weight) } ?? 1
      let slower = min(bpm, other?.bpm ?? 0)
      let line = (slower, max(bpm, other?.bpm ?? 0), slower == bpm ? share : 1 - share)
      tables[.tempo] = [String(format: "%.2f\t%.2f\t%.3f", line.0, line.1, line.2)]
    }
    return tables
  }
}

/// CSV in the format of `sonic-annotator -w csv --csv-omit-filename`. A line contains a time and, depending on the
/// table, the duration of a segment, a value and a quoted label. There is no header.
public struct AnnotationCSVExport: ExportFormat {
  public let name = "annotations-csv"
  public let abstract = "CSV files for each track, as sonic-annotator writes them"
  public let long: Set<String> = ["beats"]
  public let output = ExportOutput.tree

  public init() {}

  public func begin(_ context: ExportContext) throws -> any ExportWriter {
    try context.checkOptions(MirroredFolder.options)
    return try TableWriter(context, fileExtension: "csv", Self.tables)
  }

  private static func tables(of record: FileRecord) -> [AnnotationTable: [String]] {
    let annotations = TrackAnnotations(record)
    return [
      .beats: annotations.beats.map { beat in
        String(format: "%.9f", beat.seconds) + (beat.beatInBar.map { ",\"\($0)\"" } ?? "")
      },
      .downbeats: annotations.downbeats.map { String(format: "%.9f", $0) },
      .tempo: annotations.tempi.map { String(format: "%.9f,%.3f,\"%.2f bpm\"", $0.start, $0.value, $0.value) },
      .key: annotations.keys.map { String(format: "%.9f,", $0.start) + "\"\($0.value)\"" },
      .sections: annotations.sections.map {
        String(format: "%.9f,%.9f,", $0.start, $0.end - $0.start) + "\"\($0.value)\""
      },
    ]
  }
}

private enum AnnotationTable: String, CaseIterable {
  case beats, downbeats, tempo, key, sections
}

/// Writes one file for each non-empty table of a track.
private struct TableWriter: ExportWriter {
  private let folder: MirroredFolder
  private let fileExtension: String
  private let tables: (FileRecord) -> [AnnotationTable: [String]]

  init(
    _ context: ExportContext, fileExtension: String, _ tables: @escaping (FileRecord) -> [AnnotationTable: [String]]
  ) throws(ExportError) {
    self.fileExtension = fileExtension
    self.tables = tables
    folder = try MirroredFolder(context, suffixes: AnnotationTable.allCases.map { ".\($0.rawValue).\(fileExtension)" })
  }

  func append(_ record: FileRecord) throws {
    var files: [String: [UInt8]] = [:]
    for (table, lines) in tables(record) where !lines.isEmpty {
      files[".\(table.rawValue).\(fileExtension)"] = Array((lines.joined(separator: "\n") + "\n").utf8)
    }
    try folder.write(files, for: record.path)
  }

  func remove(_ removal: ExportRemoval) { folder.remove(removal.path) }

  func finish() throws -> [FilePath] { try folder.commit() }
}
