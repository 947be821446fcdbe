public import Records
internal import Text

/// Writes the output lines of a worker.
public struct WorkerRecordWriter: Sendable {
  private let shape: Shape<WorkerRecord>

  public init(options: ReportOptions) {
    shape = .worker(options)
  }

  /// Returns one line, including the line break.
  public func line(for record: WorkerRecord) -> [UInt8] {
    var json = JSONWriter()
    shape.writeJSON(record, into: &json)
    json.endLine()
    return json.bytes
  }
}
