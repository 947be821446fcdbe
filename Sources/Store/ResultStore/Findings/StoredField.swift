internal import Analysis
internal import Text

/// The values of declared fields, as they are stored in columns. Lists are JSON; whole numbers and flags are integers.
enum StoredField {
  static func sqlType(_ type: FieldType) -> String {
    switch type {
    case .integer, .boolean: "INTEGER"
    case .number: "REAL"
    case .blob: "BLOB"
    case .text, .json, .texts, .numbers, .textLists, .record, .records: "TEXT"
    }
  }

  /// - Parameter isNullable: `true` if numbers that are not finite become NULL; otherwise they become 0, so that one
  ///   bad number does not make a whole batch of results fail.
  static func sql(_ value: FieldValue, _ type: FieldType, isNullable: Bool, nullIfEmpty: Bool) -> SQLValue {
    if nullIfEmpty, value.isEmpty { return .null }
    switch value {
    case .null: return .null
    case .text(let value): return .text(value)
    case .integer(let value): return .integer(value)
    case .number(let value): return value.isFinite ? .real(value) : isNullable ? .null : .real(0)
    case .boolean(let value): return .flag(value)
    case .blob(let bytes): return .blob(bytes)
    case .numbers(let numbers): return .text(NumberList.text(of: numbers))
    case .json, .texts, .textLists, .record: return .text(json(value, type).text)
    case .records(let records):
      guard case .records(let type) = type else { return .null }
      return .text(type.form == .tuple ? NumberList.text(ofTuples: records) : json(value, .records(type)).text)
    }
  }

  /// Reads a value; `.null` if the column cannot be read.
  static func read(_ row: Query, _ column: Int32, as type: FieldType) -> FieldValue {
    if row.isNull(column) { return .null }
    switch type {
    case .text: return .text(row.text(column))
    case .integer: return .integer(Int(row.integer(column)))
    case .number: return .number(row.real(column))
    case .boolean: return .boolean(row.flag(column))
    case .blob: return .blob(Array(row.bytes(column)))
    case .numbers: return .numbers(NumberList.numbers(in: row.bytes(column)))
    case .records(let type) where type.isNumeric:
      return .records(NumberList.tuples(of: type.members.count, in: row.bytes(column)))
    case .json, .texts, .textLists, .record, .records:
      return (try? JSONValue(parsing: row.bytes(column))).map { value($0, type) } ?? .null
    }
  }

  // MARK: JSON

  private static func json(_ value: FieldValue, _ type: FieldType) -> JSONValue {
    switch (value, type) {
    case (.text(let value), _): .string(value)
    case (.integer(let value), _): .integer(Int64(value))
    case (.number(let value), _): value.isFinite ? .number(value) : .null
    case (.boolean(let value), _): .bool(value)
    case (.json(let value), _): value
    case (.texts(let list), _): .array(list.map { .string($0) })
    case (.numbers(let list), _): .array(list.map { .number($0) })
    case (.textLists(let lists), _): .object(lists.mapValues { .array($0.map { .string($0) }) })
    case (.record(let values), .record(let type)): json(values, type)
    case (.records(let records), .records(let type)): .array(records.map { json($0, type) })
    case (.null, _), (.blob, _), (.record, _), (.records, _): .null
    }
  }

  private static func json(_ values: [FieldValue], _ type: RecordType) -> JSONValue {
    let members = zip(type.members, values).map { ($0.name, json($1, $0.type)) }
    return .object(Dictionary(members) { _, last in last })
  }

  private static func value(_ json: JSONValue, _ type: FieldType) -> FieldValue {
    switch (type, json) {
    case (.json, _): .json(json)
    case (.text, .string(let value)): .text(value)
    case (.integer, .integer(let value)): .integer(Int(value))
    case (.number, .number(let value)): .number(value)
    case (.number, .integer(let value)): .number(Double(value))
    case (.boolean, .bool(let value)): .boolean(value)
    case (.texts, .array(let list)): .texts(texts(list))
    case (.numbers, .array(let list)):
      .numbers(list.compactMap { if case .number(let number) = value($0, .number) { number } else { nil } })
    case (.textLists, .object(let lists)):
      .textLists(lists.mapValues { if case .array(let list) = $0 { texts(list) } else { [] } })
    case (.record(let type), _): values(json, type).map { .record($0) } ?? .null
    case (.records(let type), .array(let list)): .records(list.compactMap { values($0, type) })
    default: .null
    }
  }

  private static func texts(_ list: [JSONValue]) -> [String] {
    list.compactMap { if case .string(let text) = $0 { text } else { nil } }
  }

  /// Returns `nil` if a required member is missing.
  private static func values(_ json: JSONValue, _ type: RecordType) -> [FieldValue]? {
    var values: [FieldValue] = []
    for (index, member) in type.members.enumerated() {
      let part: JSONValue? =
        switch json {
        case .array(let tuple): tuple.count == type.members.count ? tuple[index] : nil
        case .object(let members): members[member.name]
        default: nil
        }
      let found: FieldValue = part.map { value($0, member.type) } ?? .null
      if found == .null, !member.isOptional { return nil }
      values.append(found)
    }
    return values
  }
}

extension RecordType {
  /// `true` for tuples of numbers, which can be read without creating a value for each nested array.
  fileprivate var isNumeric: Bool {
    form == .tuple && members.allSatisfy { if case .number = $0.type { true } else { false } }
  }
}
