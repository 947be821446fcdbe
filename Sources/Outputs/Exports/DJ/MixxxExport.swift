internal import Analysis
internal import Foundation
internal import GRDB
internal import Platform
internal import Records
internal import SystemPackage

/// A copy of Mixxx's database, in which the tracks that Mixxx already knows get beats, keys, gains and cues. Mixxx has
/// no other way to import these.
public struct MixxxExport: ExportFormat {
  public let name = "mixxx"
  public let abstract = "A copy of Mixxx's database with beats, keys, gains and cues"
  public let long: Set<String> = ["beats"]
  public let output = ExportOutput.file(extension: "sqlite")
  public let needsFiles = true

  public init() {}

  public func begin(_ context: ExportContext) throws -> any ExportWriter {
    try context.checkOptions(PathMapping.options + ["database"])
    return try MixxxWriter(context)
  }
}

private final class MixxxWriter: ExportWriter {
  private let paths: PathMapping
  private let file: FileReplacement
  private let copy: DatabaseQueue

  init(_ context: ExportContext) throws {
    paths = try PathMapping(context.options)
    guard let database = context.options["database"], !database.isEmpty else {
      throw ExportError.unavailable(
        "Name Mixxx's database with --option database=$HOME/.mixxx/mixxxdb.sqlite.")
    }
    guard let output = context.output else {
      throw ExportError.unavailable("A database cannot be written to standard output. Name a file with --output.")
    }
    guard let identity = FileIdentity(FilePath(database)) else {
      throw ExportError.unavailable(
        "There is no file \(database). Mixxx keeps it in its settings folder as mixxxdb.sqlite.")
    }
    if FileIdentity(output).map({ ($0.device, $0.inode) == (identity.device, identity.inode) }) ?? false {
      throw ExportError.unavailable(
        "Mixxx's own database is never overwritten. Name another file with --output, and put it in place while Mixxx is "
          + "closed.")
    }
    do {
      file = try FileReplacement(output)
    } catch {
      throw ExportError.cannotCreate(output, reason: "\(error)")
    }
    copy = try Self.copy(database, to: file.temporaryPath)
  }

  private static func copy(_ database: String, to path: FilePath) throws -> DatabaseQueue {
    do {
      var reading = Configuration()
      reading.readonly = true
      let source = try DatabaseQueue(path: database, configuration: reading)
      var writing = Configuration()
      // Mixxx's schema refers to tables that do not exist.
      writing.foreignKeysEnabled = false
      // A single transaction spans everything from here to `finish`.
      writing.allowsUnsafeTransactions = true
      // The copy appears at its path only when it is complete, so it needs no journal.
      writing.prepareDatabase { try $0.execute(sql: "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF") }
      let copy = try DatabaseQueue(path: path.string, configuration: writing)
      try source.backup(to: copy)
      try copy.writeWithoutTransaction { db in
        // The copy of a database in WAL mode is in WAL mode, too.
        try db.execute(sql: "PRAGMA journal_mode = OFF")
        for (table, columns) in Self.columns {
          let existing = try Set(db.columns(in: table).map(\.name))
          if let missing = columns.first(where: { !existing.contains($0) }) {
            throw DatabaseError(message: "no column \(table).\(missing)")
          }
        }
        try db.execute(sql: "BEGIN")
      }
      return copy
    } catch let error as DatabaseError {
      throw ExportError.unavailable(
        "\(database) is not a database of Mixxx 2.3 or later: \(error.message ?? "unreadable"). Name mixxxdb.sqlite.")
    }
  }

  private static let columns = [
    "track_locations": ["id", "location"],
    "library": [
      "id", "location", "samplerate", "bpm", "bpm_lock", "beats", "beats_version", "beats_sub_version", "key", "key_id",
      "keys", "keys_version", "keys_sub_version", "replaygain", "replaygain_peak",
    ],
    "cues": ["track_id", "type", "position", "length", "hotcue", "label"],
  ]

