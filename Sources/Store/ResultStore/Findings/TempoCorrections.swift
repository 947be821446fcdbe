public import Analysis
internal import GRDB
internal import Platform
public import SystemPackage

/// Corrections that people have made. They belong to the audio, not to a path, so moves, copies and retagging do not
/// change them, and analyses leave them alone. They are kept when files are forgotten, and may exist before there is
/// any file with this audio.
extension ResultStore {
  /// Sets tempi with their maps and beats. For `nil`, restores the tempo that was found. Sets either all of them or
  /// none.
  public func correctTempo(_ corrections: [ContentID: TempoCorrection?]) throws(StoreError) {
    var rest = corrections.makeIterator()
    try correctTempo { rest.next().map { ($0.key, $0.value) } }
  }

  /// Sets corrections that arrive one by one. Memory use is constant.
  /// - Parameter next: Returns the next correction; `nil` at the end. If it throws, nothing is set.
  public func correctTempo(next: () throws -> (ContentID, TempoCorrection?)?) throws(StoreError) {
    try write { db in
      while let (audio, correction) = try next() { try TempoCorrections.set(audio, correction, in: db) }
    }
  }

  /// Returns the correction of some audio, without `found`; `nil` if there is none.
  public func tempoCorrection(of audio: ContentID) throws(StoreError) -> TempoCorrection? {
    try read { db in try TempoCorrections.Table(db).correction(of: audio) }
  }

  /// The outcome of comparing imported corrections with the stored ones.
  public struct TempoCorrectionImport: Hashable, Sendable {
    public var newCount = 0
    /// Number of corrections that equal the stored one.
    public var sameCount = 0
    /// Number of corrections that replaced a different one.
    public var replacedCount = 0
    /// Number of corrections that were rejected because the stored one is at least as new.
    public var olderCount = 0
    /// Number of new corrections for audio without a known file.
    public var waitingCount = 0

    public init() {}
  }

  /// Imports either all of the corrections or none. Memory use is constant. If a different correction is stored for the
  /// same audio, the newer one counts.
  /// - Parameters:
  ///   - overwritesNewer: `true` if imported corrections always count.
  ///   - isDryRun: `true` to change nothing.
  ///   - next: Returns the next correction; `nil` at the end. If it throws, nothing is set.
  public func importTempoCorrections(
    overwritesNewer: Bool = false, isDryRun: Bool = false, next: () throws -> (ContentID, TempoCorrection)?
  ) throws(StoreError) -> TempoCorrectionImport {
    let take = { (db: Database) throws -> TempoCorrectionImport in
      var counts = TempoCorrectionImport()
      let table = try TempoCorrections.Table(db)
      let file = try Query(db, "SELECT 1 FROM file WHERE content_id = ? AND vanished_run IS NULL LIMIT 1")
      while let (audio, correction) = try next() {
        if let present = try table.correction(of: audio) {
          if present.bpm == correction.bpm && present.grid == correction.grid {
            counts.sameCount += 1
            continue
          }
          // Other programs store whole seconds.
          guard overwritesNewer || correction.corrected.seconds > present.corrected.seconds else {
            counts.olderCount += 1
            continue
          }
          counts.replacedCount += 1
        } else {
          counts.newCount += 1
          if try file.first(.text(audio.description), body: { true }) == nil { counts.waitingCount += 1 }
        }
        if !isDryRun { try TempoCorrections.set(audio, correction, in: db) }
      }
      return counts
    }
    return isDryRun ? try read(take) : try write(take)
  }

  /// A correction, with details by which people recognize the audio.
  public struct ListedTempoCorrection: Sendable {
    public var audio: ContentID
    /// The correction, without `found`.
    public var correction: TempoCorrection
    /// Path of the first file with this audio, even if it has vanished; `nil` if there is none.
    public var path: FilePath?
    public var artist: String?
    public var title: String?
    /// The analyzer's tempo, in beats per minute.
    public var foundBPM: Double?

    public init(audio: ContentID, correction: TempoCorrection) {
      self.audio = audio
      self.correction = correction
    }
  }

