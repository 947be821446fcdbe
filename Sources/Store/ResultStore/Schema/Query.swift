package import GRDB
internal import GRDBSQLite
internal import Platform
package import SystemPackage

/// A value to bind to a parameter of a statement.
package enum SQLValue {
  case null
  case integer(Int64)
  case real(Double)
  case text(String)
  case blob([UInt8])
  case path(FilePath)
  /// The argument of the function in `TrackSet.condition`.
  case tracks(TrackSet.Argument)

  /// Returns a JSON array for `json_each`.
  package static func list(_ ids: [Int64]) -> SQLValue { .text("[\(ids.map { String($0) }.joined(separator: ","))]") }
  package static func list(_ ids: [String]) -> SQLValue { .text(NameList.list(ids) ?? "[]") }

  package static func integer(_ value: Int) -> SQLValue { .integer(Int64(value)) }
  package static func integer(_ value: Int?) -> SQLValue { value.map { .integer(Int64($0)) } ?? .null }
  package static func integer(_ value: Int64?) -> SQLValue { value.map { .integer($0) } ?? .null }
  /// Returns an integer if the value is a whole number, because SQLite compares integers with integers faster.
  package static func number(_ value: Double) -> SQLValue { Int64(exactly: value).map { .integer($0) } ?? .real(value) }
  package static func flag(_ value: Bool) -> SQLValue { .integer(value ? 1 : 0) }
  package static func text(_ value: String?) -> SQLValue { value.map { .text($0) } ?? .null }
  package static func real(_ value: Double?) -> SQLValue { value.map { .real($0) } ?? .null }
}

/// A prepared statement from a connection's cache. It binds values and reads columns in place; GRDB's own arguments and
/// rows allocate memory for each value, which a scan of a large library cannot afford.
package struct Query {
  private let statement: Statement
  private let database: Database

  package init(_ database: Database, _ sql: String) throws {
    self.database = database
    statement = try database.cachedStatement(sql: sql)
  }

  private var handle: OpaquePointer { statement.sqliteStatement }

  /// Runs a statement that returns no rows.
  package func run(_ values: SQLValue...) throws { try run(values) }

  package func run(_ values: [SQLValue]) throws {
    try bind(values)
    defer { sqlite3_reset(handle) }
    while try step() {}
  }

  /// Calls `body` for each row. Columns are read from this query.
  package func forEachRow(_ values: SQLValue..., body: () throws -> Void) throws { try forEachRow(values, body: body) }

  package func forEachRow(_ values: [SQLValue], body: () throws -> Void) throws {
    try bind(values)
    defer { sqlite3_reset(handle) }
    while try step() { try body() }
  }

  /// Calls `body` for each row until it returns `false`.
  package func forEachWhile(_ values: [SQLValue], body: () throws -> Bool) throws {
    try bind(values)
    defer { sqlite3_reset(handle) }
    while try step(), try body() {}
  }

  /// Returns the result of `body` for the first row; `nil` if there is none.
  package func first<Result>(_ values: SQLValue..., body: () throws -> Result) throws -> Result? {
    try first(values, body: body)
  }

  package func first<Result>(_ values: [SQLValue], body: () throws -> Result) throws -> Result? {
    try bind(values)
    defer { sqlite3_reset(handle) }
    return try step() ? try body() : nil
  }

  package func isNull(_ column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_NULL }
  package func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }
  package func optionalInteger(_ column: Int32) -> Int64? { isNull(column) ? nil : integer(column) }
  package func flag(_ column: Int32) -> Bool { integer(column) != 0 }
  package func real(_ column: Int32) -> Double { sqlite3_column_double(handle, column) }
  package func optionalReal(_ column: Int32) -> Double? { isNull(column) ? nil : real(column) }

  /// Returns the text of a column; empty for NULL.
  package func text(_ column: Int32) -> String { String(decoding: bytes(column), as: UTF8.self) }
  package func optionalText(_ column: Int32) -> String? { isNull(column) ? nil : text(column) }
  package func path(_ column: Int32) -> FilePath { FilePath(bytes: bytes(column)) }

  /// Returns the bytes of a text or blob. They are valid until the next step.
  package func bytes(_ column: Int32) -> UnsafeBufferPointer<UInt8> {
    let start = sqlite3_column_blob(handle, column)?.assumingMemoryBound(to: UInt8.self)
    return UnsafeBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column)))
  }

  private func step() throws -> Bool {
    switch sqlite3_step(handle) {
    case SQLITE_ROW: true
    case SQLITE_DONE: false
    case let code: throw error(code)
    }
  }

  private func bind(_ values: [SQLValue]) throws {
    // `SQLITE_TRANSIENT`: SQLite copies the value.
    let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
    for (offset, value) in values.enumerated() {
      let index = Int32(offset + 1)
      let code =
        switch value {
        case .null: sqlite3_bind_null(handle, index)
        case .integer(let value): sqlite3_bind_int64(handle, index, value)
        case .real(let value): sqlite3_bind_double(handle, index, value)
        case .text(var value):
          value.withUTF8 { utf8 in
            utf8.withMemoryRebound(to: CChar.self) {
              sqlite3_bind_text(handle, index, $0.baseAddress ?? emptyText, Int32(clamping: $0.count), copied)
            }
          }
        case .blob(let value):
          value.isEmpty
            ? sqlite3_bind_zeroblob(handle, index, 0)
            : value.withUnsafeBytes {
              sqlite3_bind_blob(handle, index, $0.baseAddress, Int32(clamping: $0.count), copied)
            }
        case .path(let value):
          value.withBytes { sqlite3_bind_blob(handle, index, $0.baseAddress, Int32(clamping: $0.count), copied) }
        case .tracks(let set): sqlite3_bind_pointer(handle, index, set.pointer, TrackSet.pointerType, nil)
        }
      guard code == SQLITE_OK else { throw error(code) }
    }
  }

  private func error(_ code: Int32) -> DatabaseError {
    DatabaseError(
      resultCode: ResultCode(rawValue: code),
      message: database.sqliteConnection.map { String(cString: sqlite3_errmsg($0)) }, sql: statement.sql)
  }
}

/// A pointer for an empty text that is not NULL.
nonisolated(unsafe) private let emptyText: UnsafePointer<CChar> = {
  let text = UnsafeMutablePointer<CChar>.allocate(capacity: 1)
  text.initialize(to: 0)
  return UnsafePointer(text)
}()
