import AnalysisTesting
import Foundation
import MediaContainers
import SystemPackage
import TagReading

@testable import TagWriting

/// The bytes that a splice writes.
func fileBytes(of splice: FileSplice, from source: ByteSource) throws -> [UInt8] {
  let folder = try TemporaryDirectory()
  let path = folder.file("new")
  let file = try FileDescriptor.open(path, .readWrite, options: [.create], permissions: .ownerReadWrite)
  try file.closeAfter { _ = try splice.write(from: source, to: file) }
  return Array(try Data(contentsOf: URL(filePath: path.string)))
}

extension TagContainer {
  /// The bytes of the file after items of one of its tags are set.
  func bytes(_ source: ByteSource, tag: Int = 0, setting items: [(key: String, values: [String])]) throws -> [UInt8] {
    var file = self
    for item in items { try file.tags[tag].set(item.key, to: item.values) }
    return try fileBytes(of: file.splice(), from: source)
  }
}

extension EditableTag {
  var keys: [String] { entries.map(\.key) }
  var values: [[String]] { entries.map(\.values) }
  var texts: [Bool] { entries.map(\.isText) }
}

/// Bytes that do not compress, none of which is zero; the same ones for each seed.
func noise(_ count: Int, seed: UInt64) -> [UInt8] {
  var random = SplitMix64(seed: seed)
  return (0..<count).map { _ in UInt8.random(in: 1...255, using: &random) }
}

/// A file whose bytes are zero except for some pieces. It takes no space on the disk.
func sparseFile(_ folder: TemporaryDirectory, size: Int, _ pieces: [(offset: Int, bytes: [UInt8])]) throws -> FilePath {
  let path = folder.file("sparse-\(size)")
  let file = try FileDescriptor.open(path, .readWrite, options: [.create, .truncate], permissions: .ownerReadWrite)
  try file.closeAfter {
    try file.resize(to: Int64(size))
    for piece in pieces { _ = try file.writeAll(toAbsoluteOffset: Int64(piece.offset), piece.bytes) }
  }
  return path
}
