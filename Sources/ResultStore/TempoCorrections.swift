public import AudioAnalysis
internal import GRDB

/// What people have set. It belongs to the audio, not to a path: moves, copies and new tags do not change it, and no analysis
/// touches it.
extension ResultStore {
  /// Sets tempi in beats per minute, or with `nil` goes back to what was found; all or none.
  public func correctTempo(_ corrections: [ContentID: Double?], now: Timestamp = .now) throws(StoreError) {
    try write { db in
      for (audio, bpm) in corrections {
        if let bpm {
          try Query(db, "INSERT OR REPLACE INTO tempo_correction (content_id, bpm, corrected_ns) VALUES (?, ?, ?)")
            .run(.text(audio.description), .real(bpm), .integer(now.nanoseconds))
        } else {
          try Query(db, "DELETE FROM tempo_correction WHERE content_id = ?").run(.text(audio.description))
        }
      }
    }
  }

  /// How many files that are there hold this audio.
  public func fileCount(withAudio audio: ContentID) throws(StoreError) -> Int {
    try read { db in
      let select = try Query(db, "SELECT count(*) FROM file WHERE content_id = ? AND vanished_run IS NULL")
      return try select.first(.text(audio.description)) { Int(select.integer(0)) } ?? 0
    }
  }
}

enum TempoCorrections {
  /// Lets what a person has said of a file hold on when the same file is known by another content id, as when these are made
  /// in another way.
  static func follow(_ old: ContentID, to new: ContentID, in db: Database) throws {
    try Query(
      db,
      """
      INSERT OR IGNORE INTO tempo_correction (content_id, bpm, corrected_ns)
      SELECT ?, bpm, corrected_ns FROM tempo_correction WHERE content_id = ?
      """
    ).run(.text(new.description), .text(old.description))
  }
}
