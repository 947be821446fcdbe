internal import Glibc
internal import SystemPackage

/// A database copied into a folder of its own, as long as this object lives.
final class TemporaryCopy: Sendable {
  let name: String
  private let folder: String

  private static let suffixes = ["", "-wal"]

  /// `nil` if there is no room for it, or the database cannot be read.
  init?(of database: String) {
    let parent = unsafe getenv("TMPDIR").map { unsafe String(cString: $0) } ?? "/tmp"
    var template = Array("\(parent)/nocturne-read-XXXXXX".utf8CString)
    let isMade = template.withUnsafeMutableBufferPointer { unsafe mkdtemp($0.baseAddress!) != nil }
    guard isMade else { return nil }
    folder = template.withUnsafeBufferPointer { unsafe String(cString: $0.baseAddress!) }
    name = folder + "/library.sqlite"
    for suffix in Self.suffixes where suffix.isEmpty || access(database + suffix, F_OK) == 0 {
      guard (try? Self.copy(database + suffix, to: name + suffix)) != nil else {
        remove()
        return nil
      }
    }
  }

  deinit { remove() }

  private func remove() {
    for suffix in Self.suffixes + ["-shm"] { unlink(name + suffix) }
    rmdir(folder)
  }

  private static func copy(_ source: String, to target: String) throws {
    let input = try FileDescriptor.open(source, .readOnly, options: .closeOnExec)
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
