internal import Analysis
internal import GRDB
internal import Records
internal import Text

/// Where findings are kept. The analyzers of `KnownAnalyzer` have tables of their own; all others share `finding`.
enum StoredFindings {
  private enum Place {
    case tags, tempo, chromaprint, signature, json

    init(_ analyzer: String) {
      switch analyzer {
      case KnownAnalyzer.tags: self = .tags
      case KnownAnalyzer.tempo: self = .tempo
      case KnownAnalyzer.chromaprint: self = .chromaprint
      case KnownAnalyzer.signature: self = .signature
      default: self = .json
      }
    }

    /// Tables with one row a file that can be copied from file to file.
    var copiedTables: [(name: String, columns: String)] {
      switch self {
      case .tags: []
      case .tempo:
        [
          ("tempo", "bpm, confidence, octave_confidence, stable, metre, reason, candidates, map"),
          ("beat_grid", "beat_count, beats_s, downbeats_s"), ("onset_summary", "step_s, strengths"),
        ]
      case .chromaprint: [("fingerprint", "algorithm, duration_s, value")]
      case .signature: [("signature", "version, landmarks, data")]
      case .json: []
      }
    }
  }

  static func write(
    _ finding: any AnalysisFinding, of analyzer: AnalyzerIdentity, file: Int64, in db: Database
  ) throws {
    try remove(analyzer.id, file: file, in: db)
    switch (Place(analyzer.id), finding) {
    case (.tags, let tags as TagFinding): try write(tags, file: file, in: db)
    case (.tempo, let tempo as TempoFinding): try write(tempo, file: file, in: db)
    case (.chromaprint, let fingerprint as FingerprintFinding): try write(fingerprint, file: file, in: db)
    case (.signature, let signature as SignatureFinding): try write(signature, file: file, in: db)
    default: try write(try JSONValue(encoding: finding), of: analyzer, file: file, in: db)
    }
  }

  static func remove(_ analyzer: String, file: Int64, in db: Database) throws {
    // A known analyzer with a finding of another type leaves it here, too.
    try Query(db, "DELETE FROM finding WHERE file = ? AND analyzer = ?").run(.integer(file), .text(analyzer))
    let place = Place(analyzer)
    for table in place.copiedTables {
      try Query(db, "DELETE FROM \(table.name) WHERE file = ?").run(.integer(file))
    }
    if place == .tags {
      for table in ["tag", "tag_summary", "lyrics", "chapter"] {
        try Query(db, "DELETE FROM \(table) WHERE file = ?").run(.integer(file))
      }
      try SearchIndex.indexSong(nil, ofFile: file, in: db)
    }
  }

  /// Copies what an analyzer that reads audio has found in another file.
  static func copy(_ analyzer: String, from source: Int64, to file: Int64, in db: Database) throws {
    try remove(analyzer, file: file, in: db)
    for table in Place(analyzer).copiedTables {
      try Query(
        db,
        "INSERT INTO \(table.name) (file, \(table.columns)) SELECT ?, \(table.columns) FROM \(table.name) WHERE file = ?"
      ).run(.integer(file), .integer(source))
    }
    try Query(
      db,
      """
      INSERT INTO finding (file, analyzer, version, configuration_digest, value)
      SELECT ?, analyzer, version, configuration_digest, value FROM finding WHERE file = ? AND analyzer = ?
      """
    ).run(.integer(file), .integer(source), .text(analyzer))
  }

