public import AudioAnalysis

/// Writes one report, record by record, in memory that does not depend on their number.
///
/// A report that goes to a file is not there before `finish()`; if that is never called, nothing is.
public final class ReportWriter {
  public static let schema = "nocturne.report"
  public static let schemaVersion = 1

  private let format: ReportFormat
  private let shape: Shape<FileRecord>
  private let columns: [Column<FileRecord>]
  private let output: ReportOutput
  private var json = JSONWriter()
  private var csv: CSVWriter
  private let flushSize = 1 << 18

  /// - Parameters:
  ///   - run: what a JSON report says of the run; the other formats do not mention it.
  ///   - generated: likewise.
  public init(
    _ format: ReportFormat, to destination: ReportDestination, options: ReportOptions = ReportOptions(),
    run: RunRecord?, generated: Timestamp = .now
  ) throws(ReportError) {
    self.format = format
    shape = .file(includesBeats: options.includesBeats)
    columns = format == .csv ? shape.columns : []
    csv = CSVWriter(guardsFormulas: options.guardsFormulas)
    output = try ReportOutput(destination)
    switch format {
    case .json: beginReport(run: run, generated: generated)
    case .ndjson: break
    case .csv:
      for column in columns { csv.text(column.name) }
      csv.endRow()
    }
  }

  public func append(_ record: FileRecord) throws(ReportError) {
    switch format {
    case .json:
      json.lineBreak()
      shape.writeJSON(record, into: &json)
    case .ndjson:
      shape.writeJSON(record, into: &json)
      json.endLine()
    case .csv:
      for column in columns { column.write(record, &csv) }
      csv.endRow()
    }
    if max(json.bytes.count, csv.bytes.count) >= flushSize { try flush() }
  }

  /// Sends what was appended so far on its way: for reports that somebody reads while they grow.
  public func flush() throws(ReportError) {
    if !json.bytes.isEmpty { try output.write(json.bytes) }
    if !csv.bytes.isEmpty { try output.write(csv.bytes) }
    json.removeBytes()
    csv.removeAll()
  }

  public func finish() throws(ReportError) {
    if format == .json {
      json.endArray()
      json.endObject()
      json.endLine()
    }
    try flush()
    try output.finish()
  }

  /// One file as a line of NDJSON, line break included.
  public static func ndjsonLine(for record: FileRecord, options: ReportOptions = ReportOptions()) -> [UInt8] {
    var json = JSONWriter()
    Shape.file(includesBeats: options.includesBeats).writeJSON(record, into: &json)
    json.endLine()
    return json.bytes
  }

  private func beginReport(run: RunRecord?, generated: Timestamp) {
    json.beginObject()
    json.key("schema")
    json.string(Self.schema)
    json.key("version")
    json.integer(Self.schemaVersion)
    json.key("generated_at")
    json.string(generated.description)
    json.key("run")
    if let run { Shape.run.writeJSON(run, into: &json) } else { json.null() }
    json.key("files")
    json.beginArray()
  }
}
