internal import Analysis
internal import Text

/// A finding with what its fields in reports may need to know of the file.
struct ReportedFinding<Finding: DeclaredFinding> {
  let finding: Finding
  let context: FindingContext
}

extension Field<FileRecord> {
  /// A declared finding: an object under its name, or `null`.
  /// - Parameter long: The long fields to show; others are `null`.
  static func finding<Finding: DeclaredFinding>(_ type: Finding.Type, long: Set<String>) -> Field {
    let declaration = Finding.declaration
    let shape = Shape<ReportedFinding<Finding>>(
      summary: declaration.summary,
      fields: declaration.fields.compactMap { field in
        field.report.map { report in
          let isOmitted = field.long.map { !long.contains($0) } ?? false
          return Field<ReportedFinding<Finding>>(
            field.name, field.type, isNullable: field.isNullable, field.summary
          ) { isOmitted ? .null : report($0.finding, $0.context) }
        }
      })
    return .optionalObject(declaration.name, shape, declaration.summary) { record in
      record.findings[type].map { ReportedFinding(finding: $0, context: record.context) }
    }
  }
}

extension Field {
  /// A field of a declared type.
  fileprivate init(
    _ name: String, _ type: FieldType, isNullable: Bool, _ summary: String,
    _ get: @escaping @Sendable (Record) -> FieldValue
  ) {
    let columns = type.columns(name, summary)
    self.init(
      name: name, summary: summary, isNullable: isNullable, schema: SchemaNode(type), key: JSONWriter.Key(name),
      writeJSON: { $1.value(get($0), type, isNullable: isNullable) }, columns: columns,
      writeCells: { $1.value(get($0), type, isNullable: isNullable, columnCount: columns.count) })
  }
}

extension FieldType {
  /// Of a CSV report.
  fileprivate func columns(_ name: String, _ summary: String) -> [Column] {
    switch self {
    case .text, .blob, .json: [Column(name: name, summary: summary, type: "string")]
    case .integer: [Column(name: name, summary: summary, type: "integer")]
    case .number: [Column(name: name, summary: summary, type: "number")]
    case .boolean: [Column(name: name, summary: summary, type: "boolean")]
    case .texts, .numbers: [.list(name, summary)]
    case .textLists, .records: [.json(name, summary)]
    case .record(let type):
      type.members.flatMap { $0.type.columns($0.name, $0.summary) }.map { $0.within(name) }
    }
  }
}

extension SchemaNode {
  /// The schema of a value that is not `null`.
  fileprivate init(_ type: FieldType) {
    self =
      switch type {
      case .text, .blob: SchemaNode(Scalar.text)
      case .integer: SchemaNode(Scalar.integer)
      case .number: SchemaNode(Scalar.number)
      case .boolean: SchemaNode(Scalar.boolean)
      case .json: SchemaNode(Scalar.json)
      case .texts: .list(of: SchemaNode(Scalar.text))
      case .numbers: .list(of: SchemaNode(Scalar.number))
      case .textLists: .map(of: .list(of: SchemaNode(Scalar.text)))
      case .record(let type): SchemaNode(type)
      case .records(let type): .list(of: SchemaNode(type))
      }
  }

  private init(_ type: RecordType) {
    self = .record(
      type.summary,
      type.members.map { member in
        let node = SchemaNode(member.type)
        return (member.name, (member.isNullable ? node.orNull : node).described(member.summary))
      })
  }
}

extension FieldValue {
  /// False for what a report shows as `null` where there can be `null`.
  fileprivate var isPresent: Bool {
    switch self {
    case .number(let number): number.isFinite
    case .json(let value): value != .null
    case .texts(let list): list.contains { !$0.isEmpty }
    case .numbers(let list): list.contains(where: \.isFinite)
    case .null, .text, .integer, .boolean, .blob, .textLists, .record, .records: !isEmpty
    }
  }
}

extension JSONWriter {
  fileprivate mutating func value(_ value: FieldValue, _ type: FieldType, isNullable: Bool) {
    if isNullable, !value.isPresent { return null() }
    switch value {
    case .null: null()
    case .text(let text): string(text)
    case .integer(let number): integer(number)
    case .number(let number): self.number(number.isFinite ? number : 0, decimals: reportedDecimals)
    case .boolean(let flag): bool(flag)
    case .json(let value): self.value(value)
    case .blob: null()
    case .texts(let list):
      beginArray()
      for text in list where !text.isEmpty { string(text) }
      endArray()
    case .numbers(let list):
      beginArray()
      for number in list where number.isFinite { self.number(number, decimals: reportedDecimals) }
      endArray()
    case .textLists(let lists):
      beginObject()
      for (name, list) in lists.sorted(by: { $0.key < $1.key }) {
        key(name)
        beginArray()
        for text in list { string(text) }
        endArray()
      }
      endObject()
    case .record(let values):
      guard case .record(let type) = type else { return null() }
      record(values, type)
    case .records(let records):
      guard case .records(let type) = type else { return null() }
      beginArray()
      for values in records { record(values, type) }
      endArray()
    }
  }

  private mutating func record(_ values: [FieldValue], _ type: RecordType) {
    beginObject()
    for (member, value) in zip(type.members, values) {
      key(member.key)
      self.value(value, member.type, isNullable: member.isNullable)
    }
    endObject()
  }
}

extension CSVWriter {
  fileprivate mutating func value(_ value: FieldValue, _ type: FieldType, isNullable: Bool, columnCount: Int) {
    if isNullable, !value.isPresent {
      for _ in 0..<columnCount { empty() }
      return
    }
    switch value {
    case .null, .blob: for _ in 0..<columnCount { empty() }
    case .text(let text): self.text(text)
    case .integer(let number): integer(number)
    case .number(let number): self.number(number.isFinite ? number : 0, decimals: reportedDecimals)
    case .boolean(let flag): bool(flag)
    case .json(let value): escapedText(value.text)
    case .texts(let texts): list(texts.filter { !$0.isEmpty }) { $1.text($0) }
    case .numbers(let numbers): list(numbers.filter(\.isFinite)) { $1.number($0, decimals: reportedDecimals) }
    case .textLists, .records: json { $0.value(value, type, isNullable: false) }
    case .record(let values):
      guard case .record(let type) = type else { return }
      for (member, value) in zip(type.members, values) {
        self.value(
          value, member.type, isNullable: member.isNullable, columnCount: member.type.columns("", "").count)
      }
    }
  }
}
