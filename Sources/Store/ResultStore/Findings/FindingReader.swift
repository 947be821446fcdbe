internal import Analysis
internal import GRDB

/// Reads one kind of declared finding from the rows of a statement.
struct FindingReader {
  /// Returns the finding; `nil` if the file does not have one of this kind.
  let read: (_ row: Query, _ file: Int64) throws -> (any DeclaredFinding)?

  /// Returns `nil` if the database lacks the table of the finding.
  /// - Parameters:
  ///   - long: Names of the long fields to read; `nil` for all.
  ///   - select: Receives the columns to read.
  init?<Finding: DeclaredFinding>(
    _ type: Finding.Type, long: Set<String>?, existing: ExistingColumns, _ select: inout SelectList, _ db: Database
  ) throws {
    let declaration = Finding.declaration
    guard existing.has(declaration.table) else { return nil }
    let presence = select.add("file", of: declaration.table)
    var columns: [StoredColumn<Finding>] = []
    var lists: [StoredRows<Finding>] = []
    for field in declaration.fields where field.long.map({ long?.contains($0) ?? true }) ?? true {
      switch field.storage {
      case .none: break
      case .columns(let parts):
        for part in parts {
          let table = part.table ?? declaration.table
          guard let set = part.set, existing.has(part.name, of: table) else { continue }
          columns.append(StoredColumn(position: select.add(part.name, of: table), type: part.type, set: set))
        }
      case .rows(let table):
        guard let exact = field.exact, existing.has(table) else { continue }
        lists.append(try StoredRows(table, field.type, exact.set, db))
      }
    }
    read = { row, file in
      if row.isNull(presence) { return nil }
      var finding = Finding()
      for column in columns { column.set(&finding, StoredField.read(row, column.position, as: column.type)) }
      for list in lists { list.set(&finding, try list.value(ofFile: file)) }
      return finding
    }
  }
}

private struct StoredColumn<Finding> {
  let position: Int32
  let type: FieldType
  let set: @Sendable (inout Finding, FieldValue) -> Void
}

/// A field whose elements are rows of a table.
private struct StoredRows<Finding> {
  let rows: Query
  let type: FieldType
  let set: @Sendable (inout Finding, FieldValue) -> Void

  init(
    _ table: String, _ type: FieldType, _ set: @escaping @Sendable (inout Finding, FieldValue) -> Void, _ db: Database
  ) throws {
    self.type = type
    self.set = set
    if case .records(let type) = type {
      let columns = type.members.map(\.name).joined(separator: ", ")
      rows = try Query(db, "SELECT \(columns) FROM \(table) WHERE file = ? ORDER BY position")
    } else {
      rows = try Query(db, "SELECT name, position, value FROM \(table) WHERE file = ? ORDER BY name, position")
    }
  }

  func value(ofFile file: Int64) throws -> FieldValue {
    guard case .records(let type) = type else { return .textLists(try textLists(ofFile: file)) }
    var records: [[FieldValue]] = []
    try rows.forEachRow(.integer(file)) {
      records.append(type.members.enumerated().map { StoredField.read(rows, Int32($0), as: $1.type) })
    }
    return .records(records)
  }

  private func textLists(ofFile file: Int64) throws -> [String: [String]] {
    var lists: [String: [String]] = [:]
    // Rows with the same name are adjacent.
    var name: String?
    var values: [String] = []
    func flush() {
      if let name { lists[name] = values }
      values.removeAll()
    }
    try rows.forEachRow(.integer(file)) {
      if rows.integer(1) == 0 {
        flush()
        name = rows.text(0)
      }
      values.append(rows.text(2))
    }
    flush()
    return lists
  }
}
