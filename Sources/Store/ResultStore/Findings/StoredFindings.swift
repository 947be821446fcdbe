internal import Analysis
internal import GRDB
internal import Text

/// Stores findings: declared findings in their own tables, all others as JSON in the table `finding`.
struct StoredFindings: Sendable {
  /// Types in report order.
  let types: [any DeclaredFinding.Type]
  let tables: [FindingTables]
  private let kinds: [String: Kind]

  private struct Kind: Sendable {
    var tables: FindingTables
    /// Inserts a finding. Returns `false` if it has another type.
    var insert: @Sendable (any AnalysisFinding, _ file: Int64, Database) throws -> Bool
  }

  init(_ types: [any DeclaredFinding.Type]) {
    self.types = types
    let kinds = types.map { Self.kind($0) }
    tables = kinds.map(\.tables)
    self.kinds = Dictionary(kinds.map { ($0.tables.analyzer, $0) }) { first, _ in first }
  }

  func write(_ finding: any AnalysisFinding, of analyzer: AnalyzerIdentity, file: Int64, in db: Database) throws {
    try remove(analyzer.id, file: file, in: db)
    if let kind = kinds[analyzer.id], try kind.insert(finding, file, db) { return }
    try Query(
      db, "INSERT INTO finding (file, analyzer, version, configuration_digest, value) VALUES (?, ?, ?, ?, ?)"
    ).run(
      .integer(file), .text(analyzer.id), .integer(analyzer.version), .text(analyzer.digest),
      .text(try JSONValue(encoding: finding).text))
  }

  func remove(_ analyzer: String, file: Int64, in db: Database) throws {
    // Removes findings of another type, and those stored before the analyzer was declared.
    try Query(db, "DELETE FROM finding WHERE file = ? AND analyzer = ?").run(.integer(file), .text(analyzer))
    guard let kind = kinds[analyzer] else { return }
    for table in kind.tables.tables {
      try Query(db, "DELETE FROM \(table.name) WHERE file = ?").run(.integer(file))
    }
  }

  /// Copies, from another file, the findings of an analyzer that reads audio.
  func copy(_ analyzer: String, from source: Int64, to file: Int64, in db: Database) throws {
    try remove(analyzer, file: file, in: db)
    for table in kinds[analyzer]?.tables.tables ?? [] {
      let columns = table.allColumns.joined(separator: ", ")
      try Query(
        db, "INSERT INTO \(table.name) (file, \(columns)) SELECT ?, \(columns) FROM \(table.name) WHERE file = ?"
      ).run(.integer(file), .integer(source))
    }
    try Query(
      db,
      """
      INSERT INTO finding (file, analyzer, version, configuration_digest, value)
      SELECT ?, analyzer, version, configuration_digest, value FROM finding WHERE file = ? AND analyzer = ?
      """
    ).run(.integer(file), .integer(source), .text(analyzer))
  }

  private static func kind<Finding: DeclaredFinding>(_ type: Finding.Type) -> Kind {
    let declaration = Finding.declaration
    let tables = FindingTables(type)
    let rows = FindingRow.all(of: declaration)
    let lists = declaration.fields.compactMap { FindingList($0) }
    return Kind(
      tables: tables,
      insert: { finding, file, db in
        guard let finding = finding as? Finding else { return false }
        for row in rows { try row.insert(finding, file, db) }
        for list in lists { try list.insert(finding, file, db) }
        return true
      })
  }
}

extension FindingTables.Table {
  /// All columns except `file`.
  fileprivate var allColumns: [String] {
    let key: [String] =
      switch key {
      case .file: []
      case .position: ["position"]
      case .nameAndPosition: ["name", "position"]
      }
    return key + columns.map(\.name)
  }
}

/// A table with one row per file.
private struct FindingRow<Finding>: Sendable {
  private let sql: String
  private let columns: [FindingField<Finding>.Column]

  static func all(of declaration: FindingDeclaration<Finding>) -> [FindingRow] where Finding: DeclaredFinding {
    var tables = [declaration.table]
    var columns: [String: [FindingField<Finding>.Column]] = [:]
    for field in declaration.fields {
      guard case .columns(let parts) = field.storage else { continue }
      for part in parts {
        let table = part.table ?? declaration.table
        if !tables.contains(table) { tables.append(table) }
        columns[table, default: []].append(part)
      }
    }
    return tables.map { FindingRow($0, columns[$0] ?? []) }
  }

  private init(_ table: String, _ columns: [FindingField<Finding>.Column]) {
    self.columns = columns
    let names = ["file"] + columns.map(\.name)
    sql = """
      INSERT INTO \(table) (\(names.joined(separator: ", "))) \
      VALUES (\(names.map { _ in "?" }.joined(separator: ", ")))
      """
  }

  func insert(_ finding: Finding, _ file: Int64, _ db: Database) throws {
    let values = columns.map {
      StoredField.sql($0.get(finding), $0.type, isNullable: $0.isNullable, nullIfEmpty: $0.nullIfEmpty)
    }
    try Query(db, sql).run([.integer(file)] + values)
  }
}

/// A table with one row per list element.
private struct FindingList<Finding>: Sendable {
  private let sql: String
  private let members: [RecordType.Member]
  private let get: @Sendable (Finding) -> FieldValue

  /// Returns `nil` for a field that is not stored as rows.
  init?(_ field: FindingField<Finding>) {
    guard case .rows(let table) = field.storage, let exact = field.exact else { return nil }
    get = exact.get
    if case .records(let type) = field.type {
      members = type.members
      let names = ["file", "position"] + members.map(\.name)
      sql = """
        INSERT INTO \(table) (\(names.joined(separator: ", "))) \
        VALUES (\(names.map { _ in "?" }.joined(separator: ", ")))
        """
    } else {
      members = []
      sql = "INSERT INTO \(table) (file, name, position, value) VALUES (?, ?, ?, ?)"
    }
  }

  func insert(_ finding: Finding, _ file: Int64, _ db: Database) throws {
    let value = get(finding)
    if value.isEmpty { return }
    let insert = try Query(db, sql)
    switch value {
    case .records(let records):
      for (position, record) in records.enumerated() {
        let values = zip(members, record).map { member, value in
          StoredField.sql(
            value, member.type, isNullable: member.isOptional || member.nullIfEmpty, nullIfEmpty: member.nullIfEmpty)
        }
        try insert.run([.integer(file), .integer(position)] + values)
      }
    case .textLists(let lists):
      for (name, values) in lists {
        for (position, value) in values.enumerated() {
          try insert.run(.integer(file), .text(name), .integer(position), .text(value))
        }
      }
    default: break
    }
  }
}