  /// Calls `body` with all corrections from one snapshot, in path order. Corrections for audio without a file come
  /// last.
  /// - Throws: `StoreError`, or any error that `body` throws.
  public func forEachTempoCorrection(_ body: (ListedTempoCorrection) throws -> Void) throws {
    // Errors that `body` throws must not be converted to `StoreError`.
    let outcome: Result<Void, any Error> = try read { db in
      let list = try Query(
        db,
        """
        SELECT c.content_id,
          (SELECT id FROM file f WHERE f.content_id = c.content_id ORDER BY vanished_run IS NOT NULL, path LIMIT 1) AS first
        FROM tempo_correction c LEFT JOIN file ON file.id = first
        ORDER BY file.path IS NULL, file.path, c.content_id
        """)
      var audios: [(ContentID, file: Int64?)] = []
      try list.forEachRow {
        guard let audio = ContentID(list.text(0)) else { return }
        audios.append((audio, list.optionalInteger(1)))
      }
      let tag = "SELECT value FROM tag t WHERE t.file = f.id AND t.position = 0 AND t.name ="
      let known = try Query(
        db,
        """
        SELECT f.path, (\(tag) 'artist'), (\(tag) 'title'), o.bpm
        FROM file f LEFT JOIN tempo o ON o.file = f.id WHERE f.id = ?
        """)
      let table = try TempoCorrections.Table(db)
      for (audio, file) in audios {
        guard let correction = try table.correction(of: audio) else { continue }
        var listed = ListedTempoCorrection(audio: audio, correction: correction)
        if let file {
          try known.forEachRow(.integer(file)) {
            listed.path = known.path(0)
            listed.artist = known.optionalText(1)
            listed.title = known.optionalText(2)
            listed.foundBPM = known.optionalReal(3)
          }
        }
        do { try body(listed) } catch { return .failure(error) }
      }
      return .success(())
    }
    try outcome.get()
  }

  /// Returns the number of existing files with this audio.
  public func fileCount(withAudio audio: ContentID) throws(StoreError) -> Int {
    try read { db in
      let select = try Query(db, "SELECT count(*) FROM file WHERE content_id = ? AND vanished_run IS NULL")
      return try select.first(.text(audio.description)) { Int(select.integer(0)) } ?? 0
    }
  }
}

enum TempoCorrections {
  static let gridColumns = "stable, map, metre, beats_s, downbeats_s"

  fileprivate static func set(_ audio: ContentID, _ correction: TempoCorrection?, in db: Database) throws {
    try TempoHistory.keep(audio, before: correction, in: db)
    try replace(audio, correction, in: db)
  }

  /// Replaces a correction without keeping the earlier state.
  static func replace(_ audio: ContentID, _ correction: TempoCorrection?, in db: Database) throws {
    let id = SQLValue.text(audio.description)
    try Query(db, "DELETE FROM tempo_skip WHERE content_id = ?").run(id)
    guard let correction else {
      try Query(db, "DELETE FROM tempo_correction WHERE content_id = ?").run(id)
      return
    }
    let grid = correction.grid
    try Query(
      db,
      """
      INSERT OR REPLACE INTO tempo_correction (content_id, bpm, corrected_ns, \(gridColumns))
      VALUES (?, ?, ?, ?, ?, ?, ?, ?)
      """
    ).run(
      id, .real(correction.bpm), .integer(correction.corrected.nanoseconds), .integer(grid.map { $0.isStable ? 1 : 0 }),
      .text(grid.map { NumberList.text(ofTuples: $0.map.map { [.number($0.startSeconds), .number($0.bpm)] }) }),
      .text(grid?.metre), .text(grid.map { NumberList.text(of: $0.beats) }),
      .text(grid?.downbeats.map { NumberList.text(of: $0) }))
  }

  /// Looks up the correction of some audio.
  struct Table {
    private let rows: Query
    private let reader: Reader

    init(_ db: Database) throws {
      var select = SelectList()
      reader = Reader(includesBeats: true, &select)
      rows = try Query(db, select.sql(from: "tempo_correction c", where: "c.content_id = ?"))
    }

    func correction(of audio: ContentID) throws -> TempoCorrection? {
      try rows.first(.text(audio.description)) { reader.read(rows, found: nil) } ?? nil
    }
  }

  /// Reads corrections from the rows of a statement.
  struct Reader {
    static let join = "LEFT JOIN tempo_correction c ON c.content_id = file.content_id"

    private let bpm, corrected, isStable, map, metre: Int32
    /// The columns of the beats; `nil` if beats are not requested.
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
      guard let time = row.optionalInteger(corrected) else { return nil }
      var correction = TempoCorrection(
        bpm: row.optionalReal(bpm), grid: nil, corrected: Timestamp(nanoseconds: time), found: found)
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

  /// Keeps a person's correction if the content id of a file changes although the file does not, for example because
  /// content ids are computed in a different way.
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
