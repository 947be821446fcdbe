internal import Foundation
internal import GRDB
public import Platform
public import ResultStore
internal import SystemPackage

/// Replaces the times of changes in a database with given times, so that the output is the same in every run.
public struct DatabaseClock {
  private let database: DatabaseQueue
  /// All time columns.
  private let columns: [(table: String, column: String)]

  /// A time between the given times, which are earlier, and the times of the real clock, which are later.
  private static let present = 1_750_000_000_000_000_000

  public init(_ store: ResultStore) throws {
    database = try DatabaseQueue(path: store.path.string)
    columns = try database.read { db in
      try Row.fetchAll(
        db,
        sql: """
          SELECT t.name, c.name FROM sqlite_master t JOIN pragma_table_info(t.name) c
          WHERE t.type = 'table' AND t.sql NOT LIKE 'CREATE VIRTUAL%' AND c.name LIKE '%\\_ns' ESCAPE '\\'
          ORDER BY t.name, c.cid
          """
      ).map { ($0[0], $0[1]) }
    }
  }

  /// Makes a change, and sets all times that it writes to `time`.
  public func at<Value>(_ time: Timestamp, _ change: () throws -> Value) throws -> Value {
    let value = try change()
    try database.write { db in
      for (table, column) in columns {
        try db.execute(
          sql: "UPDATE \(table) SET \(column) = ? WHERE \(column) > ?",
          arguments: [time.nanoseconds, Self.present])
      }
      // Every run appears to take a minute and a half.
      try db.execute(
        sql: "UPDATE run SET finished_ns = started_ns + 90000000000 WHERE finished_ns = ?",
        arguments: [time.nanoseconds])
    }
    return value
  }

  /// Replaces the random ids of a playlist and of the library with fixed ones.
  public func rename(playlist id: String, to other: String) throws {
    try database.write { db in
      try db.execute(sql: "UPDATE playlist SET playlist_id = ? WHERE playlist_id = ?", arguments: [other, id])
      try db.execute(sql: "UPDATE library SET id = 'the library of tests'")
    }
  }
}
