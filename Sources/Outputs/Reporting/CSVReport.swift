internal import Platform
internal import Records
internal import Text

/// The format with a header row, followed by one row for each file.
struct CSVReport: ReportEncoder {
  private let shape: Shape<FileRecord>
  private var csv: CSVWriter

  init(_ options: ReportOptions) {
    shape = .file(options)
    csv = CSVWriter(guardsFormulas: options.guardsFormulas)
  }

  var bytes: [UInt8] { csv.bytes }
  mutating func removeBytes() { csv.removeAll() }

  mutating func begin(run: RunRecord?, generated: Timestamp) {
    for column in shape.columns { csv.text(column.name) }
    csv.endRow()
  }

  mutating func append(_ record: FileRecord) {
    shape.writeCells(record, into: &csv)
    csv.endRow()
  }

  mutating func end() {}
}
