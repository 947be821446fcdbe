internal import Platform
internal import SystemPackage

/// A copy of a database in its own temporary folder, which is removed with this object.
final class TemporaryCopy: Sendable {
  let name: String
  private let folder: TemporaryFolder

  /// Returns `nil` if there is no space for the copy, or if the database cannot be read.
  init?(of database: String) {
    guard let folder = try? TemporaryFolder() else { return nil }
    self.folder = folder
    name = folder.file("library.sqlite").string
    for suffix in ["", "-wal"] where suffix.isEmpty || FilePath(database + suffix).fileKind != nil {
      guard (try? Self.copy(database + suffix, to: name + suffix)) != nil else { return nil }
    }
  }

  private static func copy(_ source: String, to target: String) throws {
    let input = try FileDescriptor.openWithoutWaiting(FilePath(source))
    defer { try? input.close() }
    let output = try FileDescriptor.open(
      target, .writeOnly, options: [.create, .exclusiveCreate, .closeOnExec], permissions: .ownerReadWrite)
    defer { try? output.close() }
    try withUnsafeTemporaryAllocation(byteCount: 1 << 20, alignment: 16) { buffer in
      while true {
        let count = try unsafe input.read(into: buffer)
        if count == 0 { return }
        try unsafe output.writeAll(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
      }
    }
  }
}
