internal import Platform
public import SystemPackage

public enum ReportDestination: Hashable, Sendable {
  case file(FilePath)
  case standardOutput
}

/// Writes bytes to a destination. A file appears at its path when it is complete. An unfinished file is removed.
final class ReportOutput {
  /// The file; `nil` for standard output.
  private let file: FileReplacement?

  init(_ destination: ReportDestination) throws(ReportError) {
    guard case .file(let path) = destination else {
      file = nil
      return
    }
    do {
      file = try FileReplacement(path)
    } catch {
      throw .cannotCreate(path: path, reason: "\(error)")
    }
  }

  func write(_ bytes: [UInt8]) throws(ReportError) {
    do {
      if let file { try file.write(bytes) } else { _ = try FileDescriptor.standardOutput.writeAll(bytes) }
    } catch Errno.brokenPipe {
      throw .closedPipe
    } catch {
      throw .cannotWrite(path: file?.path, reason: "\(error)")
    }
  }

  func finish() throws(ReportError) {
    guard let file else { return }
    do {
      try file.commit()
    } catch {
      throw .cannotWrite(path: file.path, reason: "\(error)")
    }
  }
}