  private static func write(_ tags: TagFinding, file: Int64, in db: Database) throws {
    let insert = try Query(db, "INSERT INTO tag (file, name, position, value) VALUES (?, ?, ?, ?)")
    for (name, values) in tags.fields {
      for (position, value) in values.enumerated() {
        try insert.run(.integer(file), .text(name), .integer(position), .text(value))
      }
    }
    let pictures = tags.pictures.map { picture in
      JSONValue.object([
        "type": .string(picture.type), "mime": .string(picture.mime), "size_bytes": .integer(Int64(picture.sizeBytes)),
      ])
    }
    try Query(db, "INSERT INTO tag_summary (file, formats, has_lyrics, pictures) VALUES (?, ?, ?, ?)").run(
      .integer(file), .text(tags.formats.isEmpty ? nil : JSONValue.array(tags.formats.map { .string($0) }).text),
      .flag(tags.hasLyrics), .text(pictures.isEmpty ? nil : JSONValue.array(pictures).text))
    for (position, lyrics) in tags.lyrics.enumerated() {
      let lines = lyrics.lines.map { JSONValue.array([.number(finite($0.seconds)), .string($0.text)]) }
      try Query(
        db, "INSERT INTO lyrics (file, position, language, description, text, lines) VALUES (?, ?, ?, ?, ?, ?)"
      ).run(
        .integer(file), .integer(position), .text(lyrics.language), .text(lyrics.description), .text(lyrics.text),
        .text(lines.isEmpty ? nil : JSONValue.array(lines).text))
    }
    for (position, chapter) in tags.chapters.enumerated() {
      try Query(db, "INSERT INTO chapter (file, position, start_s, end_s, title) VALUES (?, ?, ?, ?, ?)").run(
        .integer(file), .integer(position), .real(finite(chapter.startSeconds)), .real(chapter.endSeconds),
        .text(chapter.title))
    }
    try SearchIndex.indexSong(tags, ofFile: file, in: db)
  }

  static let lyricsSQL = "SELECT language, description, text, lines FROM lyrics WHERE file = ? ORDER BY position"

  static func readLyrics(file: Int64, rows: Query) throws -> [TagFinding.Lyrics] {
    var result: [TagFinding.Lyrics] = []
    try rows.forEach(.integer(file)) {
      var lyrics = TagFinding.Lyrics(
        language: rows.optionalText(0), description: rows.optionalText(1), text: rows.text(2))
      if !rows.isNull(3), case .array(let lines)? = try? JSONValue(parsing: rows.bytes(3)) {
        lyrics.lines = lines.compactMap { line in
          guard case .array(let members) = line, members.count == 2, case .string(let text) = members[1] else {
            return nil
          }
          return switch members[0] {
          case .number(let seconds): TagFinding.Lyrics.Line(seconds: seconds, text: text)
          case .integer(let seconds): TagFinding.Lyrics.Line(seconds: Double(seconds), text: text)
          default: nil
          }
        }
      }
      result.append(lyrics)
    }
    return result
  }

  static let chaptersSQL = "SELECT start_s, end_s, title FROM chapter WHERE file = ? ORDER BY position"

  static func readChapters(file: Int64, rows: Query) throws -> [TagFinding.Chapter] {
    var result: [TagFinding.Chapter] = []
    try rows.forEach(.integer(file)) {
      result.append(
        TagFinding.Chapter(
          startSeconds: rows.real(0), endSeconds: rows.optionalReal(1), title: rows.optionalText(2)))
    }
    return result
  }

  /// `nil` if the tags analyzer has left nothing, which `tag_summary` tells.
  static func readTags(
    file: Int64, formats: Int32, hasLyrics: Int32, pictures: Int32, of row: Query, tagRows: Query
  ) throws -> TagFinding? {
    if row.isNull(hasLyrics) { return nil }
    var tags = TagFinding(hasLyrics: row.flag(hasLyrics))
    // Rows of one name follow each other.
    var name: String?
    var values: [String] = []
    func flush() {
      if let name { tags.fields[name] = values }
      values.removeAll()
    }
    try tagRows.forEach(.integer(file)) {
      if tagRows.integer(1) == 0 {
        flush()
        name = tagRows.text(0)
      }
      values.append(tagRows.text(2))
    }
    flush()
    if !row.isNull(formats), case .array(let list)? = try? JSONValue(parsing: row.bytes(formats)) {
      tags.formats = list.compactMap { if case .string(let format) = $0 { format } else { nil } }
    }
    if !row.isNull(pictures), case .array(let list)? = try? JSONValue(parsing: row.bytes(pictures)) {
      tags.pictures = list.compactMap { item in
        guard case .object(let members) = item, case .string(let type)? = members["type"],
          case .string(let mime)? = members["mime"], case .integer(let size)? = members["size_bytes"]
        else { return nil }
        return TagFinding.Picture(type: type, mime: mime, sizeBytes: Int(size))
      }
    }
    return tags
  }

  static let tagRowsSQL = "SELECT name, position, value FROM tag WHERE file = ? ORDER BY name, position"

