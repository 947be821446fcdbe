internal import Glibc
public import SystemPackage

/// The files that Nocturne has written to one folder, with their sizes and times. The inventory is kept in a hidden
/// file in that folder, and proves the origin of files whose formats have no room for a mark. A file that has changed
/// since it was written no longer counts as Nocturne's.
public struct FileInventory: Sendable {
  public static let name: FilePath.Component = ".nocturne-files"

  /// The size and time of a file when it was written.
  private struct Version: Hashable {
    /// Size in bytes.
    var size: Int64
    /// Seconds since 1970.
    var modified: Int64

    init(size: Int64, modified: Int64) {
      self.size = size
      self.modified = modified
    }

    init(_ status: FileStatus) {
      self.init(size: status.size, modified: status.modified.seconds)
    }

    /// Returns `true` if two versions are the same. A difference of 2 s is tolerated, because some file systems store
    /// only even seconds.
    func isSame(as other: Version) -> Bool { size == other.size && abs(modified - other.modified) <= 2 }
  }

  /// The folder; `nil` for files that are not in place yet.
  public let folder: FilePath?
  /// The versions, keyed by percent-encoded name.
  private var versions: [String: [Version]] = [:]

  private static let title = "nocturne files 1"

  /// Creates an inventory for files that are not in place yet.
  public init() {
    folder = nil
  }

  /// Reads the inventory of a folder. It is empty if the folder has none.
  public init(of folder: FilePath) {
    self.folder = folder
    guard let file = try? FileDescriptor.openWithoutWaiting(folder.appending(Self.name)) else { return }
    defer { try? file.close() }
    // If the file were a named pipe, a line might never come.
    guard (try? FileStatus(of: file))?.kind == .regular else { return }
    var lines = LineReader(reading: file, limit: 4096)
    guard case .text(let title)? = try? lines.next(), title.elementsEqual(Self.title.utf8) else { return }
    while let line = try? lines.next() {
      guard case .text(let text) = line else { continue }
      let words = String(decoding: text, as: UTF8.self).split(separator: " ")
      guard words.count == 3, let size = Int64(words[0]), let modified = Int64(words[1]) else { continue }
      versions[String(words[2]), default: []].append(Version(size: size, modified: modified))
    }
  }

  /// Returns `true` if the file with this name is unchanged since Nocturne wrote it.
  public func has(_ name: FilePath.Component) -> Bool {
    guard let known = versions[Self.key(name)],
      let present = present(name)
    else { return false }
    return known.contains { $0.isSame(as: present) }
  }

  private func present(_ name: FilePath.Component) -> Version? {
    guard let folder, let status = try? FileStatus(at: folder.appending(name), followingLinks: true) else { return nil }
    return Version(status)
  }

  /// Records a file before it is moved into place. The file that currently has the name stays recorded, because it
  /// remains if the process is killed before the move.
  public mutating func note(_ name: FilePath.Component, as status: FileStatus) {
    note(name, Self.key(name), Version(status))
  }

  /// Records all files of another inventory before they are moved into this folder.
  public mutating func note(_ others: FileInventory) {
    for (key, versions) in others.versions {
      guard let version = versions.last, let name = Self.name(ofKey: key) else { continue }
      note(name, key, version)
    }
  }

  private mutating func note(_ name: FilePath.Component, _ key: String, _ version: Version) {
    let known = versions[key] ?? []
    let kept = known.isEmpty ? nil : present(name).flatMap { present in known.first { $0.isSame(as: present) } }
    versions[key] = [kept, version].compactMap(\.self)
  }

  /// Removes missing files from a folder's inventory, and the hidden file itself when no files remain. If the inventory
  /// cannot be written, it keeps listing missing files.
  public static func removeAbsent(in folder: FilePath) {
    var inventory = FileInventory(of: folder)
    guard !inventory.versions.isEmpty else { return }
    inventory.versions = inventory.versions.filter { key, _ in
      Self.name(ofKey: key).map { inventory.present($0) != nil } ?? false
    }
    if inventory.versions.isEmpty {
      _ = folder.appending(Self.name).withPlatformString { unsafe unlink($0) }
    } else {
      try? inventory.write()
    }
  }

  /// The content of the hidden file.
  public var bytes: [UInt8] { Array("\(Self.title)\n".utf8) + lines }

  /// The content without the first line.
  public var lines: [UInt8] {
    var text: [UInt8] = []
    for (name, versions) in versions.sorted(by: { $0.key < $1.key }) {
      for version in versions { text += "\(version.size) \(version.modified) \(name)\n".utf8 }
    }
    return text
  }

  /// Writes the hidden file if the inventory has a folder.
  public func write() throws {
    if let folder { try FileReplacement.write(bytes, to: folder.appending(Self.name)) }
  }

  /// The objection to a file that is not in the inventory: text that completes “it …”.
  public static let objection = "is not listed in \(name) next to it, or has changed since"

  /// Proves that a file is in the inventory of its folder.
  public static let proof = OriginProof(orElse: objection) { file in
    file.lastComponent.map { FileInventory(of: file.removingLastComponent()).has($0) } ?? false
  }

  private static func key(_ name: FilePath.Component) -> String { FilePath(root: nil, [name]).percentEncoded }

  private static func name(ofKey key: String) -> FilePath.Component? {
    (try? FilePath(fileURI: "file:/\(key)".utf8))?.lastComponent
  }
}
