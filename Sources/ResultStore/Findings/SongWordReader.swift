internal import Analysis
internal import GRDB

/// Reads from findings the words by which people look for files.
struct SongWordReader {
  private let readers: [(Int64) throws -> SongWords?]

  init(_ store: ResultStore, _ db: Database) throws {
    readers = try store.findings.types.compactMap { try Self.reader($0, store, db) }
  }

  /// `nil` if nothing is known of the file that has any.
  func words(ofFile file: Int64) throws -> SongWords? {
    for reader in readers { if let words = try reader(file) { return words } }
    return nil
  }

  private static func reader<Finding: DeclaredFinding>(
    _ type: Finding.Type, _ store: ResultStore, _ db: Database
  ) throws -> ((Int64) throws -> SongWords?)? {
    guard let words = Finding.declaration.words else { return nil }
    var select = SelectList()
    guard let finding = try FindingReader(type, long: [], existing: store.existing, &select, db) else { return nil }
    let query = try Query(db, select.sql(where: "file.id = ?"))
    return { file in
      let found = try query.first(.integer(file)) { try finding.read(query, file) } ?? nil
      return (found as? Finding).map(words)
    }
  }
}
