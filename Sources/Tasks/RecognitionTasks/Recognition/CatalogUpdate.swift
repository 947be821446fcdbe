internal import Platform
internal import Recognition
internal import SystemPackage

/// A catalog that stays locked while a task makes a series of changes.
final class CatalogUpdate {
  let directory: CatalogDirectory
  private let lock: FileLock

  /// Maximum number of references to add at a time, to limit memory use: their segment is built in memory.
  static let batchSize = 4000

  /// Creates the folder if it does not exist, and locks the catalog.
  /// - Throws: `CatalogTaskError`, `CatalogError`.
  init(at path: FilePath) throws {
    try Self.checkPlace(path)
    do {
      try path.makeFolder()
    } catch {
      throw CatalogTaskError.cannotMakeFolder(path, reason: "\(error).")
    }
    directory = CatalogDirectory(at: path)
    let lock: FileLock?
    do {
      lock = try FileLock(path.appending(Self.lockName))
    } catch {
      throw CatalogError.unwritable(path: path.string, reason: "\(error)")
    }
    guard let lock else { throw CatalogError.locked(path: path.string) }
    self.lock = lock
  }

  private static let lockName = "UPDATE.lock"

  /// Refuses files, and folders with other content, because a catalog needs its own folder.
  private static func checkPlace(_ path: FilePath) throws {
    guard let kind = path.fileKind else { return }
    guard kind == .folder else { throw CatalogTaskError.isAFile(path) }
    let names = try names(in: path)
    let isCatalog = names.contains {
      $0 == "CATALOG" || $0 == lockName || $0.hasSuffix(".segment") || $0.hasSuffix(BuildList.fileExtension)
    }
    guard names.isEmpty || isCatalog else { throw CatalogTaskError.foreignFolder(path) }
  }

  private static func names(in folder: FilePath) throws(CatalogError) -> [String] {
    do {
      return try FolderListing.names(in: folder).map(\.string)
    } catch {
      throw .unreadable(path: folder.string, reason: "\(error)")
    }
  }

  /// Returns the parts that were built in a folder, where `nil` stands for a whole catalog; empty if there is no build
  /// list.
  static func builtPartitions(in folder: FilePath) throws(CatalogError) -> [CatalogPartition?] {
    try names(in: folder).filter { $0.hasSuffix(BuildList.fileExtension) }
      .map(CatalogPartition.init(ofBuildList:))
  }

  func add(_ references: some Sequence<ReferenceSignature>) throws(CatalogError) {
    var batch: [ReferenceSignature] = []
    for reference in references {
      batch.append(reference)
      if batch.count == Self.batchSize {
        try directory.add(batch)
        batch.removeAll()
      }
    }
    try directory.add(batch)
  }
}
