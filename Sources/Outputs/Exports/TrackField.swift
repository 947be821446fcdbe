internal import Analysis
internal import Filters
internal import Library
internal import Platform
internal import Records
internal import SystemPackage
internal import Text

/// A field of search-engine documents and of tables. It is declared once; documents, settings and schemas are derived
/// from the declaration. Unknown values are left out of a document.
struct TrackField: Sendable {
  enum Kind: Hashable, Sendable {
    case text
    case texts
    /// A value that is meaningful only as a whole.
    case keyword
    case keywords
    case integer
    case number
    case boolean
    case time
  }

  enum Value: Sendable {
    case text(String)
    case texts([String])
    case integer(Int64)
    case number(Double)
    case boolean(Bool)
    case time(Timestamp)
  }

  /// The name. For fields of findings, it is the name in the CSV report.
  var name: String
  var kind: Kind
  /// `true` if the field is searched by words.
  var isSearched = false
  /// `true` if the field is used for filters and facets.
  var isFiltered = false
  var isSorted = false
  /// Returns the value of the field; `nil` if unknown.
  var value: @Sendable (FileRecord) -> Value?

  /// Returns the key of a document, which engines store under different names.
  static func id(of record: FileRecord) -> String { ContentID(ofPath: record.path).description }

  /// The fields of all documents and tables. Searched fields are in the order of their weight.
  static let all: [TrackField] = [
    .text("title", sorted: true) { $0.track.titleTag },
    .texts("artists", filtered: true) { $0.track.artists },
    .text("artist", sorted: true) { $0.track.artist },
    .text("album", filtered: true, sorted: true) { $0.track.album },
    .texts("album_artists", filtered: true) { $0.track.albumArtists },
    .texts("genres", filtered: true) { $0.track.genres },
    .texts("composers", filtered: true) { $0.track.values("composer") },
    .texts("labels", filtered: true) { $0.track.values("label") },
    .text("file_name") { $0.path.lastComponent.map { DisplayPath.text(of: FilePath(root: nil, [$0])) } },
    .text("path", sorted: true) { DisplayPath.text(of: $0.path) },
    .keyword("uri") { $0.path.uri },
    .keyword("content_id", filtered: true) { $0.contentID?.description },
    .keyword("status", filtered: true) { $0.status.rawValue },
    .integer("year") { $0.track.year.map(Int64.init) },
    .integer("track") { $0.track.number("track").map(Int64.init) },
    .integer("disc") { $0.track.number("disc").map(Int64.init) },
    TrackField(name: "isrc", kind: .keywords, isSearched: true, isFiltered: true) {
      ($0.tags?.fields["isrc"]).map { .texts($0) }
    },
    .keyword("musicbrainz_recordingid", filtered: true) { $0.track.first("musicbrainz_recordingid") },
    .number("tempo_bpm") { $0.tempo?.bpm },
    .number("tempo_confidence") { record in record.tempo.flatMap { $0.bpm == nil ? nil : $0.confidence } },
    .boolean("tempo_locked") { $0.tempo == nil ? nil : $0.tempoCorrection != nil },
    .keyword("key_name", filtered: true) { $0.keyFinding?.name },
    .keyword("key_camelot", filtered: true, sorted: true) { $0.keyFinding?.camelot },
    .number("key_confidence") { record in
      record.keyFinding.flatMap { $0.tonic == nil ? nil : $0.confidence }
    },
    .number("loudness_integrated_lufs") { $0.findings[LoudnessFinding.self]?.integrated },
    .number("loudness_true_peak_dbtp") { $0.findings[LoudnessFinding.self]?.truePeak },
    .number("loudness_track_gain_db") { $0.findings[LoudnessFinding.self]?.trackGain },
    .number("loudness_album_gain_db") { $0.findings[LoudnessFinding.self]?.albumGain },
    .number("traits_energy") { $0.findings[TraitsFinding.self]?.energy },
    .number("traits_danceability") { $0.findings[TraitsFinding.self]?.danceability },
    .number("traits_speechiness") { $0.findings[TraitsFinding.self]?.speechiness },
    .number("duration_s") { $0.format?.duration },
    .keyword("container", filtered: true) { $0.format?.container },
    .keyword("codec", filtered: true) { $0.format?.codec },
    .boolean("lossless") { $0.format?.isLossless },
    .integer("sample_rate_hz") { ($0.format?.sampleRate).map(Int64.init) },
    .integer("channels") { ($0.format?.channelCount).map(Int64.init) },
    .integer("bit_depth") { ($0.format?.bitDepth).map(Int64.init) },
    .integer("bit_rate_bps") { ($0.format?.bitRate).map(Int64.init) },
    .integer("size_bytes") { $0.sizeBytes },
    .time("added_at") { $0.runs?.added },
    .time("modified_at") { $0.modified },
    .time("analyzed_at") { $0.analyzed },
  ]

