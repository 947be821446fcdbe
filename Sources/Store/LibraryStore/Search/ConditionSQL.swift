internal import Analysis
internal import Filters
internal import Platform
internal import ResultStore
internal import SystemPackage

/// SQL for the ids of the tracks that match a condition.
struct ConditionSQL {
  private(set) var id = "song.id"
  /// The SQL after FROM, which ends with a condition.
  private(set) var source = ""
  private(set) var values: [SQLValue] = []
  /// The condition itself if it applies to `song`; otherwise `nil`.
  private(set) var condition: String?
  /// `true` if the matches may include files that are not tracks.
  private(set) var findsFiles = false
  /// `true` if an index answers the condition. Otherwise, every row is read.
  private(set) var isIndexed = true

  /// - Parameters:
  ///   - tables: Tables in the database.
  ///   - now: The time to which ages refer.
  init(_ condition: TrackCondition, tables: Set<String>, now: Timestamp) {
    source =
      switch condition {
      case .text(let field, let words): text(field, words)
      case .number(let field, let range): song(number(field, range))
      case .key(let key): song(equal("song.key", .text(key.camelot)))
      case .codec(let codec): song(equal("song.codec", .text(codec)))
      case .isLossless(let isLossless): song(equal("song.lossless", .flag(isLossless)))
      // SQLite uses a partial index only if the statement repeats the condition of the index.
      case .isLocked(let isLocked): song("song.locked = \(isLocked ? 1 : 0)")
      case .status(let status): song("song.status = '\(status.rawValue)' AND song.status <> 'ok'")
      case .problem(let code): song(problem(code))
      case .missing(let name): song(missing(name, tables))
      case .under(let path): under(path)
      case .added(let range): song(added(range, now))
      case .finding(let column, let test): song(finding(column, test, tables))
      }
  }

  private init(song condition: String, _ values: [SQLValue] = []) {
    source = song(condition)
    self.values = values
  }

  /// Returns conditions that together find the tracks that do not match, including tracks with unknown values. Returns
  /// `nil` if the index cannot find them.
  static func complement(of condition: TrackCondition) -> [ConditionSQL]? {
    switch condition {
    case .number(let field, let range):
      let column = "song.\(column(field))"
      let below = range.lower.map {
        ConditionSQL(song: "\(column) \(range.includesLower ? "<" : "<=") ?", [.number($0)])
      }
      let above = range.upper.map {
        ConditionSQL(song: "\(column) \(range.includesUpper ? ">" : ">=") ?", [.number($0)])
      }
      return [ConditionSQL(song: "\(column) IS NULL"), below, above].compactMap { $0 }
    case .isLossless(let isLossless):
      return [
        ConditionSQL(song: "song.lossless IS NULL"), ConditionSQL(song: "song.lossless = ?", [.flag(!isLossless)]),
      ]
    default: return nil
    }
  }

  private mutating func song(_ condition: String) -> String {
    self.condition = condition
    return "song WHERE \(condition)"
  }

  private mutating func under(_ path: FilePath) -> String {
    let ranges = PathRange.covering(path)
    for range in ranges { values += range.values }
    let condition = ranges.map { _ in PathRange.condition }.joined(separator: " OR ")
    return "file CROSS JOIN song ON song.id = file.id WHERE (\(condition))"
  }

  private mutating func added(_ range: TimeRange, _ now: Timestamp) -> String {
    var parts: [String] = []
    for (point, comparison) in [(range.since, ">="), (range.until, "<")] {
      guard let point else { continue }
      values.append(.integer(point.nanoseconds(now: now.nanoseconds)))
      parts.append("song.added_ns \(comparison) ?")
    }
    return parts.isEmpty ? "1" : parts.joined(separator: " AND ")
  }

  private mutating func problem(_ code: String) -> String {
    values.append(.text(code))
    return "song.status <> 'ok' AND song.id IN (SELECT file FROM failure WHERE code = ?)"
  }

  private mutating func equal(_ column: String, _ value: SQLValue) -> String {
    values.append(value)
    return "\(column) = ?"
  }

