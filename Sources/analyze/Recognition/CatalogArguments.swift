import Analysis
import ArgumentParser
import Foundation
import Glibc
import Pipeline
import Recognition
import SystemPackage

/// Which catalog a command means.
struct CatalogArguments: ParsableArguments {
  @Option(help: ArgumentHelp("The catalog: a folder, or a file made by catalog export.", valueName: "dir|file"))
  var catalog: PathArgument?

  func apply(to settings: inout CommandSettings) {
    settings.take(catalog, for: Settings.catalog, option: "--catalog")
  }
}

extension CommandSettings {
  /// Opens the catalog for reading; one that is not there, or empty, is an error that says how to make it.
  func openCatalog() throws -> CustomCatalog {
    let path = self[Settings.catalog]
    let advice =
      "`analyze catalog build` makes one of what was analyzed, `analyze catalog add FILE` of single files; "
      + "--catalog names another one."
    guard FileManager.default.fileExists(atPath: path.string) else {
      throw CommandFailure(.fatal, "There is no catalog \(path.string). \(advice)")
    }
    let catalog = try CustomCatalog(contentsOf: path)
    guard catalog.count > 0 else {
      throw CommandFailure(.fatal, "There is nothing in the catalog \(path.string). \(advice)")
    }
    return catalog
  }
}

/// A catalog that one command changes, step by step: no other command does so meanwhile.
final class CatalogUpdate {
  let directory: CatalogDirectory
  private let lock: FileDescriptor

  /// References that are added in one step: their segment is made in memory.
  static let batchSize = 4000

  /// Makes the folder if it is not there.
  init(at path: FilePath) throws {
    try Self.checkPlace(path)
    do {
      try FileManager.default.createDirectory(atPath: path.string, withIntermediateDirectories: true)
    } catch {
      throw CommandFailure(.fatal, "The folder \(path.string) cannot be made: \(error.localizedDescription)")
    }
    directory = CatalogDirectory(at: path)
    let file = path.appending(Self.lockName)
    do {
      lock = try FileDescriptor.open(
        file, .readWrite, options: [.create, .closeOnExec], permissions: [.ownerReadWrite, .groupRead, .otherRead])
    } catch {
      throw CatalogError.unwritable(path: path.string, reason: "\(error)")
    }
    guard flock(lock.rawValue, LOCK_EX | LOCK_NB) == 0 else { throw CatalogError.locked(path: path.string) }
  }

  deinit { try? lock.close() }

  private static let lockName = "UPDATE.lock"

  /// A catalog's folder is its own: files of other people must not get mixed up in it.
  private static func checkPlace(_ path: FilePath) throws {
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path.string, isDirectory: &isFolder) else { return }
    guard isFolder.boolValue else {
      throw CommandFailure(
        .fatal,
        "\(path.string) is a file, and only a catalog in a folder can be changed. `analyze catalog merge` takes it into one."
      )
    }
    let names = (try? FileManager.default.contentsOfDirectory(atPath: path.string)) ?? []
    let isCatalog = names.contains {
      $0 == "CATALOG" || $0 == lockName || $0.hasSuffix(".segment") || $0.hasSuffix(BuildList.fileExtension)
    }
    guard names.isEmpty || isCatalog else {
      throw CommandFailure(.fatal, "\(path.string) holds something else than a catalog. Name a folder of its own.")
    }
  }

  /// Whether any database has built this catalog.
  var hasBuildLists: Bool {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: directory.path.string)) ?? []
    return names.contains { $0.hasSuffix(BuildList.fileExtension) }
  }

  func add(_ references: some Sequence<Reference>) throws {
    var batch: [Reference] = []
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
