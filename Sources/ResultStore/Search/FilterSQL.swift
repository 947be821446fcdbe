internal import Analysis
internal import Filters
internal import System
internal import SystemPackage

/// A filter as a condition on the table `song`.
struct FilterSQL {
  private(set) var condition = "1"
  private(set) var values: [SQLValue] = []
  private let tables: Set<String>
  private let now: Timestamp

  /// - Parameter tables: Those that the database has.
  init(_ filter: TrackFilter, tables: Set<String>, now: Timestamp = .now) {
    self.tables = tables
    self.now = now
    condition = sql(filter.expression)
  }

  private mutating func sql(_ expression: TrackFilter.Expression) -> String {
    switch expression {
    case .all(let parts): return joined(parts, by: "AND", none: "1")
    case .any(let parts): return joined(parts, by: "OR", none: "0")
    // NULL is neither true nor false.
    case .not(let part): return "(\(sql(part))) IS NOT TRUE"
    case .condition(let condition): return sql(condition)
    }
  }

  private mutating func joined(_ parts: [TrackFilter.Expression], by word: String, none: String) -> String {
    var list: [String] = []
    for part in parts { list.append(sql(part)) }
    return list.isEmpty ? none : list.count == 1 ? list[0] : "(\(list.joined(separator: " \(word) ")))"
  }

  private mutating func sql(_ condition: TrackCondition) -> String {
    switch condition {
    case .text(let field, let words): return sql(field, words)
    case .number(let field, let range): return sql(field, range)
    case .key(let key): return equal("song.key", .text(key.camelot))
    case .codec(let codec): return equal("song.codec", .text(codec))
    case .isLossless(let isLossless): return equal("song.lossless", .flag(isLossless))
    case .isLocked(let isLocked): return equal("song.locked", .flag(isLocked))
    case .status(let status): return equal("song.status", .text(status.rawValue))
    case .missing(let name): return missing(name)
    case .under(let path):
      let ranges = PathRange.covering(path)
      for range in ranges { values += range.values }
      return "song.id IN (SELECT id FROM file WHERE \(ranges.map { _ in PathRange.condition }.joined(separator: " OR ")))"
    case .added(let range):
      var parts: [String] = []
      for (point, comparison) in [(range.since, ">="), (range.until, "<")] {
        guard let point else { continue }
        values.append(.integer(point.nanoseconds(now: now.nanoseconds)))
        parts.append("song.added_ns \(comparison) ?")
      }
      return parts.isEmpty ? "1" : "(\(parts.joined(separator: " AND ")))"
    }
  }

  private mutating func equal(_ column: String, _ value: SQLValue) -> String {
    values.append(value)
    return "\(column) = ?"
  }

  private mutating func sql(_ field: TrackCondition.TextField, _ words: FilterWords) -> String {
    let (index, columns) = Self.columns(field)
    let pattern = FullTextPattern.phrase(words.text, isPrefix: words.isPrefix, columns: columns)
    // Signs alone, such as “!!!”, are no words, and paths have no variants.
    guard let pattern, field != .path || !NameVariants.hasUnspacedScript(words.text) else {
      let texts = columns.map { $0 == "full_path" ? "(SELECT display_path FROM file WHERE file.id = song.id)" : "song.\($0)" }
      for _ in texts { values.append(.text(words.text)) }
      return "(\(texts.map { "instr(\($0), ?) > 0" }.joined(separator: " OR ")))"
    }
    values.append(.text(pattern))
    return "song.id IN (SELECT rowid FROM \(index) WHERE \(index) MATCH ?)"
  }

  /// Of a full-text table.
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

  private mutating func sql(_ field: TrackCondition.NumberField, _ range: NumberRange) -> String {
    let column = "song.\(Self.column(field))"
    var parts: [String] = []
    if let lower = range.lower {
      values.append(.real(lower))
      parts.append("\(column) >= ?")
    }
    if let upper = range.upper {
      values.append(.real(upper))
      parts.append("\(column) \(range.includesUpper ? "<=" : "<") ?")
    }
    return parts.isEmpty ? "\(column) IS NOT NULL" : "(\(parts.joined(separator: " AND ")))"
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

  /// What a finding that may be missing is known by.
  private mutating func missing(_ name: String) -> String {
    switch name {
    case "bpm", "key", "year": "song.\(name) IS NULL"
    case "loudness": "song.lufs IS NULL"
    case "beats": noRow(in: "beat_grid")
    case "chapters": noRow(in: "chapter")
    case "fingerprint", "signature", "waveform", "cues", "sections", "traits", "likeness", "lyrics": noRow(in: name)
    default: noTag(name)
    }
  }

  private func noRow(in table: String) -> String {
    tables.contains(table) ? "NOT EXISTS (SELECT 1 FROM \(table) WHERE \(table).file = song.id)" : "1"
  }

  private mutating func noTag(_ name: String) -> String {
    guard tables.contains("tag") else { return "1" }
    values.append(.text(name))
    return "NOT EXISTS (SELECT 1 FROM tag WHERE tag.file = song.id AND tag.name = ?)"
  }
}
