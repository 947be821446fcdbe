public import Records
internal import Text

/// Writes the lines of a worker.
public struct WorkerRecordWriter: Sendable {
  private let shape: Shape<WorkerRecord>

  public init(options: ReportOptions = ReportOptions()) {
    shape = .worker(options)
  }

  /// One line, line break included.
  public func line(for record: WorkerRecord) -> [UInt8] {
    var json = JSONWriter()
    shape.writeJSON(record, into: &json)
    json.endLine()
    return json.bytes
  }
}

extension ReportSchema {
  /// The JSON Schema of a line of `analyze worker`.
  public static var ofWorker: String {
    guard case .object(let members) = Shape<WorkerRecord>.worker(ReportOptions()).schema else { return "" }
    return SchemaNode.object(
      [("$schema", dialect), ("title", .string("\(WorkerRecord.schema), version \(WorkerRecord.schemaVersion)"))]
        + members
    ).text
  }
}
