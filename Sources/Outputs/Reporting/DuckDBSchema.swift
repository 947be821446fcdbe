internal import Records

/// DuckDB table macros that state the type of every column of a report. A program that infers types from the first rows
/// assumes that a column without values is text or JSON, and may infer a different type for it in the next report.
enum DuckDBSchema {
  static func text(_ options: ReportOptions) -> String {
    let file = Shape.file(options)
    let types = file.columns.map { ($0.name, SchemaNode.duckDBType(named: $0.type, format: nil)) }
    let texts = types.filter { $0.1 == "VARCHAR" }.map { "  nocturne_unguarded(\($0.0)) AS \($0.0)" }
    return """
      -- Reports with the types of all their columns, whether they hold values or not:
      --   SELECT path, tempo.bpm FROM nocturne_ndjson('report.ndjson');
      --   SELECT path, tempo_bpm FROM nocturne_csv('report.csv');

      CREATE OR REPLACE MACRO nocturne_ndjson(file) AS TABLE
      SELECT * FROM read_json(file, format = 'newline_delimited', columns = {
      \(columns(file.fields.map { ($0.name, $0.schema.duckDBType) }))
      });

      -- Text without the apostrophe that keeps spreadsheets from running it.
      CREATE OR REPLACE MACRO nocturne_unguarded(cell) AS
        regexp_replace(cell, '^''(''*([=+@＝＋－＠\\t-]|\\\\x0D))', '\\1');

      CREATE OR REPLACE MACRO nocturne_csv(file) AS TABLE
      SELECT * REPLACE (
      \(texts.joined(separator: ",\n"))
      ) FROM read_csv(file, header = true, delim = ',', quote = '"', escape = '"', nullstr = '', columns = {
      \(columns(types))
      });

      """
  }

  private static func columns(_ columns: [(name: String, type: String)]) -> String {
    columns.map { "  '\($0.name)': '\($0.type)'" }.joined(separator: ",\n")
  }
}

extension SchemaNode {
  /// The DuckDB type for the values that this schema describes.
  fileprivate var duckDBType: String {
    guard case .object(let members) = self else { return "JSON" }
    func member(_ name: String) -> SchemaNode? { members.first { $0.name == name }?.value }
    let type: String? =
      switch member("type") {
      case .string(let type): type
      // A list of types means that the value may also be null.
      case .array(let types): if case .string(let type)? = types.first { type } else { nil }
      default: nil
      }
    switch (type, member("items"), member("properties"), member("additionalProperties")) {
    case ("array", let items?, _, _): return items.duckDBType + "[]"
    case ("object", _, .object(let properties)?, _):
      return "STRUCT(" + properties.map { "\"\($0.name)\" \($0.value.duckDBType)" }.joined(separator: ", ") + ")"
    case ("object", _, _, let value?): return "MAP(VARCHAR, \(value.duckDBType))"
    default:
      let format: String? = if case .string(let format)? = member("format") { format } else { nil }
      return Self.duckDBType(named: type, format: format)
    }
  }

  /// - Parameter type: JSON Schema type; `nil` for any value.
  fileprivate static func duckDBType(named type: String?, format: String?) -> String {
    switch type {
    case "string": format == "date-time" ? "TIMESTAMP" : "VARCHAR"
    case "integer": "BIGINT"
    case "number": "DOUBLE"
    case "boolean": "BOOLEAN"
    default: "JSON"
    }
  }
}
