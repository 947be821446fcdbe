public import Analysis
internal import GRDB
public import ResultStore

/// The distinct audio of a library that can be compared with other audio, with one file for each.
public struct ComparableAudio: Sendable {
  /// Ids of rows of `file`, in the order of the content ids of the audio.
  public var files: [Int64] = []
  public var contents: [ContentID] = []
  /// Durations in seconds.
  public var durations: [Double] = []
  public var hasFingerprint: [Bool] = []
  public var hasSignature: [Bool] = []
  /// Rows of `sound_sketch` with the search keys of the audio and the method that produced them; `nil` if there is no
  /// row.
  public var sketches: [StoredSketch?] = []
  /// The method by which the audio was compared with all other audio; `nil` if it was not compared.
  public var compared: [Int?] = []
}

/// A column of `sound_sketch` with search keys.
public enum SketchColumn: String, Sendable {
  case fingerprint
  case signature
}

/// A row of `sound_sketch`.
public struct StoredSketch: Hashable, Sendable {
  public var id: Int64
  public var method: Int

  public init(id: Int64, method: Int) {
    self.id = id
    self.method = method
  }
}

extension ResultStore {
  /// Returns the audio of all existing files that have a fingerprint or a signature.
  public func comparableAudio() throws(StoreError) -> ComparableAudio {
    try read { db in
      var sounds = ComparableAudio()
      let has = [FingerprintFinding.declaration.table, SignatureFinding.declaration.table].map { table in
        existing.has(table) ? "EXISTS (SELECT 1 FROM \(table) t WHERE t.file = file.id)" : "0"
      }
      var (joins, sketch, compared) = ("", "NULL, NULL", "NULL")
      if try db.tableExists("sound_sketch") {
        joins += " LEFT JOIN sound_sketch ON sound_sketch.content_id = file.content_id"
        sketch = "sound_sketch.id, sound_sketch.method"
      }
      if try db.tableExists("compared_sound") {
        joins += " LEFT JOIN compared_sound ON compared_sound.content_id = file.content_id"
        compared = "compared_sound.method"
      }
      let query = try Query(
        db,
        """
        SELECT file.content_id, file.id, format.duration_s, \(has[0]) AS has_fingerprint, \(has[1]) AS has_signature,
          \(sketch), \(compared)
        FROM file LEFT JOIN format ON format.file = file.id\(joins)
        WHERE file.content_id IS NOT NULL AND file.vanished_run IS NULL AND (has_fingerprint OR has_signature)
        ORDER BY file.content_id, has_signature DESC, file.status = 'ok' DESC, file.id
        """)
      try query.forEachRow([]) {
        guard let content = ContentID(query.text(0)), content != sounds.contents.last else { return }
        sounds.contents.append(content)
        sounds.files.append(query.integer(1))
        sounds.durations.append(query.optionalReal(2) ?? 0)
        sounds.hasFingerprint.append(query.flag(3))
        sounds.hasSignature.append(query.flag(4))
        sounds.sketches.append(
          query.optionalInteger(5).map { StoredSketch(id: $0, method: Int(query.integer(6))) })
        sounds.compared.append(query.optionalInteger(7).map { Int($0) })
      }
      return sounds
    }
  }

  /// Calls `body` with the signature bytes of each file, in the order of `files`; `nil` if a file has none.
  public func forEachSignature(
    ofFiles files: some Sequence<Int64>, _ body: (Int64, [UInt8]?) -> Void
  ) throws(StoreError) {
    try forEach(files, "data", of: SignatureFinding.declaration.table) { file, query in
      body(file, query.map { Array($0.bytes(0)) })
    }
  }

  /// Calls `body` with the fingerprint text of each file, in the order of `files`; `nil` if a file has none.
  public func forEachFingerprintText(
    ofFiles files: some Sequence<Int64>, _ body: (Int64, String?) -> Void
  ) throws(StoreError) {
    try forEach(files, "value", of: FingerprintFinding.declaration.table) { file, query in
      body(file, query.map { $0.text(0) })
    }
  }

  /// Calls `body` with the search keys in each of the given rows of `sound_sketch`, as bytes, in the order of `ids`.
  /// The bytes are empty if a row does not exist.
  /// - Parameter column: Column of `sound_sketch`.
  public func forEachSketch(
    _ ids: some Sequence<Int64>, _ column: SketchColumn, _ body: (Int64, [UInt8]) -> Void
  ) throws(StoreError) {
    try read { db in
      try forEach(ids, column.rawValue, of: "sound_sketch", key: "id", db) { id, query in
        body(id, query.map { Array($0.bytes(0)) } ?? [])
      }
    }
  }

  /// Calls `body` with a column of a table for each file; `nil` if the table has no row for the file, or does not
  /// exist.
  private func forEach(
    _ files: some Sequence<Int64>, _ column: String, of table: String, _ body: (Int64, Query?) -> Void
  ) throws(StoreError) {
    try read { db in
      guard existing.has(table) else {
        for file in files { body(file, nil) }
        return
      }
      try forEach(files, column, of: table, key: "file", db, body)
    }
  }

  private func forEach(
    _ ids: some Sequence<Int64>, _ column: String, of table: String, key: String, _ db: Database,
    _ body: (Int64, Query?) -> Void
  ) throws {
    let query = try Query(db, "SELECT \(column) FROM \(table) WHERE \(key) = ?")
    for id in ids {
      if try query.first(.integer(id), body: { body(id, query) }) == nil { body(id, nil) }
    }
  }
}