  private mutating func text(_ field: TrackCondition.TextField, _ words: FilterWords) -> String {
    let (index, columns) = Self.columns(field)
    let pattern = FullTextPattern.phrase(words.text, isPrefix: words.isPrefix, columns: columns)
    guard let pattern else {
      // Symbols by themselves, such as “!!!”, are not words.
      isIndexed = false
      let texts = columns.map {
        $0 == "full_path" ? "(SELECT display_path FROM file WHERE file.id = song.id)" : "song.\($0)"
      }
      values = texts.map { _ in .text(words.text) }
      return song("(\(texts.map { "instr(\($0), ?) > 0" }.joined(separator: " OR ")))")
    }
    if field == .path, NameVariants.hasUnspacedScript(words.text) {
      // Only the index of songs contains the letters of names in scripts without spaces.
      values = [.text(pattern), .text(words.text)]
      id = "songs_fts.rowid"
      return """
        songs_fts CROSS JOIN file ON file.id = songs_fts.rowid
        WHERE songs_fts MATCH ? AND instr(file.display_path, ?) > 0
        """
    }
    values = [.text(pattern)]
    id = "\(index).rowid"
    findsFiles = field == .path
    return "\(index) WHERE \(index) MATCH ?"
  }

  /// Returns the full-text index for a field, and its columns.
  private static func columns(_ field: TrackCondition.TextField) -> (table: String, columns: [String]) {
    switch field {
    case .anyName: ("songs_fts", ["artist", "title", "album", "album_artist", "genre", "variants"])
    case .artist: ("songs_fts", ["artist"])
    case .title: ("songs_fts", ["title"])
    case .album: ("songs_fts", ["album"])
    case .albumArtist: ("songs_fts", ["album_artist"])
    case .genre: ("songs_fts", ["genre"])
    case .path: ("source_paths_fts", ["full_path"])
    }
  }

  private mutating func finding(_ field: FindingColumn, _ test: FindingTest, _ tables: Set<String>) -> String {
    isIndexed = field.isIndexed && test != .none
    // If the table does not exist, there are no findings.
    guard tables.contains(field.table) else { return test == .none ? "1" : "0" }
    let column = "\(field.table).\(field.column)"
    let files = "SELECT \(field.table).file FROM \(field.table) WHERE "
    switch test {
    case .number(let range): return "song.id IN (\(files)\(number(column, range)))"
    case .flag(let flag): return "song.id IN (\(files)\(equal(column, .flag(flag))))"
    case .text(let text, isPrefix: false): return "song.id IN (\(files)\(equal(column, .text(text))) COLLATE NOCASE)"
    case .text(let text, isPrefix: true):
      values += [.text(text), .text(text)]
      return "song.id IN (\(files)substr(\(column), 1, length(?)) = ? COLLATE NOCASE)"
    case .none: return "song.id NOT IN (\(files)\(column) IS NOT NULL)"
    }
  }

  private mutating func number(_ field: TrackCondition.NumberField, _ range: NumberRange) -> String {
    number("song.\(Self.column(field))", range)
  }

  private mutating func number(_ column: String, _ range: NumberRange) -> String {
    var parts: [String] = []
    if let lower = range.lower {
      values.append(.number(lower))
      parts.append("\(column) \(range.includesLower ? ">=" : ">") ?")
    }
    if let upper = range.upper {
      values.append(.number(upper))
      parts.append("\(column) \(range.includesUpper ? "<=" : "<") ?")
    }
    return parts.isEmpty ? "\(column) IS NOT NULL" : parts.joined(separator: " AND ")
  }

  private static func column(_ field: TrackCondition.NumberField) -> String {
    switch field {
    case .bpm: "bpm"
    case .confidence: "confidence"
    case .year: "year"
    case .integratedLoudness: "lufs"
    case .duration: "duration_s"
    }
  }

  private mutating func missing(_ name: String, _ tables: Set<String>) -> String {
    switch name {
    case "bpm", "key", "year": return "song.\(name) IS NULL"
    case "loudness": return "song.lufs IS NULL"
    case "beats": return noRow(in: "beat_grid", tables)
    case "chapters": return noRow(in: "chapter", tables)
    case _ where FilterField.findings.contains(name): return noRow(in: name, tables)
    default:
      values = [.text(name)]
      return noRow(in: "tag", tables, where: " AND tag.name = ?")
    }
  }

  private mutating func noRow(in table: String, _ tables: Set<String>, where condition: String = "") -> String {
    isIndexed = false
    guard tables.contains(table) else {
      values = []
      return "1"
    }
    return "NOT EXISTS (SELECT 1 FROM \(table) WHERE \(table).file = song.id\(condition))"
  }
}
