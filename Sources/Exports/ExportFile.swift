internal import Platform
public import SystemPackage

/// A file of an export, or standard output. A file gets its name when it is whole; what is not committed is removed.
public final class ExportFile {
  /// `nil` for standard output.
  public let path: FilePath?
  private let replacement: FileReplacement?
  private var buffer: [UInt8] = []

  private static let bufferSize = 1 << 18

  /// - Parameter path: `nil` for standard output.
  public init(_ path: FilePath?) throws(ExportError) {
    self.path = path
    do {
      replacement = try path.map { path throws(Errno) in try FileReplacement(path) }
    } catch {
      throw .cannotCreate(path ?? "", reason: "\(error)")
    }
  }

  public func write(_ bytes: some Sequence<UInt8>) throws(ExportError) {
    buffer.append(contentsOf: bytes)
    if buffer.count >= Self.bufferSize { try flush() }
  }

  public func write(_ text: String) throws(ExportError) { try write(text.utf8) }

  /// Puts the file into its place.
  public func commit() throws(ExportError) {
    try flush()
    do {
      try replacement?.commit()
    } catch {
      throw .cannotWrite(path, reason: "\(error)")
    }
  }

  private func flush() throws(ExportError) {
    defer { buffer.removeAll(keepingCapacity: true) }
    if buffer.isEmpty { return }
    do {
      if let replacement {
        try replacement.write(buffer)
      } else {
        _ = try FileDescriptor.standardOutput.writeAll(buffer)
      }
    } catch Errno.brokenPipe where path == nil {
      throw .closedPipe
    } catch {
      throw .cannotWrite(path, reason: "\(error)")
    }
  }
}
