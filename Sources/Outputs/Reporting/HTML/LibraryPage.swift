internal import Analysis
internal import Foundation
internal import Platform
internal import Records
internal import SystemPackage

/// The page that people open in the morning. It shows new tracks, failures and their causes, an overview of the
/// library, and all tracks.
///
/// Records arrive in path order and are kept as columns until the page is written. The markup, style and script of the
/// page are in `Sources/Outputs/Pages/report`.
///
/// The data is in three `script` elements of type `application/json` (`<` is always `\u003c`):
/// - `library`: news and history, in `first_run`, `run_name`, `runs` (at most 60) and `problems`.
/// - `columns`: one column per property. A column is a list of texts, or packed `{"bytes": w, "scale": s, "offset": o,
///   "data": base64}`: unsigned little-endian integers of w bytes. All bits set means no value; otherwise, the value is
///   (raw + o) / s. `dictionaries` are sorted in display order, so an index is a rank. A `/` in `file` represents the
///   title. `sound` has `width` signed bytes per track; −128 means none.
/// - `details`: `strips` (`all`, `some`, `none`) and `tracks`, by row, for the panel. Waveforms, onsets and beats are
///   included in this order: new tracks, broken ones, corrected ones, those with uncertain tempos, and all others.
///
/// The `….parts` files in `Sources/Outputs/Pages` list the files that make up a style or script. After a change there,
/// run `Scripts/write-resources`, because the policy in the head of the page allows only a style and script whose
/// hashes it lists.
final class LibraryPage {
  /// Maximum number of tracks for which the page contains the short details of all tracks.
  private static let fullDetails = 20_000
  /// Maximum size of the curves and beats of all tracks, in bytes of JSON.
  private static let stripLimit = 4_000_000
  /// Maximum number of tracks that are read for curves and beats.
  private static let maxStrips = 20_000
  private let source: PageInput
  private let news: PageNews
  private let details: TrackDetails
  private var columns: TrackColumns
  /// The members of each track in `details.tracks`; `nil` once there are too many tracks.
  private var shortDetails: TextColumn? = TextColumn()
  private let firstDays: [Int64: Int]

  init(_ options: ReportOptions, run: RunRecord?, generated: Timestamp, source: PageInput) {
    self.source = source
    news = PageNews(run: run, generated: generated, source: source)
    details = TrackDetails(options)
    columns = TrackColumns(soundWidth: source.sound?.width ?? 0)
    firstDays = Dictionary(
      source.runs.map { ($0.id, TrackColumns.day($0.started)) }, uniquingKeysWith: { first, _ in first })
  }

  func append(_ record: FileRecord) {
    news.countHistory(record)
    if record.isVanished, !news.showsVanished { return }
    if PageNews.isUnlisted(record) { return }
    let row = columns.count
    let status = TrackColumns.Status(of: record)
    let descriptor = record.findings[LikenessFinding.self]?.descriptor ?? []
    columns.append(
      record, status: status, problem: record.isVanished ? "vanished" : record.problem?.code,
      isNew: news.isNew(record), added: record.runs.flatMap { firstDays[$0.firstSeen] },
      sound: descriptor.isEmpty ? nil : source.sound?.reduced(descriptor))
    news.count(record, status: status, row: row)
    if row < Self.fullDetails {
      var json = ScriptJSON()
      details.writeShort(record, into: &json)
      shortDetails?.append(json.takeBytes())
    } else {
      shortDetails = nil
    }
  }

  // MARK: Writing

  func write(to output: ([UInt8]) throws -> Void) throws {
    var values = news.report(below: columns.root).templateValues
    values["duplicates"] = source.duplicates?.templateValues
    for piece in try PageMarkup().pieces(values) {
      try output(Array(piece.text.utf8))
      switch piece.data {
      case .library: try output(news.library(columns))
      case .columns: try columns.write(to: output)
      case .details: try writeDetails(to: output)
      case nil: break
      }
    }
  }

  private func writeDetails(to output: ([UInt8]) throws -> Void) throws {
    let (strips, isComplete) = try readStrips()
    let kind = strips.isEmpty ? "none" : isComplete ? "all" : "some"
    try output(Array(#"{"strips":"\#(kind)","tracks":{"#.utf8))
    var isFirst = true
    for row in shortDetails == nil ? strips.keys.sorted() : Array(0..<columns.count) {
      let short = shortDetails?[row] ?? []
      let strip = strips[row] ?? []
      if short.isEmpty && strip.isEmpty { continue }
      let comma = short.isEmpty || strip.isEmpty ? "" : ","
      try output(
        Array("\(isFirst ? "" : ",")\"\(row)\":{".utf8) + short + Array(comma.utf8) + strip + [UInt8(ascii: "}")])
      isFirst = false
    }
    try output(Array("}}".utf8))
  }

  /// Returns the curves and beats (in a large library, with the short details) of as many tracks as fit, by row, and
  /// whether all tracks fit.
  private func readStrips() throws -> (strips: [Int: [UInt8]], isComplete: Bool) {
    guard let reader = source.longRecords else { return ([:], false) }
    let rows = stripRows
    var strips: [Int: [UInt8]] = [:]
    var size = 0
    var isComplete = rows.count == columns.count
    try reader(rows.map { columns.path($0) }, ["beats", "waveform"]) { place, record in
      var json = ScriptJSON()
      if shortDetails == nil { details.writeShort(record, into: &json) }
      details.writeStrips(record, into: &json)
      let bytes = json.takeBytes()
      size += bytes.count
      guard size <= Self.stripLimit else {
        isComplete = false
        return false
      }
      if !bytes.isEmpty { strips[rows[place]] = bytes }
      return true
    }
    return (strips, isComplete)
  }

  /// The rows whose curves are shown, the most relevant first.
  private var stripRows: [Int] {
    let classes: [(Int) -> Bool] = [
      { self.columns.isNew($0) }, { [.damaged, .failed].contains(self.columns.status($0)) },
      { self.columns.isCorrected($0) }, { self.columns.isUnsure($0) }, { _ in true },
    ]
    var rows: [Int] = []
    var taken: Set<Int> = []
    for isWanted in classes {
      for row in 0..<columns.count where isWanted(row) && !taken.contains(row) {
        if rows.count == Self.maxStrips { return rows }
        rows.append(row)
        taken.insert(row)
      }
    }
    return rows
  }
}
