internal import Platform
internal import SystemPackage

/// A file whose beginning, such as the number of tracks, is known only at the end. The rest is spooled to an unnamed
/// file.
final class SpooledFile {
  private let output: ExportFile
  private let folder: FilePath
  private let spool: UnnamedFile
  private var buffer: [UInt8] = []
  private static let bufferSize = 1 << 18

  /// - Parameter path: The path of the file; `nil` for standard output.
  init(_ path: FilePath?) throws(ExportError) {
    output = try ExportFile(path)
    // The unnamed file is next to the output file, because temporary folders may be in memory.
    let beside = path?.removingLastComponent()
    folder = beside.map { $0.isEmpty ? "." : $0 } ?? .temporaryFolder
    do {
      spool = try UnnamedFile(in: folder)
    } catch {
      throw .cannotCreate(folder, reason: "\(error)")
    }
  }

  func write(_ text: String) throws(ExportError) {
    buffer += text.utf8
    if buffer.count >= Self.bufferSize { try flush() }
  }

  private func flush() throws(ExportError) {
    defer { buffer.removeAll(keepingCapacity: true) }
    do {
      _ = try spool.descriptor.writeAll(buffer)
    } catch {
      throw .cannotWrite(folder, reason: "\(error)")
    }
  }

  /// Moves the file into place: the beginning, followed by the spooled text.
  /// - Returns: The path, unless it is standard output.
  func commit(beginning: String) throws -> [FilePath] {
    try flush()
    try output.write(beginning)
    var chunk = [UInt8](repeating: 0, count: Self.bufferSize)
    var offset: Int64 = 0
    while true {
      let count = try chunk.withUnsafeMutableBytes {
        try unsafe spool.descriptor.read(fromAbsoluteOffset: offset, into: $0)
      }
      if count == 0 { break }
      try output.write(chunk[..<count])
      offset += Int64(count)
    }
    try output.commit()
    return output.path.map { [$0] } ?? []
  }
}
