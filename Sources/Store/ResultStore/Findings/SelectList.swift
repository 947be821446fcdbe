/// The columns of a SELECT, in general on the table `file`, in the order in which they are asked for, and the tables they are from.
struct SelectList {
  private var columns: [String] = []
  private var tables: [String] = []

  /// - Returns: where the column is in each row.
  mutating func add(_ column: String) -> Int32 {
    columns.append(column)
    return Int32(columns.count - 1)
  }

  /// Columns that follow each other.
  /// - Returns: where the first is.
  mutating func add(_ columns: [String]) -> Int32 {
    defer { self.columns += columns }
    return Int32(self.columns.count)
  }

  /// A column of a table with one row for each file.
  mutating func add(_ column: String, of table: String) -> Int32 {
    if !tables.contains(table) { tables.append(table) }
    return add("\(table).\(column)")
  }

  /// - Parameter joins: Further tables.
  func sql(from table: String = "file", joining joins: String = "", where condition: String) -> String {
    let joined = tables.map { "LEFT JOIN \($0) ON \($0).file = file.id" }.joined(separator: "\n")
    return "SELECT \(columns.joined(separator: ", "))\nFROM \(table)\n\(joined)\n\(joins)\nWHERE \(condition)"
  }
}
