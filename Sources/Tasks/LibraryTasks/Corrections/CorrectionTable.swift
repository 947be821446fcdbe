internal import Analysis
internal import Platform
internal import Records
internal import ResultStore
internal import Text

/// A table of corrections in CSV: a header, followed by a row for each recording. Reading it requires only `content_id`
/// and `bpm`.
enum CorrectionTable {
  struct RowError: Error {
    /// A sentence without its period.
    var reason: String
  }

  // MARK: - Writing

  /// The columns in the order in which they are written.
  static let columns = Shape<ResultStore.ListedTempoCorrection>(
    summary: "A correction.",
    fields: [
      .required("content_id", .contentID, "Content id of the audio.") { $0.audio },
      .optional("path", .path, "Path of a file with this audio; ignored on import.") {
        $0.path.map { DisplayPath.text(of: $0) }
      },
      .optional("artist", .text, "Performers; ignored on import.") { $0.artist },
      .optional("title", .text, "Title; ignored on import.") { $0.title },
      .required("bpm", .text, "Beats per minute, or none.") { $0.correction.bpm.map(text) ?? none },
      .optional("found_bpm", .number, "Tempo found by the analyzer; ignored on import.") { $0.foundBPM },
      .optional("metre", .text, "Meter, such as 4/4, 3/4, 6/8 or 12/8.") { $0.correction.grid?.metre },
      .optional("first_beat_s", .number, "Time of the first beat in seconds; ignored on import.") {
        $0.correction.grid?.beats.first
      },
      .required("beats", .text, "Times of the beats, or the word found or none.") { beatText($0.correction) },
      .optional("downbeats", .text, "The beats that begin a bar.") {
        $0.correction.grid?.downbeats.map { TimeNotation.text(of: $0) }
      },
      .optional("tempo_map", .text, "Start in seconds = beats per minute.") { mapText($0.correction.grid) },
      .optional("stable", .boolean, "One tempo throughout.") { $0.correction.grid?.isStable },
      .required("corrected_at", .dateTime, "When it was set.") { $0.correction.corrected },
    ])

  static func header() -> [UInt8] {
    var csv = CSVWriter(guardsFormulas: true)
    for column in columns.columns { csv.text(column.name) }
    csv.endRow()
    return csv.bytes
  }

  static func row(_ correction: ResultStore.ListedTempoCorrection) -> [UInt8] {
    var csv = CSVWriter(guardsFormulas: true)
    columns.writeCells(correction, into: &csv)
    csv.endRow()
    return csv.bytes
  }

  private static let none = "none"
  /// Stands for a tempo map and beats derived from the ones that the analyzer found.
  private static let found = "found"

  private static func beatText(_ correction: TempoCorrection) -> String {
    guard let grid = correction.grid else { return correction.bpm == nil ? none : found }
    return grid.beats.isEmpty ? none : TimeNotation.text(of: grid.beats)
  }

  /// Formats a number with all its digits, so that reading it back results in the same number.
  private static func text(_ number: Double) -> String {
    let text = "\(number)"
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
  }

  private static func mapText(_ grid: TempoCorrection.Grid?) -> String? {
    grid.map { $0.map.map { "\(text($0.startSeconds))=\(text($0.bpm))" }.joined(separator: " ") }
  }

  // MARK: - Reading

  struct Layout {
    private var places: [String: Int] = [:]

    /// - Throws: `RowError` if columns are missing.
    init(header: [String]) throws(RowError) {
      for (place, name) in header.enumerated() {
        let name = name.trimmed.lowercased()
        if places[name] == nil { places[name] = place }
      }
      for name in ["content_id", "bpm"] where places[name] == nil {
        throw RowError(
          reason: header.count == 1 && header[0].contains(";")
            ? "its columns are separated by semicolons; save it with commas"
            : "its first line has no column \(name)")
      }
    }

    fileprivate func cell(_ name: String, in row: [String]) -> String? {
      guard let place = places[name], row.indices.contains(place) else { return nil }
      let text = FormulaGuard.removed(from: row[place].trimmed)
      return text.isEmpty ? nil : text
    }
  }

