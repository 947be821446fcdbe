internal import Analysis
internal import DSP
internal import GRDB
internal import Platform
internal import SystemPackage

/// Computes the album loudness in `LoudnessFinding` from the gating blocks of all tracks of an album.
///
/// An album consists of the tracks in one folder that have the same album tag and the same list of album artists (or no
/// album artists, as on compilations). Disc folders (`CD 1`, `Disc 2`) count as part of the folder above them. The
/// loudness of an album is known once all of its tracks are measured and no new file is waiting in the folder.
///
/// Triggers record the path of each file that may change an album, for whatever reason: a track is measured, retagged,
/// moved, removed or restored. Each transaction ends with `update`, so album values always agree with the tracks.
enum AlbumLoudness {
  /// The table of paths whose albums must be recomputed.
  static let table = "album_change"
  private static let tags = "('album', 'albumartist')"

  /// Returns `true` if the findings include the tables that this computation needs.
  static func isKept(with findings: [FindingTables]) -> Bool {
    let tables = Set(findings.flatMap(\.tables).map(\.name))
    return tables.isSuperset(of: ["loudness", "tag"])
  }

  // MARK: Schema

  private static let triggers: [(name: String, event: String, change: String)] = [
    ("album_of_new_loudness", "INSERT ON loudness", "SELECT path FROM file WHERE id = NEW.file"),
    ("album_of_old_loudness", "DELETE ON loudness", "SELECT path FROM file WHERE id = OLD.file"),
    ("album_of_new_tag", "INSERT ON tag WHEN NEW.name IN \(tags)", "SELECT path FROM file WHERE id = NEW.file"),
    ("album_of_old_tag", "DELETE ON tag WHEN OLD.name IN \(tags)", "SELECT path FROM file WHERE id = OLD.file"),
    (
      "album_of_file",
      """
      UPDATE OF path, pending, skip_code, vanished_run ON file
      WHEN OLD.path <> NEW.path OR OLD.pending > 0 AND NEW.pending = 0 OR OLD.skip_code IS NOT NEW.skip_code
        OR OLD.vanished_run IS NOT NEW.vanished_run
      """, "VALUES (OLD.path), (NEW.path)"
    ),
  ]

  /// Marks the `song` row of a track as changed when its album values change.
  private static let trackTrigger = (
    name: "song_of_album_gain",
    sql: """
    CREATE TRIGGER song_of_album_gain AFTER UPDATE OF album_gain_db, album_peak ON loudness
    BEGIN INSERT OR IGNORE INTO \(SongCatalog.changes) (file) VALUES (NEW.file); END
    """
  )

  /// Returns the statements that create the missing table and triggers.
  static func changes(in db: Database) throws -> [String] {
    let names = try String.fetchAll(db, sql: "SELECT name FROM sqlite_master WHERE type IN ('table', 'trigger')")
    let existing = Set(names)
    var statements: [String] = []
    if !existing.contains(table) {
      statements.append("CREATE TABLE \(table) (path BLOB NOT NULL) -- whose albums are to be computed again")
    }
    for trigger in triggers where !existing.contains(trigger.name) {
      statements.append(
        """
        CREATE TRIGGER \(trigger.name) AFTER \(trigger.event)
        BEGIN INSERT INTO \(table) (path) \(trigger.change); END
        """)
    }
    if !existing.contains(trackTrigger.name) { statements.append(trackTrigger.sql) }
    return statements
  }

  // MARK: Update

  private struct Track {
    var file: Int64
    var isWaiting: Bool
    var isMeasured: Bool
    /// `true` if the track has album values.
    var hasAlbum: Bool
  }

  /// A key that groups the tracks of one folder into albums.
  private struct Key: Hashable {
    var title: String
    var artists: [String]
  }

  static func update(_ db: Database) throws {
    let select = try Query(db, "SELECT DISTINCT path FROM \(table)")
    var folders: Set<[UInt8]> = []
    try select.forEachRow { folders.insert(albumFolder(of: select.path(0).withBytes { Array($0) })) }
    if folders.isEmpty { return }
    try Query(db, "DELETE FROM \(table)").run()
    for folder in folders { try update(folder: folder, db) }
  }

  private static func update(folder: [UInt8], _ db: Database) throws {
    let tracks = try tracks(in: folder, db)
    guard tracks.contains(where: \.isMeasured) else { return }
    let isComplete = !tracks.contains(where: \.isWaiting)
    var albums: [Key: [Track]] = [:]
    for track in tracks {
      if isComplete, let key = try key(ofFile: track.file, db) {
        albums[key, default: []].append(track)
      } else if track.hasAlbum {
        try set(gain: nil, peak: nil, ofFile: track.file, db)
      }
    }
    for tracks in albums.values {
      let isKnown = tracks.allSatisfy(\.isMeasured)
      let (gain, peak) = isKnown ? try measure(tracks, db) : (nil, nil)
      for track in tracks { try set(gain: gain, peak: peak, ofFile: track.file, db) }
    }
  }

