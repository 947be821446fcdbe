internal import Records
internal import Text

extension Shape {
  /// A record as a line of NDJSON, line break included.
  func line(_ record: Record) -> [UInt8] {
    var json = JSONWriter()
    writeJSON(record, into: &json)
    json.endLine()
    return json.bytes
  }
}