  private static func write(_ tempo: TempoFinding, file: Int64, in db: Database) throws {
    try Query(
      db,
      """
      INSERT INTO tempo (file, bpm, confidence, octave_confidence, stable, metre, reason, candidates, map)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
      """
    ).run(
      .integer(file), .real(tempo.bpm), .real(finite(tempo.confidence)), .real(finite(tempo.octaveConfidence)),
      .flag(tempo.isStable), .text(tempo.metre), .text(tempo.reason),
      .text(NumberList.text(ofPairs: tempo.candidates.map { ($0.bpm, $0.weight) })),
      .text(NumberList.text(ofPairs: tempo.map.map { ($0.startSeconds, $0.bpm) })))
    try Query(db, "INSERT INTO beat_grid (file, beat_count, beats_s, downbeats_s) VALUES (?, ?, ?, ?)").run(
      .integer(file), .integer(tempo.beats.count), .text(NumberList.text(of: tempo.beats)),
      .text(tempo.downbeats.map { NumberList.text(of: $0) }))
    try Query(db, "INSERT INTO onset_summary (file, step_s, strengths) VALUES (?, ?, ?)").run(
      .integer(file), .real(finite(tempo.onsets.stepSeconds)), .text(NumberList.text(of: tempo.onsets.values)))
  }

  /// Of the table `tempo` as `o`, in the order that `readTempo` wants.
  static let tempoColumns =
    "o.bpm, o.confidence, o.octave_confidence, o.stable, o.metre, o.reason, o.candidates, o.map"
  static let tempoColumnCount: Int32 = 8

  /// Of the tables `beat_grid` as `b` and `onset_summary` as `n`, likewise.
  static let beatColumns = "b.beats_s, b.downbeats_s, n.step_s, n.strengths"
  static let beatColumnCount: Int32 = 4

  /// - Parameter beats: where `beatColumns` start; `nil` leaves beats and onsets empty.
  static func readTempo(_ row: Query, from column: Int32, beats: Int32?) -> TempoFinding? {
    if row.isNull(column + 1) { return nil }
    var tempo = TempoFinding(
      bpm: row.optionalReal(column), confidence: row.real(column + 1), octaveConfidence: row.real(column + 2),
      candidates: NumberList.pairs(in: row.bytes(column + 6)).map { TempoFinding.Candidate(bpm: $0.0, weight: $0.1) },
      isStable: row.flag(column + 3),
      map: NumberList.pairs(in: row.bytes(column + 7)).map { TempoFinding.Section(startSeconds: $0.0, bpm: $0.1) },
      beats: [], metre: row.optionalText(column + 4), reason: row.optionalText(column + 5))
    if let beats {
      tempo.beats = NumberList.numbers(in: row.bytes(beats))
      tempo.downbeats = row.isNull(beats + 1) ? nil : NumberList.numbers(in: row.bytes(beats + 1))
      tempo.onsets = TempoFinding.OnsetSummary(
        stepSeconds: row.real(beats + 2), values: NumberList.numbers(in: row.bytes(beats + 3)))
    }
    return tempo
  }

  private static func write(_ fingerprint: FingerprintFinding, file: Int64, in db: Database) throws {
    try Query(db, "INSERT INTO fingerprint (file, algorithm, duration_s, value) VALUES (?, ?, ?, ?)").run(
      .integer(file), .text(fingerprint.algorithm), .real(finite(fingerprint.duration)), .text(fingerprint.value))
  }

  private static func write(_ signature: SignatureFinding, file: Int64, in db: Database) throws {
    try Query(db, "INSERT INTO signature (file, version, landmarks, data) VALUES (?, ?, ?, ?)").run(
      .integer(file), .integer(signature.version), .integer(signature.landmarkCount), .blob(signature.data))
  }

  private static func write(
    _ value: JSONValue, of analyzer: AnalyzerIdentity, file: Int64, in db: Database
  ) throws {
    try Query(
      db, "INSERT INTO finding (file, analyzer, version, configuration_digest, value) VALUES (?, ?, ?, ?, ?)"
    ).run(
      .integer(file), .text(analyzer.id), .integer(analyzer.version), .text(analyzer.digest), .text(value.text))
  }

  /// SQLite takes NaN for NULL, which these columns refuse: one bad number must not cost a whole batch of results.
  private static func finite(_ value: Double) -> Double { value.isFinite ? value : 0 }
}
