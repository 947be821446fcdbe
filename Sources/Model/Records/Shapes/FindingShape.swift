package import Analysis
internal import Text

extension Field<FileRecord> {
  /// Declares the field of a finding: an object under its name, or `null`.
  /// - Parameter long: The names of the long fields to include. The other long fields are `null`.
  package static func finding<Finding: DeclaredFinding>(_ type: Finding.Type, long: Set<String>) -> Field {
    let declaration = Finding.declaration
    let reportType = FieldType.record(declaration.reportType)
    let values = declaration.reportValues(long: long)
    let get: @Sendable (FileRecord) -> FieldValue = { record in
      record.findings[type].map { .record(values($0, record.context)) } ?? .null
    }
    return Field(
      name: declaration.name, summary: declaration.summary, isNullable: true, schema: SchemaNode(reportType),
      key: JSONWriter.Key(declaration.name), writeJSON: { $1.value(get($0), reportType, isNullable: true) },
      columns: reportType.columns(declaration.name, declaration.summary),
      writeCells: { $1.value(get($0), reportType, isNullable: true) })
  }
}

extension FieldType {
  fileprivate func columns(_ name: String, _ summary: String) -> [Column] {
    switch self {
    case .text, .json: [Column(name: name, summary: summary, type: "string")]
    case .integer: [Column(name: name, summary: summary, type: "integer")]
    case .number: [Column(name: name, summary: summary, type: "number")]
    case .boolean: [Column(name: name, summary: summary, type: "boolean")]
    case .blob, .texts, .numbers: [.list(name, summary)]
    case .textLists, .records: [.json(name, summary)]
    case .record(let type):
      type.members.flatMap { $0.type.columns($0.name, $0.summary) }.map { $0.within(name) }
    }
  }

  fileprivate var columnCount: Int {
    if case .record(let type) = self { type.members.reduce(0) { $0 + $1.type.columnCount } } else { 1 }
  }
}

extension SchemaNode {
  /// Creates the schema of a non-`null` value.
  fileprivate init(_ type: FieldType) {
    self =
      switch type {
      case .text: SchemaNode(Scalar.text)
      case .integer: SchemaNode(Scalar.integer)
      case .number: SchemaNode(Scalar.number)
      case .boolean: SchemaNode(Scalar.boolean)
      case .json: SchemaNode(Scalar.json)
      case .blob: .list(of: SchemaNode(Scalar.integer))
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
  /// `false` for values that a report shows as `null` wherever `null` is allowed.
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
    case .blob(let bytes):
      beginArray()
      for byte in bytes { integer(byte) }
      endArray()
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
  fileprivate mutating func value(_ value: FieldValue, _ type: FieldType, isNullable: Bool) {
    if isNullable, !value.isPresent { return empty(type) }
    switch value {
    case .null: empty(type)
    case .text(let text): self.text(text)
    case .integer(let number): integer(number)
    case .number(let number): self.number(number.isFinite ? number : 0, decimals: reportedDecimals)
    case .boolean(let flag): bool(flag)
    case .json(let value): escapedText(value.text)
    case .blob(let bytes): list(bytes) { $1.integer(Int($0)) }
    case .texts(let texts): list(texts.filter { !$0.isEmpty }) { $1.text($0) }
    case .numbers(let numbers): list(numbers.filter(\.isFinite)) { $1.number($0, decimals: reportedDecimals) }
    case .textLists, .records: json { $0.value(value, type, isNullable: false) }
    case .record(let values):
      guard case .record(let type) = type else { return }
      for (member, value) in zip(type.members, values) {
        self.value(value, member.type, isNullable: member.isNullable)
      }
    }
  }

  private mutating func empty(_ type: FieldType) {
    for _ in 0..<type.columnCount { empty() }
  }
}
