package import Platform
package import SystemPackage

/// A file tree that is first written to a hidden folder. At the end, all files are moved into place, with a
/// `FileInventory` in each folder. Files that Nocturne did not write stay, unless the rule allows replacing them.
package final class StagedFolder {
  private let folder: FilePath
  private let staging: FilePath
  private let rule: OverwriteRule
  private var outdated: [FilePath] = []
  /// The inventory that was read last. It is kept because tracks arrive folder by folder.
  private var inventory: FileInventory?

  private static let prefix = ".nocturne-export-"
  /// Minimum age, in seconds, of a hidden folder that counts as a leftover of a killed process.
  private static let leftoverAge: Int64 = 86_400

  package init(in folder: FilePath, _ rule: OverwriteRule) throws(ExportError) {
    self.folder = folder
    self.rule = rule
    staging = folder.appending(Self.prefix + String(UInt64.random(in: 0 ... .max), radix: 16))
    Self.removeLeftovers(in: folder)
    try Self.makeFolder(staging)
  }

  deinit { staging.removeAll() }

  /// - Parameter path: The path relative to the folder.
  /// - Throws: `ExportError`, which is `refused` at the first file that may not be replaced.
  package func write(_ bytes: [UInt8], to path: FilePath) throws(ExportError) {
    guard let name = path.lastComponent else { return }
    let target = folder.pushing(path)
    let isKnown = isOurs(target)
    do {
      try rule.forRegularFiles.check(target, OriginProof(orElse: FileInventory.objection) { _ in isKnown })
    } catch {
      throw .refused(error)
    }
    let file = staging.pushing(path)
    try Self.makeFolder(file.removingLastComponent())
    do {
      let status = try Self.write(bytes, to: file, [.create, .truncate])
      var written = FileInventory()
      written.note(name, as: status)
      let list = file.removingLastComponent().appending(FileInventory.name)
      _ = try Self.write(list.exists ? written.lines : written.bytes, to: list, [.create, .append])
    } catch {
      throw .cannotWrite(file, reason: "\(error)")
    }
  }

  /// Marks a file for removal because it is no longer written, provided that Nocturne wrote it or the rule allows
  /// replacing other files.
  package func remove(_ path: FilePath) {
    let file = folder.pushing(path)
    if file.exists, rule.allowsOthers || isOurs(file) { outdated.append(file) }
  }

  private func isOurs(_ file: FilePath) -> Bool {
    guard let name = file.lastComponent else { return false }
    let place = file.removingLastComponent()
    if inventory?.folder != place { inventory = FileInventory(of: place) }
    return inventory?.has(name) ?? false
  }

  /// Moves all files into place, and removes the files that are marked for removal. Inventories come first, so that a
  /// file in place is listed even if the process is killed.
  /// - Returns: The folder.
  package func commit() throws(ExportError) -> FilePath {
    try forEachStaged { path, isFolder throws(ExportError) in
      let list = path.appending(FileInventory.name)
      guard isFolder, staging.pushing(list).exists else { return }
      try Self.makeFolder(folder.pushing(path))
      var inventory = FileInventory(of: folder.pushing(path))
      inventory.note(FileInventory(of: staging.pushing(path)))
      do {
        _ = try Self.write(inventory.bytes, to: staging.pushing(list), [.truncate])
      } catch {
        throw .cannotWrite(staging.pushing(list), reason: "\(error)")
      }
      try move(list)
    }
    try forEachStaged { path, isFolder throws(ExportError) in
      if !isFolder { try move(path) }
    }
    for file in outdated { file.removeAll() }
    for folder in Set(outdated.map { $0.removingLastComponent() }) { FileInventory.removeAbsent(in: folder) }
    staging.removeAll()
    return folder
  }

  /// - Parameter body: Receives the paths in the hidden folder, starting with the folder itself.
  private func forEachStaged(
    in folder: FilePath = "", _ body: (FilePath, _ isFolder: Bool) throws(ExportError) -> Void
  ) throws(ExportError) {
    try body(folder, true)
    let names: [FilePath.Component]
    do {
      names = try FolderListing.names(in: staging.pushing(folder))
    } catch {
      throw .cannotWrite(staging.pushing(folder), reason: "\(error)")
    }
    for path in names.map({ folder.appending($0) }) {
      if staging.pushing(path).fileKind == .folder {
        try forEachStaged(in: path, body)
      } else {
        try body(path, false)
      }
    }
  }

  private func move(_ path: FilePath) throws(ExportError) {
    let target = folder.pushing(path)
    do {
      try staging.pushing(path).rename(to: target)
    } catch {
      throw .cannotWrite(target, reason: "\(error)")
    }
  }

  private static func write(
    _ bytes: [UInt8], to file: FilePath, _ options: FileDescriptor.OpenOptions
  ) throws -> FileStatus {
    let descriptor = try FileDescriptor.open(
      file, .writeOnly, options: options.union(.closeOnExec),
      permissions: [.ownerReadWrite, .groupReadWrite, .otherReadWrite])
    return try descriptor.closeAfter {
      _ = try descriptor.writeAll(bytes)
      return try FileStatus(of: descriptor)
    }
  }

  private static func makeFolder(_ folder: FilePath) throws(ExportError) {
    do {
      try folder.makeFolder()
    } catch {
      throw .cannotCreate(folder, reason: "\(error)")
    }
  }

  private static func removeLeftovers(in folder: FilePath) {
    let names = (try? FolderListing.names(in: folder)) ?? []
    for name in names where name.string.hasPrefix(prefix) {
      let path = folder.appending(name)
      guard let modified = try? FileStatus(at: path, followingLinks: false).modified.seconds else { continue }
      if modified < Timestamp.now.seconds - leftoverAge { path.removeAll() }
    }
  }
}