  func append(_ record: FileRecord) throws {
    guard let location = String(validating: paths.path(record.path), as: UTF8.self) else { return }
    try copy.writeWithoutTransaction { db in
      let row = try Row.fetchOne(
        db,
        sql: """
          SELECT library.id, library.samplerate, library.bpm_lock FROM library
          JOIN track_locations ON track_locations.id = library.location WHERE track_locations.location = ?
          """, arguments: [location])
      guard let row else { return }
      let id: Int64 = row["id"]
      let sampleRate = (row["samplerate"] as Int?).flatMap { $0 > 0 ? $0 : nil } ?? record.format?.sampleRate
      // A tempo that is locked in Mixxx is kept, because the user may have set it there.
      if let tempo = record.tempo, let sampleRate, row["bpm_lock"] as Int? != 1 {
        try write(tempo, isLocked: record.tempoCorrection != nil, sampleRate, id, db)
      }
      if let key = record.keyFinding?.key { try write(key, id, db) }
      if let loudness = record.findings[LoudnessFinding.self] { try write(loudness, id, db) }
      if let cues = record.findings[CuesFinding.self], let sampleRate {
        try write(cues, record.format?.duration, sampleRate, id, db)
      }
    }
  }

  private func write(_ tempo: TempoFinding, isLocked: Bool, _ sampleRate: Int, _ id: Int64, _ db: Database) throws {
    guard let bpm = tempo.bpm, let beats = MixxxBeats(tempo, sampleRate: sampleRate) else { return }
    try db.execute(
      sql: """
        UPDATE library SET bpm = ?, beats = ?, beats_version = ?, beats_sub_version = ?, bpm_lock = ? WHERE id = ?
        """,
      arguments: [bpm, Data(beats.blob), beats.version, "plugin=nocturne", isLocked ? 1 : 0, id])
  }

  /// Writes a key. Mixxx numbers the major keys from C as 1 to 12, followed by the minor keys. If `keys` is NULL, Mixxx
  /// reads the name in `key`.
  private func write(_ key: MusicalKey, _ id: Int64, _ db: Database) throws {
    let number = key.pitchClass + (key.mode == .minor ? 13 : 1)
    try db.execute(
      sql: """
        UPDATE library SET key = ?, key_id = ?, keys = NULL, keys_version = NULL, keys_sub_version = NULL WHERE id = ?
        """,
      arguments: [key.shortName, number, id])
  }

  /// Writes a gain, which Mixxx stores as a factor.
  private func write(_ loudness: LoudnessFinding, _ id: Int64, _ db: Database) throws {
    guard let gain = loudness.trackGain else { return }
    try db.execute(
      sql: "UPDATE library SET replaygain = ?, replaygain_peak = coalesce(?, replaygain_peak) WHERE id = ?",
      arguments: [pow(10, gain / 20), loudness.trackPeak, id])
  }

  /// The values of `mixxx::CueType`.
  private enum CueType: Int {
    case intro = 6
    case outro = 7
    case audibleSound = 8
  }

  /// Adds cues, and keeps existing ones. Positions are counted in samples of two channels.
  private func write(
    _ cues: CuesFinding, _ duration: Double?, _ sampleRate: Int, _ id: Int64, _ db: Database
  ) throws {
    let sound = duration.map { $0 - (cues.trailingSilence ?? 0) }
    let stretches: [(CueType, Double?, Double?)] = [
      (.intro, cues.mixInStart, cues.mixInEnd), (.outro, cues.mixOutStart, cues.mixOutEnd),
      (.audibleSound, cues.leadingSilence, cues.trailingSilence == nil ? nil : sound),
    ]
    for case (let type, let start?, let end?) in stretches where end > start {
      func position(_ seconds: Double) -> Int { 2 * Int((seconds * Double(sampleRate)).rounded()) }
      try db.execute(
        sql: """
          INSERT INTO cues (track_id, type, position, length, hotcue, label)
          SELECT ?, ?, ?, ?, -1, '' WHERE NOT EXISTS (SELECT 1 FROM cues WHERE track_id = ? AND type = ?)
          """,
        arguments: [id, type.rawValue, position(start), position(end) - position(start), id, type.rawValue])
    }
  }

  /// Does nothing, because Mixxx decides what to keep of tracks that have vanished.
  func remove(_ removal: ExportRemoval) {}

  func finish() throws -> [FilePath] {
    try copy.writeWithoutTransaction { try $0.execute(sql: "COMMIT") }
    try copy.close()
    do {
      try file.commit()
    } catch {
      throw ExportError.cannotWrite(file.path, reason: "\(error)")
    }
    return [file.path]
  }
}
