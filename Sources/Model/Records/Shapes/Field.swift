package import Text

/// One field of a record, declared once; JSON text, CSV columns and JSON Schema are generated from it.
package struct Field<Record>: Sendable {
  /// The name in snake_case, with the unit (if any) at the end.
  package var name: String
  /// One or more sentences that describe the field.
  package var summary: String
  package var isNullable: Bool
  /// The schema of a non-`null` value.
  package var schema: SchemaNode
  package var key: JSONWriter.Key
  package var writeJSON: @Sendable (Record, inout JSONWriter) -> Void
  package var columns: [Column]
  /// Writes one cell per column.
  package var writeCells: @Sendable (Record, inout CSVWriter) -> Void
  /// The schemas that `schema` refers to, by name.
  package var definitions: [String: SchemaNode] = [:]
  /// Writes the key and the value, or nothing if a record has no value; `nil` if both are always written.
  package var writeIfAny: (@Sendable (Record, inout JSONWriter) -> Void)?
}

package struct Column: Sendable {
  package var name: String
  package var summary: String
  /// `string`, `integer`, `number` or `boolean`.
  package var type: String
}

/// The fields of a kind of record, in the order in which they are written.
package struct Shape<Record>: Sendable {
  package var summary: String
  package var fields: [Field<Record>]

  package init(summary: String, fields: [Field<Record>]) {
    self.summary = summary
    self.fields = fields
  }

  package func writeJSON(_ record: Record, into writer: inout JSONWriter) {
    writer.beginObject()
    for field in fields {
      if let writeIfAny = field.writeIfAny {
        writeIfAny(record, &writer)
      } else {
        writer.key(field.key)
        field.writeJSON(record, &writer)
      }
    }
    writer.endObject()
  }

  /// Returns the record as a line of NDJSON, including the line break.
  package func ndjsonLine(_ record: Record) -> [UInt8] {
    var json = JSONWriter()
    writeJSON(record, into: &json)
    json.endLine()
    return json.bytes
  }

  package func writeCells(_ record: Record, into writer: inout CSVWriter) {
    for field in fields { field.writeCells(record, &writer) }
  }

  package var columns: [Column] { fields.flatMap(\.columns) }

  package var schema: SchemaNode {
    .record(
      summary,
      fields.map { field in
        (field.name, (field.isNullable ? field.schema.orNull : field.schema).described(field.summary))
      })
  }
}

extension Field {
  /// Declares a value that is always present.
  package static func required<Value>(
    _ name: String, _ scalar: Scalar<Value>, _ summary: String, _ get: @escaping @Sendable (Record) -> Value
  ) -> Field {
    Field(
      name: name, summary: summary, isNullable: false, schema: SchemaNode(scalar), key: JSONWriter.Key(name),
      writeJSON: { scalar.writeJSON(get($0), &$1) },
      columns: [Column(name: name, summary: summary, type: scalar.type ?? "string")],
      writeCells: { scalar.writeCSV(get($0), &$1) })
  }

  /// Declares a value that may be `null` (in CSV, an empty cell).
  package static func optional<Value>(
    _ name: String, _ scalar: Scalar<Value>, _ summary: String, _ get: @escaping @Sendable (Record) -> Value?
  ) -> Field {
    Field(
      name: name, summary: summary, isNullable: true, schema: SchemaNode(scalar), key: JSONWriter.Key(name),
      writeJSON: { record, writer in
        if let value = get(record), scalar.isPresent(value) { scalar.writeJSON(value, &writer) } else { writer.null() }
      },
      columns: [Column(name: name, summary: summary, type: scalar.type ?? "string")],
      writeCells: { record, writer in
        if let value = get(record), scalar.isPresent(value) {
          scalar.writeCSV(value, &writer)
        } else {
          writer.empty()
        }
      })
  }

  /// Declares a list of values. An empty list is written as `null`. In CSV, the values are joined by ` / ` in one cell.
  package static func list<Value>(
    _ name: String, _ scalar: Scalar<Value>, _ summary: String, _ get: @escaping @Sendable (Record) -> [Value]
  ) -> Field {
    Field(
      name: name, summary: summary, isNullable: true, schema: .list(of: SchemaNode(scalar)), key: JSONWriter.Key(name),
      writeJSON: { record, writer in
        let values = get(record)
        guard values.contains(where: scalar.isPresent) else { return writer.null() }
        writer.beginArray()
        for value in values where scalar.isPresent(value) { scalar.writeJSON(value, &writer) }
        writer.endArray()
      },
      columns: [.list(name, summary)],
      writeCells: { record, writer in
        writer.list(get(record).filter(scalar.isPresent)) { scalar.writeCSV($0, &$1) }
      })
  }