  static func correction(
    _ row: [String], _ layout: Layout, now: Timestamp
  ) throws(RowError) -> (ContentID, TempoCorrection) {
    guard let id = layout.cell("content_id", in: row) else { throw RowError(reason: "it has no content_id") }
    guard let audio = ContentID(id) else {
      throw RowError(reason: "the content_id is not 22 letters and digits: \(shortened(id))")
    }
    guard let tempo = layout.cell("bpm", in: row) else { throw RowError(reason: "it has no bpm") }
    var corrected = now
    if let text = layout.cell("corrected_at", in: row) {
      guard let time = Timestamp(rfc3339: text) else {
        throw RowError(reason: "corrected_at is not a time such as 2026-11-21T04:15:04Z: \(shortened(text))")
      }
      corrected = time
    }
    if tempo == none { return (audio, TempoCorrection(bpm: nil, grid: nil, corrected: corrected)) }
    guard let bpm = Double(tempo), TempoChange.tempi.contains(bpm) else {
      throw RowError(reason: "bpm is not a number from 10 to 1000, or none: \(shortened(tempo))")
    }
    return (audio, TempoCorrection(bpm: bpm, grid: try grid(row, layout, bpm: bpm), corrected: corrected))
  }

  /// Returns `nil` if the beats are derived from the ones that the analyzer found.
  private static func grid(
    _ row: [String], _ layout: Layout, bpm: Double
  ) throws(RowError) -> TempoCorrection.Grid? {
    guard let beatText = layout.cell("beats", in: row), beatText != found else { return nil }
    var grid = TempoCorrection.Grid(isStable: true, map: [], beats: [])
    if beatText != none {
      grid.beats = try times(beatText, "beats")
      if let text = layout.cell("downbeats", in: row) { grid.downbeats = try times(text, "downbeats") }
    }
    if let metre = layout.cell("metre", in: row) {
      guard Metronome.Metre(metre) != nil else {
        throw RowError(reason: "metre is not a meter such as 4/4 or 6/8: \(shortened(metre))")
      }
      grid.metre = metre
    }
    if let text = layout.cell("tempo_map", in: row) { grid.map = try map(text) }
    if grid.map.isEmpty { grid.map = [TempoFinding.Section(startSeconds: 0, bpm: bpm)] }
    grid.isStable = grid.map.count == 1
    if let stable = layout.cell("stable", in: row)?.lowercased() {
      guard ["true", "false"].contains(stable) else {
        throw RowError(reason: "stable is not true or false: \(shortened(stable))")
      }
      grid.isStable = stable == "true"
    }
    return grid
  }

  private static func times(_ text: String, _ name: String) throws(RowError) -> [Double] {
    guard let times = TimeNotation.times(in: text) else {
      throw RowError(reason: "\(name) are not ascending times such as 0.41+0.4762*830: \(shortened(text))")
    }
    return times
  }

  private static func map(_ text: String) throws(RowError) -> [TempoFinding.Section] {
    var sections: [TempoFinding.Section] = []
    for word in text.split(separator: " ") {
      let numbers = word.split(separator: "=", omittingEmptySubsequences: false).map { Double($0) }
      guard numbers.count == 2, let start = numbers[0], let bpm = numbers[1], start.isFinite,
        start > sections.last?.startSeconds ?? -1, bpm > 0, bpm.isFinite
      else { throw RowError(reason: "tempo_map is not of the form 0=126 61.5=128: \(shortened(text))") }
      sections.append(TempoFinding.Section(startSeconds: start, bpm: bpm))
    }
    return sections
  }

  private static func shortened(_ text: String) -> String {
    printable(text.count > 40 ? text.prefix(40) + "…" : text[...])
  }
}

extension String {
  fileprivate var trimmed: String {
    var text = self[...]
    while text.first?.isWhitespace == true { text.removeFirst() }
    while text.last?.isWhitespace == true { text.removeLast() }
    return String(text)
  }
}
