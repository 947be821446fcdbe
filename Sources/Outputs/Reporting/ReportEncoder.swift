internal import Platform
internal import Records

/// One format of reports: records in, bytes out. Bytes that were taken on their way are forgotten, so memory does not
/// grow with the number of records.
protocol ReportEncoder {
  var bytes: [UInt8] { get }

  mutating func begin(run: RunRecord?, generated: Timestamp)
  mutating func append(_ record: FileRecord)
  mutating func end()
  mutating func removeBytes()
}
