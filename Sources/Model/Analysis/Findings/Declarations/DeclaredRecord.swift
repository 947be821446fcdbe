/// A record within a finding, with declared fields: an element of a list, or a nested object.
public protocol DeclaredRecord: FieldRepresentable, FieldElement, Codable {
  /// Creates an empty record, whose fields are then set.
  init()
  /// One sentence that describes the record in schemas.
  static var summary: String { get }
  /// The fields in report order. A record has neither long fields nor fields that are stored as rows.
  static var fields: [FindingField<Self>] { get }
  /// The form of a list of such records in one column; JSON objects by default.
  static var form: RecordType.Form { get }
}

extension DeclaredRecord {
  public static var form: RecordType.Form { .object }

  private static var recordType: RecordType {
    RecordType(summary: summary, members: fields.map { RecordType.Member($0) }, form: form)
  }

  public static var fieldType: FieldType { .record(recordType) }
  public var fieldValue: FieldValue { .record(values) }

  public init?(fieldValue: FieldValue) {
    guard case .record(let values) = fieldValue else { return nil }
    self.init(values, Self.fields.map { $0.exact?.set })
  }

  public static var listType: FieldType { .records(recordType) }

  public static func listValue(_ list: [Self]) -> FieldValue {
    let getters = fields.map { $0.exact?.get }
    return .records(list.map { record in getters.map { $0?(record) ?? .null } })
  }

  public static func list(_ value: FieldValue) -> [Self]? {
    guard case .records(let records) = value else { return nil }
    let setters = fields.map { $0.exact?.set }
    return records.map { Self($0, setters) }
  }

  private var values: [FieldValue] { Self.fields.map { $0.exact?.get(self) ?? .null } }

  private init(_ values: [FieldValue], _ setters: [(@Sendable (inout Self, FieldValue) -> Void)?]) {
    self.init()
    for (set, value) in zip(setters, values) { set?(&self, value) }
  }
}

// MARK: - Coding

extension DeclaredRecord {
  public init(from decoder: any Decoder) throws {
    self.init()
    try FieldCoding.decode(Self.fields, into: &self, from: decoder)
  }

  public func encode(to encoder: any Encoder) throws { try FieldCoding.encode(Self.fields, of: self, to: encoder) }
}
