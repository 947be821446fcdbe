internal import Foundation
internal import SystemPackage

/// Reads the small files that people write for this program.
enum FileBytes {
  /// Reads at most a little more than the largest such file.
  static func read(_ path: FilePath, limit: Int = 1 << 20) throws -> [UInt8] {
    // Non-blocking, in case it is a named pipe without a writer.
    let file = try FileDescriptor.open(path, .readOnly, options: [.closeOnExec, .nonBlocking])
    return try file.closeAfter { try read(file, limit: limit) }
  }

  static func read(_ file: FileDescriptor, limit: Int) throws -> [UInt8] {
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 1 << 16)
    while bytes.count <= limit {
      let count = try piece.withUnsafeMutableBytes { try unsafe file.read(into: $0) }
      if count == 0 { break }
      bytes += piece[..<count]
    }
    return bytes
  }

  /// Whether something has this name, even a link that leads nowhere.
  static func exists(_ path: FilePath) -> Bool {
    (try? FileManager.default.attributesOfItem(atPath: path.string)) != nil
  }

  /// The names in a folder; none if it cannot be read.
  static func names(in folder: FilePath) -> [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: folder.string)) ?? []
  }
}
