/// One field of a finding, or of a record within a finding: its name and type, and where it is stored and shown.
public struct FindingField<Finding>: Sendable {
  /// The key in reports: snake_case, with the unit at the end.
  public let name: String
  /// One sentence that describes the field in schemas.
  public let summary: String
  public let type: FieldType
  /// `true` if reports may contain `null` for the field.
  public let isNullable: Bool
  /// The name in `--include` that adds this long field to reports; `nil` for a field that is always included.
  public let long: String?
  /// The presentation in `show`, on pages and in the view `track`; `nil` if the field is not shown there.
  public let shown: Shown?
  /// The value for reports; `nil` for a field that is not in reports.
  public let report: (@Sendable (Finding, FindingContext) -> FieldValue)?
  /// Access to the exact value; `nil` for a field derived from other fields.
  public let exact: Access?
  public let storage: Storage
  /// The map entry that the field stands for; `nil` for any other field.
  var entry: Entry?

  /// A key path to a property.
  public typealias Path<Value> = any WritableKeyPath<Finding, Value> & Sendable

  /// Reads and writes a field of a finding.
  public struct Access: Sendable {
    /// `true` if the value can be absent, as opposed to empty.
    public let isOptional: Bool
    public let get: @Sendable (Finding) -> FieldValue
    /// Sets the value. The finding stays unchanged if the value has another type.
    public let set: @Sendable (inout Finding, FieldValue) -> Void

    init<Value: FieldRepresentable>(_ path: Path<Value>) {
      isOptional = Value.isNullable
      get = { $0[keyPath: path].fieldValue }
      set = { if let value = Value(fieldValue: $1) { $0[keyPath: path] = value } }
    }

    fileprivate init<Part>(_ part: FindingField<Part>.Access, in path: Path<Part>) {
      isOptional = part.isOptional
      get = { part.get($0[keyPath: path]) }
      set = { part.set(&$0[keyPath: path], $1) }
    }
  }

  /// `true` if an empty text or list counts as absent.
  var nullIfEmpty: Bool {
    if case .columns(let columns) = storage { columns.contains(where: \.nullIfEmpty) } else { false }
  }

  /// An entry of a map: one of many fields, of which most files have only a few. Iterating over the map is faster than
  /// looking up each field.
  struct Entry: Sendable {
    let map: @Sendable (Finding) -> [String: [String]]
    let value: @Sendable ([String]) -> FieldValue
  }

  /// The place where a field is stored.
  public enum Storage: Sendable {
    case none
    case columns([Column])
    /// One row for each element of a list, or for each string in a map of lists, in a separate table.
    case rows(table: String)
  }

  /// A column of a table with one row for each file.
  public struct Column: Sendable {
    /// The name of the table; `nil` for the finding's own table.
    public let table: String?
    public let name: String
    public let summary: String
    public let type: FieldType
    /// `true` if the column may be NULL, which means no value.
    public let isNullable: Bool
    /// `true` if an empty text or list is stored as NULL.
    public let nullIfEmpty: Bool
    public let isIndexed: Bool
    public let get: @Sendable (Finding) -> FieldValue
    /// Sets the value in a finding; `nil` for a derived column, which exists only for queries of the database.
    public let set: (@Sendable (inout Finding, FieldValue) -> Void)?
  }
}

/// The presentation of a value in a line such as “longest run 12 samples”.
public struct Shown: Hashable, Sendable {
  /// Text before the value.
  public var label: String?
  /// Text after the value.
  public var unit: String?
  /// The number of decimals.
  public var decimals: Int

  public init(_ label: String? = nil, unit: String? = nil, decimals: Int = 2) {
    self.label = label
    self.unit = unit
    self.decimals = decimals
  }
}

// MARK: - Declaring

extension FindingField {
  /// Declares a property as a column of the finding's table and a field of reports.
  ///
  /// A field that is added to a finding later must be an `Optional`, because earlier findings have no value for it.
  /// - Parameters:
  ///   - long: The name in `--include`, for a long list.
  ///   - isIndexed: `true` if the store should be able to search and sort by the field quickly.
  ///   - nullIfEmpty: `true` if an empty text or list is NULL in the database. It is also `null` in reports, like every
  ///     empty list.
  ///   - column: The name of the column in the database, if it differs from the name in reports.
  ///   - table: The table, with one row per file, if it is not the finding's own.
  public static func field<Value: FieldRepresentable>(
    _ name: String, _ path: Path<Value>, _ summary: String, long: String? = nil,
    shown: Shown? = nil, isIndexed: Bool = false, nullIfEmpty: Bool = false, column: String? = nil,
    table: String? = nil
  ) -> FindingField {
    let access = Access(path)
    let isNullable = Value.isNullable || nullIfEmpty
    return FindingField(
      name: name, summary: summary, type: Value.fieldType,
      isNullable: isNullable || Value.fieldType.isList || long != nil, long: long, shown: shown,
      report: { finding, _ in access.get(finding) }, exact: access,
      storage: .columns([
        Column(
          table: table, name: column ?? name, summary: summary, type: Value.fieldType, isNullable: isNullable,
          nullIfEmpty: nullIfEmpty, isIndexed: isIndexed, get: access.get, set: access.set)
      ]))
  }

