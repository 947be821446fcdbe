internal import Analysis
internal import GRDB
internal import SystemPackage

struct FindingTables: Sendable {
  struct Column: Hashable, Sendable {
    var name: String
    var type: String
    var isNullable: Bool
    var isIndexed = false
    var summary: String
  }

  struct Table: Hashable, Sendable {
    enum Key: Hashable, Sendable {
      /// A table with one row per file.
      case file
      /// A table with one list per file.
      case position
      /// A table with named lists of texts for each file.
      case nameAndPosition
    }

    var name: String
    var key: Key
    /// The columns that do not belong to the key.
    var columns: [Column]
  }

  let analyzer: String
  /// The tables. The first one belongs to the finding itself; a row in it shows that the finding exists.
  let tables: [Table]
  /// The columns in the view `track`.
  let viewColumns: [(name: String, sql: String)]

  var main: String { tables[0].name }

  init<Finding: DeclaredFinding>(_ type: Finding.Type) {
    let declaration = Finding.declaration
    analyzer = declaration.analyzer
    var tables = [Table(name: declaration.table, key: .file, columns: [])]
    var viewColumns: [(name: String, sql: String)] = []
    for field in declaration.fields {
      switch field.storage {
      case .none: break
      case .rows(let table): tables.append(Table(name: table, rowsOf: field.type))
      case .columns(let columns):
        for column in columns {
          let name = column.table ?? declaration.table
          let index = tables.firstIndex { $0.name == name } ?? tables.endIndex
          if index == tables.endIndex { tables.append(Table(name: name, key: .file, columns: [])) }
          tables[index].columns.append(
            Column(
              name: column.name, type: StoredField.sqlType(column.type), isNullable: column.isNullable,
              isIndexed: column.isIndexed, summary: column.summary))
          if column.type.isScalar, name == declaration.table, column.isIndexed || field.shown != nil {
            viewColumns.append(("\(declaration.name)_\(column.name)", "\(name).\(column.name)"))
          }
        }
      }
    }
    self.tables = tables
    self.viewColumns = viewColumns
  }
}

extension FindingTables.Table {
  /// Describes a table with one row per list element.
  fileprivate init(name: String, rowsOf type: FieldType) {
    self.name = name
    if case .records(let type) = type {
      key = .position
      columns = type.members.map {
        FindingTables.Column(
          name: $0.name, type: StoredField.sqlType($0.type), isNullable: $0.isOptional || $0.nullIfEmpty,
          summary: $0.summary)
      }
    } else {
      key = .nameAndPosition
      columns = [FindingTables.Column(name: "value", type: "TEXT", isNullable: false, summary: "")]
    }
  }

  var createSQL: String {
    let owner = "REFERENCES file (id) ON DELETE CASCADE"
    var lines: [(sql: String, summary: String)] =
      switch key {
      case .file: [("file INTEGER PRIMARY KEY \(owner)", "")]
      case .position: [("file INTEGER NOT NULL \(owner)", ""), ("position INTEGER NOT NULL", "")]
      case .nameAndPosition:
        [("file INTEGER NOT NULL \(owner)", ""), ("name TEXT NOT NULL", ""), ("position INTEGER NOT NULL", "")]
      }
    lines += columns.map { ("\($0.name) \($0.type)\($0.isNullable ? "" : " NOT NULL")", $0.summary) }
    switch key {
    case .file: break
    case .position: lines.append(("PRIMARY KEY (file, position)", ""))
    case .nameAndPosition: lines.append(("PRIMARY KEY (file, name, position)", ""))
    }
    let text = lines.enumerated().map { index, line in
      "  \(line.sql)\(index < lines.count - 1 ? "," : "")\(line.summary.isEmpty ? "" : "  -- \(line.summary)")\n"
    }.joined()
    return "CREATE TABLE \(name) (\n\(text))\(key == .file ? "" : " WITHOUT ROWID")"
  }

  /// Returns the SQL that adds a column. The column is NULL in existing rows, even if new rows must have a value.
  func addSQL(_ column: FindingTables.Column) -> String {
    "ALTER TABLE \(name) ADD COLUMN \(column.name) \(column.type)"
  }

  func indexName(_ column: FindingTables.Column) -> String { "\(name)_\(column.name)" }

  func indexSQL(_ column: FindingTables.Column) -> String {
    "CREATE INDEX \(indexName(column)) ON \(name) (\(column.name))"
  }
}

/// The declared tables and columns that exist in a database.
package struct ExistingColumns: Sendable {
  private let columns: [String: Set<String>]

  init(of findings: [FindingTables], _ db: Database) throws {
    var columns: [String: Set<String>] = [:]
    for table in Set(findings.flatMap(\.tables).map(\.name)) {
      let names = try String.fetchAll(db, sql: "SELECT name FROM pragma_table_info(?)", arguments: [table])
      if !names.isEmpty { columns[table] = Set(names) }
    }
    self.columns = columns
  }

  package func has(_ table: String) -> Bool { columns[table] != nil }
  package func has(_ column: String, of table: String) -> Bool { columns[table]?.contains(column) ?? false }
}

/// Adds everything that the declarations require and a database lacks: tables, columns, indexes, the change log, the
/// album triggers, and columns of the view `track`. Only renaming and dropping need a migration.
struct FindingSchema: Sendable {
  let findings: [FindingTables]

  /// - Throws: `failed` if a table is declared twice, or is one of the store's own tables.
  init(_ findings: [FindingTables], path: FilePath) throws(StoreError) {
    self.findings = findings
    var taken = Schema.ownTables
    for finding in findings {
      for table in finding.tables where !taken.insert(table.name).inserted {
        throw .failed(
          path: path, detail: "the finding of \(finding.analyzer) declares the table \(table.name), which is taken")
      }
    }
  }

  func update(_ database: any DatabaseWriter) throws {
    guard try !database.read(changes).isEmpty else { return }
    // Another process may have made the changes in the meantime.
    try database.write { db in for sql in try changes(in: db) { try db.execute(sql: sql) } }
  }

  /// Returns the statements in order; empty if nothing is missing.
  func changes(in db: Database) throws -> [String] {
    let existing = try ExistingColumns(of: findings, db)
    let indexes = Set(try String.fetchAll(db, sql: "SELECT name FROM sqlite_master WHERE type = 'index'"))
    var statements: [String] = []
    for table in findings.flatMap(\.tables) {
      if !existing.has(table.name) {
        statements.append(table.createSQL)
      } else {
        statements += table.columns.filter { !existing.has($0.name, of: table.name) }.map(table.addSQL)
      }
      statements += table.columns.filter { $0.isIndexed && !indexes.contains(table.indexName($0)) }.map(table.indexSQL)
    }
    statements += try ChangeLog.changes(in: db)
    if AlbumLoudness.isKept(with: findings) { statements += try AlbumLoudness.changes(in: db) }
    let shown = findings.filter { !$0.viewColumns.isEmpty }
    let viewed = Set(try String.fetchAll(db, sql: "SELECT name FROM pragma_table_info('track')"))
    if !viewed.isSuperset(of: Schema.tempoColumns + shown.flatMap(\.viewColumns).map(\.name)) {
      statements += [
        "DROP VIEW track",
        Schema.trackView(
          columns: shown.flatMap(\.viewColumns).map { "\($0.sql) AS \($0.name)" }, tables: shown.map(\.main)),
      ]
    }
    return statements
  }
}
