internal import Platform
internal import Records

/// A report format, which turns records into bytes. Bytes are not kept after they have been written, so memory use does
/// not grow with the number of records.
protocol ReportEncoder {
  var bytes: [UInt8] { get }

  mutating func begin(run: RunRecord?, generated: Timestamp)
  mutating func append(_ record: FileRecord)
  mutating func end()
  mutating func removeBytes()
}
