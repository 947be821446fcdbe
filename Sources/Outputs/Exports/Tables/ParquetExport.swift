internal import Analysis
internal import Platform
internal import Records
internal import SystemPackage

/// A folder of Parquet files: `tracks` (one row per track), `beats` and `tags` (one row per beat or tag value), one
/// file per `RecordList`, `likeness` and `removals`.
struct ParquetExport: ExportFormat {
  let name = "parquet"
  let abstract =
    "Tables of tracks, beats, tags and lists of findings for DuckDB, pandas, Polars and Spark; --option rows=N in a row group"
  let long: Set<String> = ["beats", "descriptor"]
  let output = ExportOutput.folder(files: ["tracks", "beats", "tags", "likeness", "removals"].map(Self.fileName))

  func files(for findings: [any DeclaredFinding.Type]) -> [String] {
    guard case .folder(let files) = output else { return [] }
    return files + RecordList.all(of: findings).map { Self.fileName($0.name) }
  }

  fileprivate static func fileName(_ table: String) -> String { "\(table).parquet" }

  func begin(_ context: ExportContext) throws -> any ExportWriter {
    try context.checkOptions(["rows"])
    guard let text = context.options["rows"] else { return try ParquetWriter(context) }
    guard let rows = Int(text), (1...ParquetFile.maxGroupRows).contains(rows) else {
      throw ExportError.badOption("rows", value: text, expected: "a number from 1 to \(ParquetFile.maxGroupRows)")
    }
    return try ParquetWriter(context, groupRows: rows)
  }
}

private struct ParquetWriter: ExportWriter {
  private let fields: [TrackField]
  private let tracks: ParquetFile
  private let beats: ParquetFile
  private let tags: ParquetFile
  private let lists: [(list: RecordList, file: ParquetFile)]
  private let likeness: ParquetFile
  private let removals: ParquetFile

  /// Approximate maximum size, in bytes, of a row group in the table of a list. It is smaller than usual because there
  /// are many such tables, and each keeps a row group in memory.
  private static let listGroupBytes = 4 << 20

  init(_ context: ExportContext, groupRows: Int = ParquetFile.maxGroupRows) throws(ExportError) {
    let folder = context.output ?? "."
    func file(
      _ name: String, _ columns: [ParquetColumn], groupBytes: Int = ParquetFile.maxGroupBytes
    ) throws(ExportError) -> ParquetFile {
      try ParquetFile(
        folder.appending(ParquetExport.fileName(name)), columns, groupRows: groupRows, groupBytes: groupBytes,
        program: context.program)
    }
    fields = TrackField.all + TrackField.others(of: context.findings)
    tracks = try file(
      "tracks",
      [ParquetColumn("file_id", .text, isRequired: true)]
        + fields.map { ParquetColumn($0.name, $0.kind.column) })
    beats = try file(
      "beats",
      [
        ParquetColumn("file_id", .repeatedText, isRequired: true), ParquetColumn("beat", .integer, isRequired: true),
        ParquetColumn("time_s", .number, isRequired: true), ParquetColumn("is_downbeat", .boolean),
      ])
    tags = try file(
      "tags",
      [
        ParquetColumn("file_id", .repeatedText, isRequired: true),
        ParquetColumn("name", .repeatedText, isRequired: true),
        ParquetColumn("position", .integer, isRequired: true), ParquetColumn("value", .text, isRequired: true),
      ])
    lists = try RecordList.all(of: context.findings).map { list throws(ExportError) in
      let columns =
        [
          ParquetColumn("file_id", .repeatedText, isRequired: true),
          ParquetColumn("position", .integer, isRequired: true),
        ] + list.members.map { ParquetColumn($0.name, $0.kind.column) }
      return (list, try file(list.name, columns, groupBytes: Self.listGroupBytes))
    }
    likeness = try file(
      "likeness",
      [
        ParquetColumn("file_id", .text, isRequired: true), ParquetColumn("version", .integer, isRequired: true),
        ParquetColumn("descriptor", .integers),
      ])
    removals = try file(
      "removals", [ParquetColumn("file_id", .text, isRequired: true), ParquetColumn("path", .text, isRequired: true)])
  }

  mutating func append(_ record: FileRecord) throws {
    let id = ParquetColumn.Value.text(TrackField.id(of: record))
    try tracks.append([id] + fields.map { $0.value(record).map(ParquetColumn.Value.init) })
    if let tempo = record.tempo {
      // If downbeats are unknown, `is_downbeat` is null rather than `false`.
      let downbeats = tempo.downbeats.map { Set($0) }
      for (index, time) in tempo.beats.enumerated() {
        let isDownbeat = downbeats.map { ParquetColumn.Value.boolean($0.contains(time)) }
        try beats.append([id, .integer(Int64(index + 1)), .number(time), isDownbeat])
      }
    }
    for (list, file) in lists {
      for (index, row) in list.rows(of: record).enumerated() {
        try file.append([id, .integer(Int64(index + 1))] + row.map { $0.map(ParquetColumn.Value.init) })
      }
    }
    if let version = record.findings[LikenessFinding.self]?.version, let vector = LikenessVector(record) {
      try likeness.append([id, .integer(Int64(version)), .integers(vector.numbers)])
    }
    for (name, values) in (record.tags?.fields ?? [:]).sorted(by: { $0.key < $1.key }) {
      for (index, value) in values.enumerated() {
        try tags.append([id, .text(name), .integer(Int64(index + 1)), .text(value)])
      }
    }
  }

  mutating func remove(_ removal: ExportRemoval) throws {
    try removals.append([.text(removal.fileID), .text(DisplayPath.text(of: removal.path))])
  }

  mutating func finish() throws -> [FilePath] {
    let files = [tracks, beats, tags] + lists.map(\.file) + [likeness, removals]
    for file in files { try file.finish() }
    return try ExportFile.commit(files.map(\.file), listed: true)
  }
}

extension TrackField.Kind {
  fileprivate var column: ParquetColumn.Kind {
    switch self {
    case .text: .text
    case .texts, .keywords: .texts
    case .keyword: .repeatedText
    case .integer: .integer
    case .number: .number
    case .boolean: .boolean
    case .time: .time
    }
  }
}

extension ParquetColumn.Value {
  fileprivate init(_ value: TrackField.Value) {
    self =
      switch value {
      case .text(let text): .text(text)
      case .texts(let texts): .texts(texts)
      case .integer(let number): .integer(number)
      case .number(let number): .number(number)
      case .boolean(let flag): .boolean(flag)
      case .time(let time): .time(time.nanoseconds)
      }
  }
}
