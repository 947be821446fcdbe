internal import Analysis
internal import GRDB
internal import System
internal import SystemPackage

/// The full-text tables. Their rows have the id of the file, and are written in the transaction that writes the file.
enum SearchIndex {
  static func indexPath(_ path: FilePath, ofFile id: Int64, in db: Database) throws {
    try Query(db, "DELETE FROM source_paths_fts WHERE rowid = ?").run(.integer(id))
    let columns = pathColumns(path)
    try Query(db, "INSERT INTO source_paths_fts (rowid, full_path, file_name) VALUES (?, ?, ?)")
      .run(.integer(id), .text(columns[0]), .text(columns[1]))
  }

  /// Path and name.
  static func pathColumns(_ path: FilePath) -> [String] {
    let name = path.withBytes { bytes in
      let start = bytes.lastIndex(of: UInt8(ascii: "/")).map { $0 + 1 } ?? 0
      return DisplayPath.text(of: UnsafeBufferPointer(rebasing: bytes[start...]))
    }
    return [DisplayPath.text(of: path), name]
  }

  /// For a file that is in the index already; others get there with their first results.
  static func renameFile(_ id: Int64, to path: FilePath, in db: Database) throws {
    let select = try Query(db, "SELECT 1 FROM source_paths_fts WHERE rowid = ?")
    if try select.first(.integer(id), body: { true }) == true { try indexPath(path, ofFile: id, in: db) }
  }

  /// Puts the words of a song into the index, or takes it out if it has none.
  static func indexSong(_ words: SongWords?, ofFile id: Int64, in db: Database) throws {
    try Query(db, "DELETE FROM songs_fts WHERE rowid = ?").run(.integer(id))
    guard let columns = songColumns(words) else { return }
    try Query(db, "INSERT INTO songs_fts (rowid, artist, title, album, album_artist) VALUES (?, ?, ?, ?, ?)").run(
      .integer(id), .text(columns[0]), .text(columns[1]), .text(columns[2]), .text(columns[3]))
  }

  /// Artist, title, album and album artist; `nil` if there are no words.
  static func songColumns(_ words: SongWords?) -> [String]? {
    guard let words else { return nil }
    let columns = [words.artist, words.title, words.album, words.albumArtist]
    return columns.allSatisfy(\.isEmpty) ? nil : columns
  }
}
