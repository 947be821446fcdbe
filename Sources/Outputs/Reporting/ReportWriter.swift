public import Platform
public import Records

/// Writes a report record by record. Memory use does not depend on the number of records. The exception is an HTML
/// page: it can be written only when all its records are known, so it keeps about 200 bytes for each of them.
///
/// A report file appears only when `finish()` is called. If that never happens, no file is written.
public final class ReportWriter {
  public static let schema = "nocturne.report"
  public static let schemaVersion = 1

  /// The encoder; `nil` for an HTML page.
  private var encoder: (any ReportEncoder)?
  private let page: LibraryPage?
  private let output: ReportOutput
  private let flushSize = 1 << 18

  /// - Parameters:
  ///   - run: The run that a JSON or HTML report describes. The other formats omit it.
  ///   - generated: The time of a JSON or HTML report. The other formats omit it.
  ///   - page: Additional data for an HTML report.
  public init(
    _ format: ReportFormat, to destination: ReportDestination, options: ReportOptions, run: RunRecord?,
    generated: Timestamp = .now, page: PageInput = PageInput()
  ) throws(ReportError) {
    encoder =
      switch format {
      case .json: JSONReport(options)
      case .ndjson: NDJSONReport(options)
      case .csv: CSVReport(options)
      case .html: nil
      }
    self.page = format == .html ? LibraryPage(options, run: run, generated: generated, source: page) : nil
    output = try ReportOutput(destination)
    encoder?.begin(run: run, generated: generated)
  }

  public func append(_ record: FileRecord) throws(ReportError) {
    page?.append(record)
    encoder?.append(record)
    if encoder?.bytes.count ?? 0 >= flushSize { try flush() }
  }

  /// Writes the records appended so far to the destination, for reports that are read while they grow.
  public func flush() throws(ReportError) {
    if let bytes = encoder?.bytes, !bytes.isEmpty { try output.write(bytes) }
    encoder?.removeBytes()
  }

  /// - Throws: `ReportError`, or any error from reading the long records of a page.
  public func finish() throws {
    try page?.write { try output.write($0) }
    encoder?.end()
    try flush()
    try output.finish()
  }

  /// Returns one file as a line of NDJSON, including the line break.
  public static func ndjsonLine(for record: FileRecord, options: ReportOptions) -> [UInt8] {
    var report = NDJSONReport(options)
    report.append(record)
    return report.bytes
  }
}
