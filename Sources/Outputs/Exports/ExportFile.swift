internal import Platform
public import SystemPackage

/// A file of an export, or standard output. The file appears at its path when it is committed. A file that is not
/// committed is removed.
public final class ExportFile {
  /// Path of the file; `nil` for standard output.
  public let path: FilePath?
  private let replacement: FileReplacement?
  private var buffer: [UInt8] = []

  private static let bufferSize = 1 << 18

  /// - Parameter path: The path of the file; `nil` for standard output.
  public init(_ path: FilePath?) throws(ExportError) {
    self.path = path
    do {
      replacement = try path.map { try FileReplacement($0) }
    } catch {
      throw .cannotCreate(path ?? "", reason: "\(error)")
    }
  }

  public func write(_ bytes: some Sequence<UInt8>) throws(ExportError) {
    buffer.append(contentsOf: bytes)
    if buffer.count >= Self.bufferSize { try flush() }
  }

  public func write(_ text: String) throws(ExportError) { try write(text.utf8) }

  /// Moves several files into place after all of them are on disk. If the disk is full, none of them appears.
  /// - Parameter listed: `true` to add the files to the inventory of their folder, which proves that Nocturne wrote
  ///   them.
  /// - Returns: The paths of the files.
  public static func commit(_ files: [ExportFile], listed: Bool = false) throws(ExportError) -> [FilePath] {
    for file in files {
      try file.flush()
      guard let descriptor = file.replacement?.descriptor else { continue }
      // Only regular files can be synced.
      do {
        try descriptor.synchronize()
      } catch .invalidArgument, .readOnlyFileSystem {
        continue
      } catch {
        throw .cannotWrite(file.path, reason: "\(error)")
      }
    }
    if listed { try list(files) }
    for file in files { try file.commit() }
    return files.compactMap(\.path)
  }

  /// Adds files to the inventory before they are moved into place, so that a file in place is always listed, even if
  /// the process is killed.
  private static func list(_ files: [ExportFile]) throws(ExportError) {
    let folder = files.lazy.compactMap(\.path).first?.removingLastComponent()
    guard let folder else { return }
    var inventory = FileInventory(of: folder)
    do {
      for file in files {
        guard let name = file.path?.lastComponent, let descriptor = file.replacement?.descriptor else { continue }
        inventory.note(name, as: try FileStatus(of: descriptor))
      }
      try inventory.write()
    } catch {
      throw .cannotWrite(folder.appending(FileInventory.name), reason: "\(error)")
    }
  }

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
