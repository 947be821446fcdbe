internal import AudioAnalysis
internal import GRDB

/// Finds files whose audio was analyzed before.
enum KnownAudioLookup {
  /// Files of one size are looked at, but not all of them: disc images and generated files may share theirs by the thousand.
  static let limit = 8

  static func candidates(
    forFile id: Int64, sizeBytes: Int64, store: ResultStore, _ db: Database
  ) throws -> [KnownAudio] {
    let own = try Query(db, columns + "WHERE f.id = ? AND f.content_id IS NOT NULL AND f.status IN ('ok', 'partial')")
    var found: [KnownAudio] = []
    try own.forEach(.integer(id)) { found += try knownAudio(own, store, db) }
    let others = try Query(
      db,
      columns + """
        WHERE f.size_bytes = ? AND f.content_id IS NOT NULL AND f.status IN ('ok', 'partial') AND f.id <> ?
        ORDER BY f.id LIMIT \(limit)
        """)
    try others.forEach(.integer(sizeBytes), .integer(id)) { found += try knownAudio(others, store, db).filter(isWhole) }
    return found
  }

  /// The newest result that nothing but the audio has shaped.
  static func first(contentID: ContentID, store: ResultStore, _ db: Database) throws -> KnownAudio? {
    let select = try Query(
      db,
      columns + """
        WHERE f.content_id = ? AND f.status IN ('ok', 'partial')
        ORDER BY f.analyzed_run DESC, f.id LIMIT \(limit)
        """)
    var found: KnownAudio?
    try select.forEach(.text(contentID.description)) {
      found = try found ?? knownAudio(select, store, db).first(where: isWhole)
    }
    return found
  }

  /// What a time limit has cut short is not for other files: they may be luckier.
  private static func isWhole(_ audio: KnownAudio) -> Bool {
    audio.problem?.mayBeCircumstances != true
  }

  static func outcomes(
    ofSet set: Int64?, store: ResultStore, _ db: Database
  ) throws -> [KnownAudio.Outcome] {
    try store.analysisSets.members(of: set, in: db).map { member in
      KnownAudio.Outcome(
        identity: member.identity, readsAudio: member.readsAudio, isFailure: member.outcome == .failed)
    }
  }

  private static let columns = """
    SELECT f.id, f.content_id, f.status, f.remarks, f.analysis_set, e.stage, e.code, e.message, \(StoredFormat.columns)
    FROM file f LEFT JOIN failure e ON e.file = f.id LEFT JOIN format m ON m.file = f.id

    """

  /// One, or none if the row makes no sense.
  private static func knownAudio(_ row: Query, _ store: ResultStore, _ db: Database) throws -> [KnownAudio] {
    guard let contentID = ContentID(row.text(1)), let status = FileAnalysis.Status(rawValue: row.text(2)) else {
      return []
    }
    return [
      KnownAudio(
        fileID: row.integer(0), contentID: contentID, status: status,
        problem: StoredProblem.read(row, stage: 5, code: 6, message: 7),
        remarks: StoredProblem.list(fromJSON: row, column: 3), format: StoredFormat.read(row, from: 8),
        outcomes: try outcomes(ofSet: row.optionalInteger(4), store: store, db))
    ]
  }
}
