public import Analysis
internal import GRDB
public import ResultStore

extension ResultStore {
  /// Returns the audio of all existing files, each with the lowest id of its files.
  public func audioFiles() throws(StoreError) -> [ContentID: Int64] {
    try read { db in
      var files: [ContentID: Int64] = [:]
      let query = try Query(
        db, "SELECT content_id, id FROM file WHERE content_id IS NOT NULL AND vanished_run IS NULL ORDER BY id DESC")
      try query.forEachRow([]) {
        if let content = ContentID(query.text(0)) { files[content] = query.integer(1) }
      }
      return files
    }
  }

  /// Calls `body` with the fingerprint of each file, in the order of `files`. Files without one are left out.
  public func forEachFingerprint(
    ofFiles files: some Sequence<Int64>, _ body: (Int64, FingerprintFinding) -> Void
  ) throws(StoreError) {
    try read { db in
      guard existing.has(FingerprintFinding.declaration.table) else { return }
      let query = try Query(db, "SELECT algorithm, duration_s, value FROM fingerprint WHERE file = ?")
      for file in files {
        try query.first(.integer(file)) {
          body(
            file,
            FingerprintFinding(algorithm: query.text(0), duration: query.real(1), value: query.text(2)))
        }
      }
    }
  }

  /// Returns the ids of the existing files that contain some audio.
  public func files(holding content: ContentID) throws(StoreError) -> [Int64] {
    try read { db in
      var files: [Int64] = []
      let query = try Query(
        db, "SELECT id FROM file WHERE content_id = ? AND vanished_run IS NULL ORDER BY id")
      try query.forEachRow(.text(content.description)) { files.append(query.integer(0)) }
      return files
    }
  }
}
