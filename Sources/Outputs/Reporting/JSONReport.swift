internal import Platform
internal import Records
internal import Text

/// The format that has a single object with the run and all files, one file per line.
struct JSONReport: ReportEncoder {
  private let shape: Shape<FileRecord>
  private var json = JSONWriter()

  init(_ options: ReportOptions) {
    shape = .file(options)
  }

  var bytes: [UInt8] { json.bytes }
  mutating func removeBytes() { json.removeBytes() }

  mutating func begin(run: RunRecord?, generated: Timestamp) {
    json.beginObject()
    json.key("schema")
    json.string(ReportWriter.schema)
    json.key("version")
    json.integer(ReportWriter.schemaVersion)
    json.key("generated_at")
    json.string(generated.description)
    json.key("run")
    if let run { Shape.run.writeJSON(run, into: &json) } else { json.null() }
    json.key("files")
    json.beginArray()
  }

  mutating func append(_ record: FileRecord) {
    json.lineBreak()
    shape.writeJSON(record, into: &json)
  }

  mutating func end() {
    json.endArray()
    json.endObject()
    json.endLine()
  }
}

/// The format that has one file per line, and nothing else.
struct NDJSONReport: ReportEncoder {
  private let shape: Shape<FileRecord>
  private var json = JSONWriter()

  init(_ options: ReportOptions) {
    shape = .file(options)
  }

  var bytes: [UInt8] { json.bytes }
  mutating func removeBytes() { json.removeBytes() }

  mutating func begin(run: RunRecord?, generated: Timestamp) {}

  mutating func append(_ record: FileRecord) {
    shape.writeJSON(record, into: &json)
    json.endLine()
  }

  mutating func end() {}
}
