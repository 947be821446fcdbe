/// One field of a finding, or of a record within a finding: what it is called, what it holds, where it is kept and who
/// shows it.
public struct FindingField<Finding>: Sendable {
  /// The key in reports, in snake_case with the unit at the end.
  public let name: String
  /// One sentence for schemas.
  public let summary: String
  public let type: FieldType
  /// Reports may have `null` for it.
  public let isNullable: Bool
  /// The word of `--include` for a long list that reports leave out unless asked; `nil` for a field that is always
  /// there.
  public let long: String?
  /// How `show`, pages and the view `track` have it; `nil` if they do not.
  public let shown: Shown?
  /// `nil` for a field that is not in reports.
  public let report: (@Sendable (Finding, FindingContext) -> FieldValue)?
  /// Its value as it was found; `nil` for one that follows from others.
  public let exact: Access?
  public let storage: Storage
  /// For a field that is an entry of a map.
  var entry: Entry?

  /// To a property.
  public typealias Path<Value> = any WritableKeyPath<Finding, Value> & Sendable

  /// Reads and writes a field of a finding.
  public struct Access: Sendable {
    /// There may be no value, as opposed to an empty one.
    public let isOptional: Bool
    public let get: @Sendable (Finding) -> FieldValue
    /// Leaves the finding as it is if the value is of another type.
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

  /// An empty text or list counts as no value.
  var nullIfEmpty: Bool {
    if case .columns(let columns) = storage { columns.contains(where: \.nullIfEmpty) } else { false }
  }

  /// One of many fields of which most files have few: passing over a map is faster than asking it for each of them.
  struct Entry: Sendable {
    let map: @Sendable (Finding) -> [String: [String]]
    let value: @Sendable ([String]) -> FieldValue
  }

  /// The place of a field in the store.
  public enum Storage: Sendable {
    case none
    case columns([Column])
    /// One row for each element of a list, or each text of a map of lists, in a table of its own.
    case rows(table: String)
  }

  /// A column of a table with one row for each file.
  public struct Column: Sendable {
    /// `nil`: that of the finding.
    public let table: String?
    public let name: String
    public let summary: String
    public let type: FieldType
    /// It may be NULL: there is no value.
    public let isNullable: Bool
    /// An empty text or list is NULL, too.
    public let nullIfEmpty: Bool
    public let isIndexed: Bool
    public let get: @Sendable (Finding) -> FieldValue
    /// `nil` for a column that is for readers of the database only.
    public let set: (@Sendable (inout Finding, FieldValue) -> Void)?
  }
}

/// How a value stands among others: “longest run 12 samples”.
public struct Shown: Hashable, Sendable {
  /// Before the value.
  public var label: String?
  /// Behind the value.
  public var unit: String?
  /// Decimals of numbers.
  public var decimals: Int

  public init(_ label: String? = nil, unit: String? = nil, decimals: Int = 2) {
    self.label = label
    self.unit = unit
    self.decimals = decimals
  }
}

// MARK: - Declaring

extension FindingField {
  /// A property of the finding: a column of its table, and a field of reports.
  ///
  /// A field that is added to a finding later is an `Optional`: earlier findings have no value for it.
  /// - Parameters:
  ///   - long: For long lists: what `--include` calls them.
  ///   - isIndexed: The store can find and sort by it quickly.
  ///   - nullIfEmpty: An empty text or list is NULL in the database, and `null` in reports as all empty lists are.
  ///   - column: The column in the database, if its name differs from that in reports.
  ///   - table: One row for each file, where it is not that of the finding.
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

  /// A property that is kept, and neither in reports nor in the records that they are made of.
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

  /// A column that follows from the properties, for readers of the database.
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

  /// A field of reports that follows from the finding and what else is known of the file.
  /// - Parameter long: For long ones: what `--include` calls them.
  public static func derived<Value: FieldRepresentable>(
    _ name: String, _ summary: String, long: String? = nil,
    _ value: @escaping @Sendable (Finding, FindingContext) -> Value
  ) -> FindingField {
    FindingField(
      name: name, summary: summary, type: Value.fieldType,
      isNullable: Value.isNullable || Value.fieldType.isList || long != nil, long: long, shown: nil,
      report: { value($0, $1).fieldValue }, exact: nil, storage: .none)
  }

  /// A field of reports that is an entry of a map. All entries of a finding are of one map.
  static func entry(
    _ name: String, of map: Path<[String: [String]]>, _ type: FieldType, _ summary: String,
    _ value: @escaping @Sendable ([String]) -> FieldValue
  ) -> FindingField {
    let entry = Entry(map: { $0[keyPath: map] }, value: value)
    return FindingField(
      name: name, summary: summary, type: type, isNullable: true, long: nil, shown: nil,
      report: { finding, _ in entry.map(finding)[name].map(value) ?? .null }, exact: nil, storage: .none, entry: entry)
  }

  /// A list of records, or a map of lists of texts, with a table of its own: one row for each.
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

  /// A record within the finding: an object in reports, and columns of a table.
  /// - Parameter isEmpty: For which records reports have `null`.
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
