public import Analysis
package import Records

/// The files of `reports/schema/`, which are generated from the same declarations as the reports.
public struct ReportSchema: Sendable {
  private let options: ReportOptions

  /// - Parameter findings: The declared findings, in report order.
  public init(findings: [any DeclaredFinding.Type]) {
    options = ReportOptions(findings: findings)
  }

  /// The schemas, each with its format and file name. There are JSON Schemas (draft 2020-12) for the JSON report, for a
  /// line of NDJSON, and for the output of `worker`; a Table Schema (Frictionless Standards) for the columns of the CSV
  /// report; and the types of NDJSON and CSV for DuckDB.
  public var files: [(format: String, name: String, text: String)] {
    [
      ("json", "nocturne.report.v1.schema.json", reportSchema.text),
      ("ndjson", "nocturne.file.v1.schema.json", fileSchema.text),
      ("csv", "nocturne.csv.v1.table.json", tableSchema.text),
      ("duckdb", "nocturne.duckdb.v1.sql", DuckDBSchema.text(options)),
      ("worker", "nocturne.worker.v1.schema.json", worker),
    ]
  }

  private static let dialect: SchemaNode = "https://json-schema.org/draft/2020-12/schema"
  private var file: Shape<FileRecord> { .file(options) }

  /// The schema for a line of `analyze worker`.
  private var worker: String {
    Self.lineSchema(
      Shape.worker(options).schema, title: "\(WorkerRecord.schema), version \(WorkerRecord.schemaVersion)"
    ).text
  }

  private var reportSchema: SchemaNode {
    .object([
      ("$schema", Self.dialect), ("title", .string("\(ReportWriter.schema), version \(ReportWriter.schemaVersion)")),
      ("description", "A JSON report: one run, and the files of the library in the order of their paths."),
      ("type", "object"),
      (
        "properties",
        .object([
          ("schema", .object([("const", .string(ReportWriter.schema))])),
          ("version", .object([("const", .integer(ReportWriter.schemaVersion))])),
          (
            "generated_at",
            .object([("description", "When the report was made, UTC."), ("type", "string"), ("format", "date-time")])
          ),
          ("run", Shape.run.schema.orNull),
          ("files", .object([("type", "array"), ("items", .object([("$ref", "#/$defs/file")]))])),
        ])
      ),
      ("required", ["schema", "version", "generated_at", "run", "files"]), ("additionalProperties", false),
      ("$defs", .object([("file", file.schema)])),
    ])
  }

  private var fileSchema: SchemaNode {
    Self.lineSchema(file.schema, title: "\(ReportWriter.schema), version \(ReportWriter.schemaVersion): one file")
  }

  /// Returns the schema for a line of JSON.
  package static func lineSchema(_ schema: SchemaNode, title: String) -> SchemaNode {
    guard case .object(let members) = schema else { return schema }
    return .object([("$schema", dialect), ("title", .string(title))] + members)
  }

  private var tableSchema: SchemaNode {
    .object([
      ("title", "nocturne.csv, version 1"),
      (
        "description",
        """
        The CSV report (RFC 4180: UTF-8, header row, comma, CRLF): one row per file. A column is a field of the JSON \
        record, prefixed with the names of its enclosing objects. An empty cell is null. Lists are joined by “ / ”; lists \
        of objects and objects with free keys are JSON text. Control characters except tab, U+2028 and U+2029 appear as \
        \\xHH for each byte of their UTF-8 form; a backslash that would be mistaken for one, as \\x5C.
        """
      ),
      (
        "fields",
        .array(
          file.columns.map { column in
            .object([
              ("name", .string(column.name)), ("type", .string(column.type)), ("description", .string(column.summary)),
            ])
          })
      ),
      ("missingValues", [""]),
    ])
  }
}
