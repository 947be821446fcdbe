internal import Platform
public import SystemPackage

/// A failure to write a report. An existing report is left unchanged.
public enum ReportError: Error, Hashable, Sendable {
  case cannotCreate(path: FilePath, reason: String)
  /// The report cannot be written; `path` is `nil` for standard output.
  case cannotWrite(path: FilePath?, reason: String)
  /// The reader of standard output has stopped reading.
  case closedPipe
}

extension ReportError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .cannotCreate(let path, let reason):
      "The report “\(DisplayPath.text(of: path))” cannot be created: \(reason). "
        + "Check the folder and its permissions, or name another one with --output."
    case .cannotWrite(let path?, let reason):
      "Writing the report “\(DisplayPath.text(of: path))” failed: \(reason). The results are in the database; "
        + "fix the cause and run `analyze report`."
    case .cannotWrite(nil, let reason): "Writing to standard output failed: \(reason)."
    case .closedPipe: "The reader of standard output has closed it."
    }
  }
}
