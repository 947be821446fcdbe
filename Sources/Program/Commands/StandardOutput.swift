package import Reporting
import SystemPackage

/// Writes data to standard output. Unlike `print`, it reports failed writes.
package enum StandardOutput {
  static func write(_ bytes: [UInt8]) throws(ReportError) {
    do {
      try FileDescriptor.standardOutput.writeAll(bytes)
    } catch Errno.brokenPipe {
      throw .closedPipe
    } catch {
      throw .cannotWrite(path: nil, reason: "\(error)")
    }
  }

  package static func write(_ text: String) throws(ReportError) {
    try write(Array(text.utf8))
  }

  static func writeLines(_ lines: [String]) throws(ReportError) {
    try write(lines.map { $0 + "\n" }.joined())
  }
}
