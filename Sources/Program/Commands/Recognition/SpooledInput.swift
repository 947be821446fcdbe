internal import AnalysisTasks
import Foundation
import Platform
import SystemPackage

/// Standard input copied to a file, because decoders must seek and a pipe cannot.
struct SpooledInput: ~Copyable {
  private let file: UnnamedFile

  /// The path under which only this process can open the data.
  var path: FilePath { FilePath("/proc/self/fd/\(file.descriptor.rawValue)") }

  private init(_ file: consuming UnnamedFile) {
    self.file = file
  }

  /// Reads standard input to its end into an unnamed file, which disappears with the returned value.
  static func read() throws(CommandFailure) -> SpooledInput {
    let folder = FilePath.temporaryFolder
    do {
      let spooled = try SpooledInput(UnnamedFile(in: folder))
      try spooled.copyStandardInput()
      return spooled
    } catch {
      throw CommandFailure(
        .fatal, "Standard input cannot be kept in \(folder.string): \(error). Set TMPDIR to use another folder.")
    }
  }

  private func copyStandardInput() throws {
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = try chunk.withUnsafeMutableBytes { try unsafe FileDescriptor.standardInput.read(into: $0) }
      if count == 0 { return }
      try file.descriptor.writeAll(chunk.prefix(count))
    }
  }
}
