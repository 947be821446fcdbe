public import Analysis
internal import GRDB
public import Platform

/// A tempo that was in effect before a person changed it.
public struct FormerTempo: Sendable {
  /// The id, which increases with time.
  public var id: Int64
  /// The time at which another tempo replaced this one.
  public var replaced: Timestamp
  /// The correction, without `found`; `nil` if the tempo that was found was in effect.
  public var correction: TempoCorrection?
}

extension ResultStore {
  /// Returns earlier tempi of some audio, newest first.
  public func formerTempi(of audio: ContentID) throws(StoreError) -> [FormerTempo] {
    try read { db in try TempoHistory.former(audio, in: db) }
  }

  /// Restores an earlier state. Removes that state and all later ones from the history.
  /// - Parameter state: The `FormerTempo.id`; `nil` for the newest state.
  /// - Returns: `true` if the state exists.
  public func restoreTempo(of audio: ContentID, to state: Int64? = nil) throws(StoreError) -> Bool {
    try write { db in
      let former = try TempoHistory.former(audio, in: db)
      guard let wanted = state.map({ id in former.first { $0.id == id } }) ?? former.first else { return false }
      try TempoCorrections.replace(audio, wanted.correction, in: db)
      try Query(db, "DELETE FROM tempo_history WHERE content_id = ? AND id >= ?")
        .run(.text(audio.description), .integer(wanted.id))
      return true
    }
  }
}

enum TempoHistory {
  /// Maximum number of states that are kept for each audio.
  private static let keptCount = 20

  /// Stores the tempo in effect, unless the next one is the same.
  static func keep(_ audio: ContentID, before next: TempoCorrection?, in db: Database) throws {
    let present = try TempoCorrections.Table(db).correction(of: audio)
    if present?.bpm == next?.bpm, present?.grid == next?.grid, (present == nil) == (next == nil) { return }
    let id = SQLValue.text(audio.description)
    // The values of the tempo that was found remain with the finding.
    try Query(
      db,
      """
      INSERT INTO tempo_history (content_id, replaced_ns, corrected_ns, bpm, \(TempoCorrections.gridColumns))
      SELECT ids.content_id, ?, c.corrected_ns, c.bpm, \(TempoCorrections.gridColumns)
      FROM (SELECT ? AS content_id) ids LEFT JOIN tempo_correction c ON c.content_id = ids.content_id
      """
    ).run(.integer(Timestamp.now.nanoseconds), id)
    try Query(
      db,
      """
      DELETE FROM tempo_history WHERE content_id = ? AND id <= (
        SELECT id FROM tempo_history WHERE content_id = ? ORDER BY id DESC LIMIT 1 OFFSET \(keptCount))
      """
    ).run(id, id)
  }

  static func former(_ audio: ContentID, in db: Database) throws -> [FormerTempo] {
    var select = SelectList()
    let id = select.add("c.id")
    let replaced = select.add("c.replaced_ns")
    let reader = TempoCorrections.Reader(includesBeats: true, &select)
    let rows = try Query(db, select.sql(from: "tempo_history c", where: "c.content_id = ? ORDER BY c.id DESC"))
    var former: [FormerTempo] = []
    try rows.forEachRow(.text(audio.description)) {
      former.append(
        FormerTempo(
          id: rows.integer(id), replaced: Timestamp(nanoseconds: rows.integer(replaced)),
          correction: reader.read(rows, found: nil)))
    }
    return former
  }
}
