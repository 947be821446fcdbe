internal import Foundation
internal import Pipeline
internal import Platform
package import ResultStore
package import SystemPackage

/// The database of a run. A dry run reads the existing database, or an empty temporary one if there is none.
struct RunDatabase {
  let path: FilePath
  private let temporaryFolder: TemporaryFolder?

  /// - Throws: `StoreError` if the folder of the database is missing and cannot be created, or an error if a temporary
  ///   folder cannot be created.
  init(_ path: FilePath, isDryRun: Bool) throws {
    if !isDryRun || !DatabaseFolder.isMadeOnDemand(for: path) { try DatabaseFolder.prepare(for: path) }
    if isDryRun, path.fileKind == nil {
      let folder = try TemporaryFolder()
      temporaryFolder = folder
      self.path = folder.file("library.sqlite")
    } else {
      temporaryFolder = nil
      self.path = path
    }
  }

  var isTemporary: Bool { temporaryFolder != nil }
}

/// Prepares the folder of a database.
package enum DatabaseFolder {
  /// Creates the folder of the user's default database. Any other folder must exist already. If its drive were not
  /// mounted, a new folder would make a run analyze the whole library again into a database on the wrong drive.
  package static func prepare(for database: FilePath) throws(StoreError) {
    let folder = database.removingLastComponent()
    guard !folder.isEmpty, folder.isGone(followingLinks: true) else { return }
    guard isMadeOnDemand(for: database) else { throw .noFolder(path: database) }
    do {
      try folder.makeFolder()
    } catch {
      throw .cannotOpen(path: database, reason: "\(error)")
    }
  }

  fileprivate static func isMadeOnDemand(for database: FilePath) -> Bool {
    database == StandardFolders(environment: ProcessInfo.processInfo.environment).database
  }
}
