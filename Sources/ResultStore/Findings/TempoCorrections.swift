public import Analysis
internal import GRDB
public import System

/// What people have set. It belongs to the audio, not to a path: moves, copies and new tags do not change it, and no analysis
/// touches it.
extension ResultStore {
  /// Sets tempi, their maps and beats, or with `nil` goes back to what was found; all or none.
  public func correctTempo(_ corrections: [ContentID: TempoFinding?], now: Timestamp = .now) throws(StoreError) {
    try write { db in
      for (audio, tempo) in corrections {
        guard let tempo, let bpm = tempo.bpm else {
          try Query(db, "DELETE FROM tempo_correction WHERE content_id = ?").run(.text(audio.description))
          continue
        }
        try Query(
          db,
          """
          INSERT OR REPLACE INTO tempo_correction (content_id, bpm, corrected_ns, \(TempoCorrections.gridColumns))
          VALUES (?, ?, ?, ?, ?, ?, ?, ?)
          """
        ).run(
          .text(audio.description), .real(bpm), .integer(now.nanoseconds), .flag(tempo.isStable),
          .text(NumberList.text(ofPairs: tempo.map.map { ($0.startSeconds, $0.bpm) })), .text(tempo.metre),
          .text(NumberList.text(of: tempo.beats)), .text(tempo.downbeats.map { NumberList.text(of: $0) }))
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
  fileprivate static let gridColumns = "stable, map, metre, beats_s, downbeats_s"

  /// Of the table `tempo_correction` as `c`, in the order that `read` wants.
  static func columns(includesBeats: Bool) -> String {
    "c.bpm, c.corrected_ns, c.stable, c.map, c.metre" + (includesBeats ? ", c.beats_s, c.downbeats_s" : "")
  }

  static func read(
    _ row: Query, from column: Int32, includesBeats: Bool, found: TempoFinding?
  ) -> TempoCorrection? {
    guard let bpm = row.optionalReal(column) else { return nil }
    var correction = TempoCorrection(
      bpm: bpm, grid: nil, corrected: Timestamp(nanoseconds: row.integer(column + 1)), found: found)
    if row.isNull(column + 3) { return correction }
    var grid = TempoCorrection.Grid(
      isStable: row.flag(column + 2),
      map: NumberList.pairs(in: row.bytes(column + 3)).map { TempoFinding.Section(startSeconds: $0.0, bpm: $0.1) },
      beats: [], metre: row.optionalText(column + 4))
    if includesBeats {
      grid.beats = NumberList.numbers(in: row.bytes(column + 5))
      grid.downbeats = row.isNull(column + 6) ? nil : NumberList.numbers(in: row.bytes(column + 6))
    }
    correction.grid = grid
    return correction
  }

  /// Lets what a person has said of a file hold on when the same file is known by another content id, as when these are made
  /// in another way.
  static func follow(_ old: ContentID, to new: ContentID, in db: Database) throws {
    try Query(
      db,
      """
      INSERT OR IGNORE INTO tempo_correction (content_id, bpm, corrected_ns, \(gridColumns))
      SELECT ?, bpm, corrected_ns, \(gridColumns) FROM tempo_correction WHERE content_id = ?
      """
    ).run(.text(new.description), .text(old.description))
  }
}
