internal import Foundation
internal import Platform
internal import SystemPackage

/// A tree of folders like that of the library, with files for each track. They are written into a hidden folder first, and
/// moved into place at the end.
final class MirroredFolder {
  /// What makes the names of files from that of a track; those that are not written again are removed.
  private let suffixes: [String]
  private let folder: FilePath
  /// Folder of the library that the tree begins in.
  private let root: FilePath
  private let staging: FilePath
  private var outdated: [FilePath] = []

  static let options = ["root"]
  private static let prefix = ".nocturne-export-"
  /// Seconds after which a hidden folder was left by a process that was killed.
  private static let leftoverAge: TimeInterval = 86_400

  init(_ context: ExportContext, suffixes: [String]) throws(ExportError) {
    guard let folder = context.output else {
      throw .unavailable("This format is a folder of files. Name the folder with --output.")
    }
    let root = context.options["root"].map { FilePath($0).lexicallyNormalized() } ?? "/"
    guard root.isAbsolute else {
      throw .badOption("root", value: root.string, expected: "an absolute path")
    }
    self.suffixes = suffixes
    self.folder = folder
    self.root = root
    staging = folder.appending(Self.prefix + String(UInt64.random(in: 0 ... .max), radix: 16))
    Self.removeLeftovers(in: folder)
    try Self.makeFolder(staging)
  }

  deinit { try? FileManager.default.removeItem(atPath: staging.string) }

  /// The files of a track by their suffixes.
  func write(_ files: [String: [UInt8]], for track: FilePath) throws(ExportError) {
    let path = relativePath(of: track)
    for suffix in suffixes {
      guard let bytes = files[suffix] else {
        outdate(path, suffix)
        continue
      }
      let file = staging.appending(path + suffix)
      try Self.makeFolder(file.removingLastComponent())
      do {
        let descriptor = try FileDescriptor.open(
          file, .writeOnly, options: [.create, .truncate], permissions: [.ownerReadWrite, .groupReadWrite, .otherReadWrite])
        _ = try descriptor.closeAfter { try descriptor.writeAll(bytes) }
      } catch {
        throw .cannotWrite(file, reason: "\(error)")
      }
    }
  }

  /// The files of a track that is gone go, too.
  func remove(_ track: FilePath) {
    let path = relativePath(of: track)
    for suffix in suffixes { outdate(path, suffix) }
  }

  private func outdate(_ path: String, _ suffix: String) {
    let file = folder.appending(path + suffix)
    if file.isThere { outdated.append(file) }
  }

  /// Moves everything into place.
  /// - Returns: The folder.
  func commit() throws(ExportError) -> [FilePath] {
    let files = FileManager.default.enumerator(atPath: staging.string)
    while let name = files?.nextObject() as? String {
      let source = staging.appending(name)
      let target = folder.appending(name)
      do {
        if files?.fileAttributes?[.type] as? FileAttributeType == .typeDirectory {
          try Self.makeFolder(target)
        } else if rename(source.string, target.string) != 0 {
          throw Errno(rawValue: errno)
        }
      } catch {
        throw .cannotWrite(target, reason: "\(error)")
      }
    }
    for file in outdated { try? FileManager.default.removeItem(atPath: file.string) }
    try? FileManager.default.removeItem(atPath: staging.string)
    return [folder]
  }

  private func relativePath(of track: FilePath) -> String {
    var path = track
    if !path.removePrefix(root) { path = FilePath(root: nil, track.components) }
    return path.components.map(\.safeName).joined(separator: "/")
  }

  private static func makeFolder(_ folder: FilePath) throws(ExportError) {
    do {
      try FileManager.default.createDirectory(atPath: folder.string, withIntermediateDirectories: true)
    } catch {
      throw .cannotCreate(folder, reason: error.localizedDescription)
    }
  }

  private static func removeLeftovers(in folder: FilePath) {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.string)) ?? []
    for name in names where name.hasPrefix(prefix) {
      let path = folder.appending(name).string
      let modified = (try? FileManager.default.attributesOfItem(atPath: path))?[.modificationDate] as? Date
      if let modified, modified.timeIntervalSinceNow < -leftoverAge { try? FileManager.default.removeItem(atPath: path) }
    }
  }
}
