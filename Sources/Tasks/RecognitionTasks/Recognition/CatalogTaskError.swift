package import Landmarks
internal import Platform
package import SystemPackage

/// The reason a catalog operation failed, and what to do about it.
package enum CatalogTaskError: Error, CustomStringConvertible {
  case noCatalog(FilePath)
  case emptyCatalog(FilePath)
  /// The catalog is a file, but only a catalog in a folder can be changed.
  case isAFile(FilePath)
  case foreignFolder(FilePath)
  case cannotMakeFolder(FilePath, reason: String)
  /// There are no signatures. `root` is the folder that was searched; `nil` for the whole library.
  case noSignatures(database: FilePath, root: FilePath?)
  /// The folder was built as another part, or as a whole catalog (`nil`).
  case otherPartition(FilePath, built: CatalogPartition?)
  case tracksOfOtherParts(FilePath, than: CatalogPartition)
  case unusableSignature(database: FilePath, of: FilePath, SignatureError)
  /// A track to remove is not in the catalog.
  case noTrack(String)
  /// A track named in a table of media items is not in the catalog.
  case noTrackOfTable(String)

  package var description: String {
    switch self {
    case .noCatalog(let path): "There is no catalog \(path.string). \(Self.makingACatalog)"
    case .emptyCatalog(let path): "The catalog \(path.string) is empty. \(Self.makingACatalog)"
    case .isAFile(let path):
      "\(path.string) is a file, and only a catalog in a folder can be changed. `analyze catalog merge` adds its tracks to one."
    case .foreignFolder(let path): "\(path.string) contains something other than a catalog. Name an empty folder."
    case .cannotMakeFolder(let path, let reason): "The folder \(path.string) cannot be created: \(reason)"
    case .noSignatures(let database, root: nil):
      "No file in the database \(database.string) has a signature. Analyze your music with the pipeline default, "
        + "or with another one that includes the analyzer signature: analyze FOLDER"
    case .noSignatures(let database, let root?):
      "No file under \(DisplayPath.text(of: root)) in the database \(database.string) has a signature. Analyze it first: "
        + "analyze \(DisplayPath.text(of: root))"
    case .otherPartition(let path, built: let part?):
      "The catalog \(path.string) is part \(part) and can only be built as that: add --partition \(part), or name "
        + "another folder with --catalog. Nothing was changed."
    case .otherPartition(let path, built: nil):
      "The catalog \(path.string) was built as a whole and cannot become a part: leave out --partition, or name another "
        + "folder with --catalog. Nothing was changed."
    case .tracksOfOtherParts(let path, let part):
      "The catalog \(path.string) holds tracks that do not belong to part \(part). Name an empty folder with --catalog. "
        + "Nothing was added."
    case .unusableSignature(let database, let path, let error):
      "In the database \(database.string), the entry of \(path.string) is \(error) with --force."
    case .noTrack(let name):
      "The catalog has no track \(name). Nothing was removed; `analyze catalog list` lists all."
    case .noTrackOfTable(let name):
      "The table names track \(name), which is not in the catalog. No media item was changed."
    }
  }

  private static let makingACatalog =
    "`analyze catalog build` makes one from analyzed files, `analyze catalog add FILE` from single files; "
    + "use --catalog for another one."
}