  /// Returns the numbers, texts and flags of findings that are not in `all`, named as in the CSV report. Fingerprints
  /// are left out, because they have a separate export and are longer than all other fields together.
  static func others(of findings: [any DeclaredFinding.Type]) -> [TrackField] {
    let known = Set(all.map(\.name))
    return findings.filter { $0 != FingerprintFinding.self }.flatMap { fields(of: $0) }.filter {
      !known.contains($0.name)
    }
  }

  private static func fields<Finding: DeclaredFinding>(of type: Finding.Type) -> [TrackField] {
    let columns = Set(FindingColumn.all(of: [type]).map(\.name))
    return Finding.declaration.fields.compactMap { field in
      let name = "\(Finding.declaration.name)_\(field.name)"
      guard columns.contains(name), field.long == nil, let kind = Kind(field.type), let value = field.report else {
        return nil
      }
      return TrackField(name: name, kind: kind) { record in
        record.findings[type].flatMap { Value(value($0, record.context)) }
      }
    }
  }
}

extension TrackField.Kind {
  /// Returns `nil` for lists and records.
  init?(_ type: FieldType) {
    switch type {
    case .text: self = .text
    case .integer: self = .integer
    case .number: self = .number
    case .boolean: self = .boolean
    default: return nil
    }
  }
}

extension TrackField.Value {
  /// Returns `nil` for lists, records and unknown values.
  init?(_ value: FieldValue) {
    switch value {
    case .text(let text) where !text.isEmpty: self = .text(text)
    case .integer(let number): self = .integer(Int64(number))
    case .number(let number) where number.isFinite: self = .number(number)
    case .boolean(let flag): self = .boolean(flag)
    default: return nil
    }
  }
}

extension TrackField {
  private static func text(
    _ name: String, filtered: Bool = false, sorted: Bool = false, _ get: @escaping @Sendable (FileRecord) -> String?
  ) -> TrackField {
    TrackField(name: name, kind: .text, isSearched: true, isFiltered: filtered, isSorted: sorted) {
      get($0).map { .text($0) }
    }
  }

  private static func texts(
    _ name: String, filtered: Bool, _ get: @escaping @Sendable (FileRecord) -> [String]
  ) -> TrackField {
    TrackField(name: name, kind: .texts, isSearched: true, isFiltered: filtered) {
      let values = get($0)
      return values.isEmpty ? nil : .texts(values)
    }
  }

  private static func keyword(
    _ name: String, filtered: Bool = false, sorted: Bool = false,
    _ get: @escaping @Sendable (FileRecord) -> String?
  ) -> TrackField {
    TrackField(name: name, kind: .keyword, isFiltered: filtered, isSorted: sorted) {
      get($0).map { .text($0) }
    }
  }

  private static func integer(_ name: String, _ get: @escaping @Sendable (FileRecord) -> Int64?) -> TrackField {
    TrackField(name: name, kind: .integer, isFiltered: true, isSorted: true) { get($0).map { .integer($0) } }
  }

  private static func number(
    _ name: String, _ get: @escaping @Sendable (FileRecord) -> Double?
  ) -> TrackField {
    TrackField(name: name, kind: .number, isFiltered: true, isSorted: true) { record in
      get(record).flatMap { $0.isFinite ? .number($0) : nil }
    }
  }

  private static func boolean(_ name: String, _ get: @escaping @Sendable (FileRecord) -> Bool?) -> TrackField {
    TrackField(name: name, kind: .boolean, isFiltered: true) { get($0).map { .boolean($0) } }
  }

  private static func time(_ name: String, _ get: @escaping @Sendable (FileRecord) -> Timestamp?) -> TrackField {
    TrackField(name: name, kind: .time, isFiltered: true, isSorted: true) { get($0).map { .time($0) } }
  }
}

extension JSONWriter {
  /// Writes a document with its key and all known values.
  /// - Parameters:
  ///   - timesAreNumbers: `true` to write times as seconds since 1970 instead of RFC 3339, for engines without dates.
  ///   - writeMore: Writes the members that only one engine has.
  mutating func searchDocument(
    _ record: FileRecord, key name: String, timesAreNumbers: Bool, _ writeMore: (inout JSONWriter) -> Void
  ) {
    beginObject()
    key(name)
    string(TrackField.id(of: record))
    for field in TrackField.all {
      guard let value = field.value(record) else { continue }
      key(field.name)
      switch value {
      case .text(let text): string(text)
      case .texts(let texts):
        beginArray()
        for text in texts { string(text) }
        endArray()
      case .integer(let number): integer(number)
      case .number(let number): self.number(number, decimals: reportedDecimals)
      case .boolean(let flag): bool(flag)
      case .time(let time): if timesAreNumbers { integer(time.seconds) } else { string(time.description) }
      }
    }
    writeMore(&self)
    endObject()
  }
}
