internal import Platform
internal import Recognition
internal import SystemPackage

/// A catalog that one task changes, step by step: no other task does so meanwhile.
final class CatalogUpdate {
  let directory: CatalogDirectory
  private let lock: FileLock

  /// References that are added in one step: their segment is made in memory.
  static let batchSize = 4000

  /// Makes the folder if it is not there.
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

  /// A catalog's folder is its own: files of other people must not get mixed up in it.
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

  /// What databases have built in a folder, a part or, as `nil`, a whole catalog; empty if none has.
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
