internal import Analysis
internal import Platform
internal import Records
internal import SystemPackage

/// A folder of Parquet files: `tracks` (a row each), `beats` and `tags` (a row for each beat and each value of a tag), and
/// `removals`.
struct ParquetExport: ExportFormat {
  let name = "parquet"
  let abstract = "Tables of tracks, beats and tags for DuckDB, pandas, Polars and Spark; --option rows=N in a row group"
  let long: Set<String> = ["beats"]
  let output = ExportOutput.folder(files: ["tracks", "beats", "tags", "removals"].map { "\($0).parquet" })

  func begin(_ context: ExportContext) throws -> any ExportWriter {
    try context.checkOptions(["rows"])
    guard let text = context.options["rows"] else { return try ParquetWriter(context) }
    guard let rows = Int(text), (1...ParquetFile.largestGroup).contains(rows) else {
      throw ExportError.badOption("rows", value: text, expected: "a number from 1 to \(ParquetFile.largestGroup)")
    }
    return try ParquetWriter(context, groupRows: rows)
  }
}

private struct ParquetWriter: ExportWriter {
  private let fields: [TrackField]
  private let tracks: ParquetFile
  private let beats: ParquetFile
  private let tags: ParquetFile
  private let removals: ParquetFile

  init(_ context: ExportContext, groupRows: Int = ParquetFile.largestGroup) throws(ExportError) {
    let folder = context.output ?? "."
    func file(_ name: String, _ columns: [ParquetColumn]) throws(ExportError) -> ParquetFile {
      try ParquetFile(folder.appending("\(name).parquet"), columns, groupRows: groupRows, program: context.program)
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
    removals = try file(
      "removals", [ParquetColumn("file_id", .text, isRequired: true), ParquetColumn("path", .text, isRequired: true)])
  }

  mutating func append(_ record: FileRecord) throws {
    let id = ParquetColumn.Value.text(TrackField.id(of: record))
    try tracks.append([id] + fields.map { $0.value(record).map(ParquetColumn.Value.init) })
    if let tempo = record.tempo {
      // Where it is not known which beats are the first of a bar, none is said not to be.
      let downbeats = tempo.downbeats.map { Set($0) }
      for (index, time) in tempo.beats.enumerated() {
        let isDownbeat = downbeats.map { ParquetColumn.Value.boolean($0.contains(time)) }
        try beats.append([id, .integer(Int64(index + 1)), .number(time), isDownbeat])
      }
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
    let files = [tracks, beats, tags, removals]
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
