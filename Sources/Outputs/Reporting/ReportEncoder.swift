internal import Platform
internal import Records

/// Report format that turns records into bytes. Bytes that were written are dropped, so memory does not grow with the
/// number of records.
protocol ReportEncoder {
  var bytes: [UInt8] { get }

  mutating func begin(run: RunRecord?, generated: Timestamp)
  mutating func append(_ record: FileRecord)
  mutating func end()
  mutating func removeBytes()
}
