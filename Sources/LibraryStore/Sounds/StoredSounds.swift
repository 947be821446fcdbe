public import Analysis
internal import GRDB
public import ResultStore

/// The audio of a library that can be compared by sound, each with one of its files.
public struct StoredSounds: Sendable {
  /// Ids of rows of `file`, by the order of their content ids.
  public var files: [Int64] = []
  public var contents: [ContentID] = []
  /// Seconds.
  public var durations: [Double] = []
  public var hasFingerprint: [Bool] = []
  public var hasSignature: [Bool] = []
}

extension ResultStore {
  /// The audio of all files that are there and have a fingerprint or a signature.
  public func sounds() throws(StoreError) -> StoredSounds {
    try read { db in
      var sounds = StoredSounds()
      let has = [FingerprintFinding.declaration.table, SignatureFinding.declaration.table].map { table in
        existing.has(table) ? "EXISTS (SELECT 1 FROM \(table) t WHERE t.file = file.id)" : "0"
      }
      let query = try Query(
        db,
        """
        SELECT file.content_id, file.id, format.duration_s, \(has[0]) AS has_fingerprint, \(has[1]) AS has_signature
        FROM file LEFT JOIN format ON format.file = file.id
        WHERE file.content_id IS NOT NULL AND file.vanished_run IS NULL AND (has_fingerprint OR has_signature)
        ORDER BY file.content_id, has_signature DESC, file.status = 'ok' DESC, file.id
        """)
      try query.forEach([]) {
        guard let content = ContentID(query.text(0)), content != sounds.contents.last else { return }
        sounds.contents.append(content)
        sounds.files.append(query.integer(1))
        sounds.durations.append(query.optionalReal(2) ?? 0)
        sounds.hasFingerprint.append(query.flag(3))
        sounds.hasSignature.append(query.flag(4))
      }
      return sounds
    }
  }

  /// Calls `body` with the bytes of the signature of each file, `nil` where there is none, in the order of the list.
  public func forEachSignature(
    ofFiles files: some Sequence<Int64>, _ body: (Int64, [UInt8]?) -> Void
  ) throws(StoreError) {
    try forEach(files, "data", of: SignatureFinding.declaration.table) { file, query in
      body(file, query.map { Array($0.bytes(0)) })
    }
  }

  /// The same of the texts of fingerprints.
  public func forEachFingerprintText(
    ofFiles files: some Sequence<Int64>, _ body: (Int64, String?) -> Void
  ) throws(StoreError) {
    try forEach(files, "value", of: FingerprintFinding.declaration.table) { file, query in
      body(file, query.map { $0.text(0) })
    }
  }

  private func forEach(
    _ files: some Sequence<Int64>, _ column: String, of table: String, _ body: (Int64, Query?) -> Void
  ) throws(StoreError) {
    try read { db in
      guard existing.has(table) else {
        for file in files { body(file, nil) }
        return
      }
      let query = try Query(db, "SELECT \(column) FROM \(table) WHERE file = ?")
      for file in files {
        if try query.first(.integer(file), body: { body(file, query) }) == nil { body(file, nil) }
      }
    }
  }
}
