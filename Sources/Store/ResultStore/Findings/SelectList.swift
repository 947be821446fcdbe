/// The columns of a SELECT, in the order in which they are added, and the tables they come from. The main table is
/// usually `file`.
struct SelectList {
  private var columns: [String] = []
  private var tables: [String] = []

  /// - Returns: Index of the column in each row.
  mutating func add(_ column: String) -> Int32 {
    columns.append(column)
    return Int32(columns.count - 1)
  }

  /// Adds adjacent columns.
  /// - Returns: Index of the first one.
  mutating func add(_ columns: [String]) -> Int32 {
    defer { self.columns += columns }
    return Int32(self.columns.count)
  }

  /// Adds a column of a table with one row per file.
  mutating func add(_ column: String, of table: String) -> Int32 {
    if !tables.contains(table) { tables.append(table) }
    return add("\(table).\(column)")
  }

  /// - Parameter joins: Additional tables.
  func sql(from table: String = "file", joining joins: String = "", where condition: String) -> String {
    let joined = tables.map { "LEFT JOIN \($0) ON \($0).file = file.id" }.joined(separator: "\n")
    return "SELECT \(columns.joined(separator: ", "))\nFROM \(table)\n\(joined)\n\(joins)\nWHERE \(condition)"
  }
}
