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
          .text(NumberList.text(ofTuples: tempo.map.map { [.number($0.startSeconds), .number($0.bpm)] })),
          .text(tempo.metre), .text(NumberList.text(of: tempo.beats)),
          .text(tempo.downbeats.map { NumberList.text(of: $0) }))
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

  /// Reads corrections out of the rows of a statement.
  struct Reader {
    /// Goes with what it adds to the columns of the statement.
    static let join = "LEFT JOIN tempo_correction c ON c.content_id = file.content_id"

    private let bpm, corrected, isStable, map, metre: Int32
    /// `nil` where beats are not asked for.
    private let beats, downbeats: Int32?

    init(includesBeats: Bool, _ select: inout SelectList) {
      bpm = select.add("c.bpm")
      corrected = select.add("c.corrected_ns")
      isStable = select.add("c.stable")
      map = select.add("c.map")
      metre = select.add("c.metre")
      beats = includesBeats ? select.add("c.beats_s") : nil
      downbeats = includesBeats ? select.add("c.downbeats_s") : nil
    }

    func read(_ row: Query, found: TempoFinding?) -> TempoCorrection? {
      guard let bpm = row.optionalReal(bpm) else { return nil }
      var correction = TempoCorrection(
        bpm: bpm, grid: nil, corrected: Timestamp(nanoseconds: row.integer(corrected)), found: found)
      if row.isNull(map) { return correction }
      let sections = FieldValue.records(NumberList.tuples(of: 2, in: row.bytes(map)))
      var grid = TempoCorrection.Grid(
        isStable: row.flag(isStable), map: [TempoFinding.Section](fieldValue: sections) ?? [], beats: [],
        metre: row.optionalText(metre))
      if let beats { grid.beats = NumberList.numbers(in: row.bytes(beats)) }
      if let downbeats, !row.isNull(downbeats) { grid.downbeats = NumberList.numbers(in: row.bytes(downbeats)) }
      correction.grid = grid
      return correction
    }
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