  /// Returns the tracks in a folder and in its disc folders, except vanished and skipped files.
  private static func tracks(in folder: [UInt8], _ db: Database) throws -> [Track] {
    let select = try Query(
      db,
      """
      SELECT f.id, f.path, f.status IS NULL AND f.pending > 0, l.file IS NOT NULL,
        coalesce(l.album_gain_db, l.album_peak) IS NOT NULL
      FROM file f LEFT JOIN loudness l ON l.file = f.id
      WHERE f.path >= ? AND f.path < ? AND f.vanished_run IS NULL AND f.skip_code IS NULL
      ORDER BY f.path
      """)
    var tracks: [Track] = []
    var start: [UInt8]? = folder
    // “0” is the byte after “/”.
    let end = Array(folder.dropLast()) + [slash + 1]
    while let next = start {
      start = nil
      try select.forEachWhile([.blob(next), .blob(end)]) {
        let path = select.path(1).withBytes { Array($0) }
        if albumFolder(of: path) == folder {
          tracks.append(
            Track(
              file: select.integer(0), isWaiting: select.flag(2), isMeasured: select.flag(3), hasAlbum: select.flag(4)))
          return true
        }
        var parts = path[folder.count...].split(separator: slash)
        // A file directly in a disc folder belongs to the album of the folder above.
        if parts.count == 1 { return true }
        // Skips the rest of this subfolder, or of a subfolder of a disc folder.
        parts = Array(parts.prefix(isDisc(parts[0]) ? 2 : 1))
        start = folder + parts.joined(separator: [slash]) + [slash + 1]
        return false
      }
    }
    return tracks
  }

  /// Returns the album of a track; `nil` for a track without an album.
  private static func key(ofFile file: Int64, _ db: Database) throws -> Key? {
    let select = try Query(
      db, "SELECT name, value FROM tag WHERE file = ? AND name IN \(tags) ORDER BY name, position")
    var key = Key(title: "", artists: [])
    try select.forEachRow(.integer(file)) {
      if select.text(0) == "albumartist" {
        key.artists.append(select.text(1))
      } else if key.title.isEmpty {
        key.title = select.text(1)
      }
    }
    return key.title.isEmpty ? nil : key
  }

  private static func measure(_ tracks: [Track], _ db: Database) throws -> (gain: Double?, peak: Double?) {
    let select = try Query(db, "SELECT gating_blocks, track_peak FROM loudness WHERE file = ?")
    var blocks = LoudnessHistogram()
    var peak: Double?
    for track in tracks {
      try select.forEachRow(.integer(track.file)) {
        if let found = LoudnessHistogram(bytes: Array(select.bytes(0))) { blocks.add(found) }
        if let found = select.optionalReal(1) { peak = max(peak ?? found, found) }
      }
    }
    return (blocks.integrated.map { LoudnessFinding.gain(ofLoudness: $0) }, peak)
  }

  private static func set(gain: Double?, peak: Double?, ofFile file: Int64, _ db: Database) throws {
    try Query(
      db,
      """
      UPDATE loudness SET album_gain_db = ?1, album_peak = ?2
      WHERE file = ?3 AND (album_gain_db IS NOT ?1 OR album_peak IS NOT ?2)
      """
    ).run(.real(gain), .real(peak), .integer(file))
  }

  // MARK: Folders

  private static let slash = UInt8(ascii: "/")

  /// Returns the folder that represents the album of a file, with a trailing slash. For a file in a disc folder, this
  /// is the folder above.
  static func albumFolder(of path: [UInt8]) -> [UInt8] {
    let folder = folder(of: path)
    let above = self.folder(of: folder.dropLast())
    return isDisc(folder[above.count...].dropLast()) ? above : folder
  }

  /// Returns the folder of a file, with a trailing slash.
  private static func folder(of path: some BidirectionalCollection<UInt8>) -> [UInt8] {
    path.lastIndex(of: slash).map { Array(path[...$0]) } ?? []
  }

  /// Matches names such as `CD1`, `cd 2`, `Disc 03`, `Disk-1 (Live)`.
  private static func isDisc(_ name: ArraySlice<UInt8>) -> Bool {
    let lower = String(decoding: name, as: UTF8.self).lowercased()
    for word in ["cd", "disc", "disk"] where lower.hasPrefix(word) {
      let number = lower.dropFirst(word.count).drop { " _-.".contains($0) }
      if number.first?.isWholeNumber ?? false { return true }
    }
    return false
  }
}
