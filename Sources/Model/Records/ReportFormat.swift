public enum ReportFormat: String, Hashable, Sendable, CaseIterable {
  /// One object with the run and all files.
  case json
  /// One file per line.
  case ndjson
  /// One file per row (RFC 4180, UTF-8, with a header).
  case csv
  /// A page for people.
  case html

  public var fileExtension: String { rawValue }
}