  /// Declares a property that is stored but does not appear in reports. File records contain it only if requested by
  /// name.
  public static func stored<Value: FieldRepresentable>(
    _ name: String, _ path: Path<Value>, _ summary: String
  ) -> FindingField {
    let access = Access(path)
    return FindingField(
      name: name, summary: summary, type: Value.fieldType, isNullable: Value.isNullable, long: name, shown: nil,
      report: nil, exact: access,
      storage: .columns([
        Column(
          table: nil, name: name, summary: summary, type: Value.fieldType, isNullable: Value.isNullable,
          nullIfEmpty: false, isIndexed: false, get: access.get, set: access.set)
      ]))
  }

  /// Declares a column derived from the properties, which exists only for queries of the database.
  public static func column<Value: FieldRepresentable>(
    _ name: String, _ summary: String, table: String? = nil, _ value: @escaping @Sendable (Finding) -> Value
  ) -> FindingField {
    FindingField(
      name: name, summary: summary, type: Value.fieldType, isNullable: Value.isNullable, long: nil, shown: nil,
      report: nil, exact: nil,
      storage: .columns([
        Column(
          table: table, name: name, summary: summary, type: Value.fieldType, isNullable: Value.isNullable,
          nullIfEmpty: false, isIndexed: false, get: { value($0).fieldValue }, set: nil)
      ]))
  }

  /// Declares a field of reports derived from the finding and other information about the file.
  /// - Parameter long: The name in `--include`, for a long field.
  public static func derived<Value: FieldRepresentable>(
    _ name: String, _ summary: String, long: String? = nil,
    _ value: @escaping @Sendable (Finding, FindingContext) -> Value
  ) -> FindingField {
    FindingField(
      name: name, summary: summary, type: Value.fieldType,
      isNullable: Value.isNullable || Value.fieldType.isList || long != nil, long: long, shown: nil,
      report: { value($0, $1).fieldValue }, exact: nil, storage: .none)
  }

  /// Declares a field of reports that is an entry of a map. All entries of a finding must belong to the same map.
  static func entry(
    _ name: String, of map: Path<[String: [String]]>, _ type: FieldType, _ summary: String,
    _ value: @escaping @Sendable ([String]) -> FieldValue
  ) -> FindingField {
    let entry = Entry(map: { $0[keyPath: map] }, value: value)
    return FindingField(
      name: name, summary: summary, type: type, isNullable: true, long: nil, shown: nil,
      report: { finding, _ in entry.map(finding)[name].map(value) ?? .null }, exact: nil, storage: .none, entry: entry)
  }

  /// Declares a list of records, or a map of lists of strings, stored in a separate table with one row for each record
  /// or string.
  public static func rows<Value: FieldRepresentable>(
    _ name: String, _ path: Path<Value>, _ summary: String, table: String,
    long: String? = nil, isReported: Bool = true
  ) -> FindingField {
    let access = Access(path)
    let report: @Sendable (Finding, FindingContext) -> FieldValue = { finding, _ in access.get(finding) }
    return FindingField(
      name: name, summary: summary, type: Value.fieldType, isNullable: true, long: long, shown: nil,
      report: isReported ? report : nil, exact: access, storage: .rows(table: table))
  }

  /// Declares a record within the finding: an object in reports, and columns of a table.
  /// - Parameter isEmpty: Returns `true` for records that are `null` in reports.
  public static func record<Value: DeclaredRecord>(
    _ name: String, _ path: Path<Value>, _ summary: String, table: String,
    long: String? = nil, isEmpty: (@Sendable (Value) -> Bool)? = nil
  ) -> FindingField {
    let access = Access(path)
    var columns: [Column] = []
    for part in Value.fields {
      guard case .columns(let parts) = part.storage, let exact = part.exact else { continue }
      let access = Access(exact, in: path)
      columns += parts.map { column in
        Column(
          table: table, name: column.name, summary: column.summary, type: column.type, isNullable: column.isNullable,
          nullIfEmpty: column.nullIfEmpty, isIndexed: column.isIndexed, get: access.get, set: access.set)
      }
    }
    let report: @Sendable (Finding, FindingContext) -> FieldValue = { finding, _ in
      if let isEmpty, isEmpty(finding[keyPath: path]) { return .null }
      return access.get(finding)
    }
    return FindingField(
      name: name, summary: summary, type: Value.fieldType, isNullable: long != nil || isEmpty != nil, long: long,
      shown: nil, report: report, exact: access, storage: .columns(columns))
  }
}
