import Reporting
import SystemPackage

/// Standard output, where data goes and nothing else. Other than `print` it tells if the data has not arrived.
enum StandardOutput {
  static func write(_ bytes: [UInt8]) throws(ReportError) {
    do {
      try FileDescriptor.standardOutput.writeAll(bytes)
    } catch Errno.brokenPipe {
      throw .closedPipe
    } catch {
      throw .cannotWrite(path: nil, reason: "\(error)")
    }
  }

  static func write(_ text: String) throws(ReportError) {
    try write(Array(text.utf8))
  }

  static func writeLines(_ lines: [String]) throws(ReportError) {
    try write(lines.map { $0 + "\n" }.joined())
  }
}
