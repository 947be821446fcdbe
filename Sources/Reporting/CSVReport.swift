internal import Records
internal import System
internal import Text

/// One file per row, under a header.
struct CSVReport: ReportEncoder {
  private let columns: [Column<FileRecord>]
  private var csv: CSVWriter

  init(_ options: ReportOptions) {
    columns = Shape.file(options).columns
    csv = CSVWriter(guardsFormulas: options.guardsFormulas)
  }

  var bytes: [UInt8] { csv.bytes }
  mutating func removeBytes() { csv.removeAll() }

  mutating func begin(run: RunRecord?, generated: Timestamp) {
    for column in columns { csv.text(column.name) }
    csv.endRow()
  }

  mutating func append(_ record: FileRecord) {
    for column in columns { column.write(record, &csv) }
    csv.endRow()
  }

  mutating func end() {}
}
