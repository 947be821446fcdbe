public import Text

/// The type of a field of a finding: the store, reports and pages each have their own form for it.
public indirect enum FieldType: Sendable {
  case text
  case integer
  case number
  case boolean
  /// Any JSON value.
  case json
  /// Bytes: a BLOB in the store, whole numbers from 0 to 255 in reports.
  case blob
  case texts
  case numbers
  /// Lists of texts under names that are data.
  case textLists
  case record(RecordType)
  case records(RecordType)
}

/// The parts of the records of a field.
public struct RecordType: Sendable {
  /// A class, since reports pass over dozens of them for each file: texts and types are not copied.
  public final class Member: Sendable {
    public let name: String
    public let summary: String
    public let type: FieldType
    /// Reports may have `null` for it.
    public let isNullable: Bool
    /// There may be no value, as opposed to an empty one.
    public let isOptional: Bool
    /// An empty text or list counts as no value.
    public let nullIfEmpty: Bool
    public let key: JSONWriter.Key

    init<Root>(_ field: FindingField<Root>) {
      name = field.name
      summary = field.summary
      type = field.type
      isNullable = field.isNullable
      isOptional = field.exact?.isOptional ?? true
      nullIfEmpty = field.nullIfEmpty
      key = JSONWriter.Key(field.name)
    }
  }

  /// How a list of records stands in one column.
  public enum Form: Hashable, Sendable {
    /// As a JSON array of the members' values, in their order.
    case tuple
    /// As a JSON object.
    case object
  }

  public let summary: String
  public let members: [Member]
  public let form: Form
}

extension FieldType {
  /// An empty list of this type stands for nothing.
  public var isList: Bool {
    switch self {
    case .blob, .texts, .numbers, .textLists, .records: true
    case .text, .integer, .number, .boolean, .json, .record: false
    }
  }

  /// One value that can be compared and sorted by.
  public var isScalar: Bool {
    switch self {
    case .text, .integer, .number, .boolean: true
    case .json, .blob, .texts, .numbers, .textLists, .record, .records: false
    }
  }
}

/// The value of a field, on its way between a finding and the store or a report.
public enum FieldValue: Hashable, Sendable {
  case null
  case text(String)
  case integer(Int)
  case number(Double)
  case boolean(Bool)
  case json(JSONValue)
  case blob([UInt8])
  case texts([String])
  case numbers([Double])
  case textLists([String: [String]])
  /// Values in the order of the members.
  case record([FieldValue])
  case records([[FieldValue]])

  /// Nothing, or text or a list without content.
  public var isEmpty: Bool {
    switch self {
    case .null: true
    case .text(let text): text.isEmpty
    case .blob(let bytes): bytes.isEmpty
    case .texts(let list): list.isEmpty
    case .numbers(let list): list.isEmpty
    case .textLists(let lists): lists.isEmpty
    case .records(let records): records.isEmpty
    case .integer, .number, .boolean, .json, .record: false
    }
  }
}
