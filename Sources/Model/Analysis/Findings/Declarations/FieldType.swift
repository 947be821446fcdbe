public import Text

/// The type of a field of a finding. The store, reports and pages each have their own representation of it.
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
  /// Lists of strings by name. The names differ from file to file.
  case textLists
  case record(RecordType)
  case records(RecordType)
}

/// The type of the records in a field.
public struct RecordType: Sendable {
  /// A member of the record. It is a class because reports iterate over dozens of members for each file, and would
  /// otherwise copy strings and types.
  public final class Member: Sendable {
    public let name: String
    public let summary: String
    public let type: FieldType
    /// `true` if reports may contain `null` for the member.
    public let isNullable: Bool
    /// `true` if the value can be absent, as opposed to empty.
    public let isOptional: Bool
    /// `true` if an empty text or list counts as absent.
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

  /// The representation of a list of records in one column.
  public enum Form: Hashable, Sendable {
    /// JSON arrays of the members' values, in the order of the members.
    case tuple
    /// JSON objects.
    case object
  }

  public let summary: String
  public let members: [Member]
  public let form: Form
}

extension FieldType {
  /// `true` for list types. Empty lists are `null` in reports.
  public var isList: Bool {
    switch self {
    case .blob, .texts, .numbers, .textLists, .records: true
    case .text, .integer, .number, .boolean, .json, .record: false
    }
  }

  /// `true` for single values that can be compared and sorted.
  public var isScalar: Bool {
    switch self {
    case .text, .integer, .number, .boolean: true
    case .json, .blob, .texts, .numbers, .textLists, .record, .records: false
    }
  }
}

/// The value of a field as it is passed between a finding and the store or a report.
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
  /// The values of a record, in the order of its members.
  case record([FieldValue])
  case records([[FieldValue]])

  /// `true` for null, an empty text, or an empty list.
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