  /// Declares a nested record. In CSV, its columns are prefixed with its name.
  package static func object<Child>(
    _ name: String, _ shape: Shape<Child>, _ summary: String, _ get: @escaping @Sendable (Record) -> Child
  ) -> Field {
    Field(
      name: name, summary: summary, isNullable: false, schema: shape.schema, key: JSONWriter.Key(name),
      writeJSON: { shape.writeJSON(get($0), into: &$1) }, columns: shape.columns.map { $0.within(name) },
      writeCells: { shape.writeCells(get($0), into: &$1) })
  }

  /// Declares a nested record that may be `null` (in CSV, empty cells).
  package static func optionalObject<Child>(
    _ name: String, _ shape: Shape<Child>, _ summary: String, _ get: @escaping @Sendable (Record) -> Child?
  ) -> Field {
    let columns = shape.columns
    return Field(
      name: name, summary: summary, isNullable: true, schema: shape.schema, key: JSONWriter.Key(name),
      writeJSON: { record, writer in
        if let child = get(record) { shape.writeJSON(child, into: &writer) } else { writer.null() }
      },
      columns: columns.map { $0.within(name) },
      writeCells: { record, writer in
        if let child = get(record) {
          shape.writeCells(child, into: &writer)
        } else {
          for _ in columns { writer.empty() }
        }
      })
  }

  /// Declares a list of records. An empty list is written as `null`. In CSV, it is one cell with the JSON text.
  package static func objects<Child>(
    _ name: String, _ shape: Shape<Child>, _ summary: String, _ get: @escaping @Sendable (Record) -> [Child]
  ) -> Field {
    let writeJSON: @Sendable (Record, inout JSONWriter) -> Void = { record, writer in
      let children = get(record)
      if children.isEmpty { return writer.null() }
      writer.beginArray()
      for child in children { shape.writeJSON(child, into: &writer) }
      writer.endArray()
    }
    return Field(
      name: name, summary: summary, isNullable: true, schema: .list(of: shape.schema), key: JSONWriter.Key(name),
      writeJSON: writeJSON, columns: [.json(name, summary)],
      writeCells: { record, writer in
        if get(record).isEmpty { writer.empty() } else { writer.json { writeJSON(record, &$0) } }
      })
  }

  /// Declares an object whose keys differ from record to record. They are written in ascending order. An empty object
  /// is written as `null`. In CSV, it is one cell with the JSON text.
  package static func map<Value>(
    _ name: String, _ scalar: Scalar<Value>, _ summary: String,
    _ get: @escaping @Sendable (Record) -> [(key: String, value: Value)]
  ) -> Field {
    let writeJSON: @Sendable (Record, inout JSONWriter) -> Void = { record, writer in
      let members = get(record)
      if members.isEmpty { return writer.null() }
      writer.beginObject()
      for member in members.sorted(by: { $0.key < $1.key }) {
        writer.key(member.key)
        scalar.writeJSON(member.value, &writer)
      }
      writer.endObject()
    }
    return Field(
      name: name, summary: summary, isNullable: true,
      schema: .map(of: SchemaNode(scalar)), key: JSONWriter.Key(name), writeJSON: writeJSON,
      columns: [.json(name, summary)],
      writeCells: { record, writer in
        if get(record).isEmpty { writer.empty() } else { writer.json { writeJSON(record, &$0) } }
      })
  }
}

extension Field {
  /// Declares a value of a type with its own schema. In CSV, it is one cell with the JSON text.
  package init(
    _ name: String, _ schema: SchemaNode, isNullable: Bool = false, definitions: [String: SchemaNode],
    _ writeJSON: @escaping @Sendable (Record, inout JSONWriter) -> Void
  ) {
    self.init(
      name: name, summary: "", isNullable: isNullable, schema: schema, key: JSONWriter.Key(name), writeJSON: writeJSON,
      columns: [.json(name, "")], writeCells: { record, writer in writer.json { writeJSON(record, &$0) } },
      definitions: definitions)
  }

  /// Converts the field to a field of an enclosing record. `part` returns the inner record.
  package func of<Whole>(_ part: @escaping @Sendable (Whole) -> Record) -> Field<Whole> {
    var field = Field<Whole>(
      name: name, summary: summary, isNullable: isNullable, schema: schema, key: key,
      writeJSON: { writeJSON(part($0), &$1) }, columns: columns, writeCells: { writeCells(part($0), &$1) },
      definitions: definitions)
    if let writeIfAny { field.writeIfAny = { writeIfAny(part($0), &$1) } }
    return field
  }
}

extension Column {
  static func list(_ name: String, _ summary: String) -> Column {
    Column(name: name, summary: "\(summary) Joined by “ / ”.", type: "string")
  }

  static func json(_ name: String, _ summary: String) -> Column {
    Column(name: name, summary: "\(summary) As JSON text.", type: "string")
  }

  /// Returns the column of a nested record, with the record's name as a prefix.
  func within(_ name: String) -> Column { Column(name: "\(name)_\(self.name)", summary: summary, type: type) }
}

extension CSVWriter {
  mutating func json(_ write: (inout JSONWriter) -> Void) {
    var json = JSONWriter()
    write(&json)
    escapedText(json.text)
  }
}
