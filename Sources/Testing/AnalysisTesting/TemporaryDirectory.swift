internal import Foundation
public import SystemPackage

/// A new directory that is deleted, with its content, when this object is deallocated.
public final class TemporaryDirectory: Sendable {
  public let path: FilePath

  public init() throws {
    let url = FileManager.default.temporaryDirectory.appending(path: "nocturne-test-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    path = FilePath(url.path)
  }

  deinit { try? FileManager.default.removeItem(atPath: path.string) }

  public func file(_ name: String) -> FilePath { path.appending(name) }

  /// Creates or replaces a file and returns its path.
  @discardableResult
  public func write(_ bytes: [UInt8], as name: String) throws -> FilePath {
    let path = path.appending(name)
    let file = try FileDescriptor.open(
      path, .writeOnly, options: [.create, .truncate], permissions: [.ownerReadWrite, .groupRead, .otherRead])
    try file.closeAfter { _ = try file.writeAll(bytes) }
    return path
  }

  /// Writes a signal as WAV and returns the path of the file.
  public func write(_ signal: Signal, as name: String, encoding: WAVFile.Encoding = .pcm16) throws -> FilePath {
    try write(WAVFile(signal, encoding: encoding).bytes, as: name)
  }
}
