internal import Analysis
internal import GRDB

/// Finds intact files whose audio was analyzed before. The findings of a damaged file are not reused for other files.
enum KnownAudioLookup {
  /// Limits on the candidates of one size; thousands of disc images or generated files may have the same size. The
  /// lookup reads the first `maxSameSize` files of a size, decoded or not, and uses at most `limit` decoded ones.
  static let (limit, maxSameSize) = (8, 64)

  static func candidates(
    forFile id: Int64, sizeBytes: Int64, store: ResultStore, _ db: Database
  ) throws -> [KnownAudio] {
    let own = try Query(db, columns + "f.id = ?")
    var found: [KnownAudio] = []
    try own.forEachRow(.integer(id)) { found += try knownAudio(own, store, db) }
    // The condition on the content id lets SQLite use the index.
    let others = try Query(
      db,
      columns + """
        f.id IN (SELECT id FROM file WHERE size_bytes = ? AND content_id IS NOT NULL AND id <> ? ORDER BY id LIMIT \(maxSameSize))
        ORDER BY f.id LIMIT \(limit)
        """)
    try others.forEachRow(.integer(sizeBytes), .integer(id)) { found += try knownAudio(others, store, db) }
    return found
  }

  /// Returns the intact file with this decoding id that was analyzed last; `nil` if there is none.
  static func first(decodingID: ContentID, store: ResultStore, _ db: Database) throws -> KnownAudio? {
    let select = try Query(db, columns + "f.decoding_id = ? ORDER BY f.analyzed_run DESC, f.id LIMIT 1")
    return try select.first(.text(decodingID.description)) { try knownAudio(select, store, db).first } ?? nil
  }

  /// Returns the analyzers that did not fail in a set: all of them, or only those that read audio.
  static func analyzers(
    ofSet set: Int64?, readingAudio: Bool = false, store: ResultStore, _ db: Database
  ) throws -> Set<AnalyzerIdentity> {
    let members = try store.analysisSets.members(of: set, in: db)
    return Set(members.filter { $0.outcome != .failed && ($0.readsAudio || !readingAudio) }.map(\.identity))
  }

  private static let columns = """
    SELECT f.decoding_id, f.remarks, f.analysis_set, \(StoredFormat.columns)
    FROM file f LEFT JOIN format m ON m.file = f.id
    WHERE f.status = 'ok' AND f.decoding_id IS NOT NULL AND 
    """

  /// Returns one element, or none if the row is invalid.
  private static func knownAudio(_ row: Query, _ store: ResultStore, _ db: Database) throws -> [KnownAudio] {
    guard let decodingID = ContentID(row.text(0)) else { return [] }
    return [
      KnownAudio(
        decodingID: decodingID,
        analyzers: try analyzers(ofSet: row.optionalInteger(2), readingAudio: true, store: store, db),
        format: StoredFormat.read(row, from: 3), remarks: StoredProblem.list(fromJSON: row, column: 1))
    ]
  }
}
