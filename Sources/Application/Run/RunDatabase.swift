internal import Foundation
internal import Pipeline
internal import Platform
package import ResultStore
package import SystemPackage

/// The database of a run. A dry run reads the existing one, or a temporary empty one.
struct RunDatabase {
  let path: FilePath
  private let temporaryFolder: URL?

  /// - Throws: `StoreError` if it cannot be made there.
  init(_ path: FilePath, isDryRun: Bool) throws {
    if !isDryRun || !DatabaseFolder.isMadeOnDemand(for: path) { try DatabaseFolder.prepare(for: path) }
    if isDryRun, !FileManager.default.fileExists(atPath: path.string) {
      let folder = FileManager.default.temporaryDirectory.appending(component: "nocturne-dry-run-\(UUID().uuidString)")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      temporaryFolder = folder
      self.path = FilePath(folder.path).appending("library.sqlite")
    } else {
      temporaryFolder = nil
      self.path = path
    }
  }

  var isTemporary: Bool { temporaryFolder != nil }

  func removeIfTemporary() {
    if let temporaryFolder { try? FileManager.default.removeItem(at: temporaryFolder) }
  }
}

/// The folder of a database that is about to be made.
package enum DatabaseFolder {
  /// Makes the folder of the user's standard database. Any other folder must exist: it may be on a drive that is not
  /// mounted, and the library would be analyzed again, onto the wrong drive.
  package static func prepare(for database: FilePath) throws(StoreError) {
    let folder = database.removingLastComponent()
    guard !folder.isEmpty, folder.isGone(followingLinks: true) else { return }
    guard isMadeOnDemand(for: database) else { throw .noFolder(path: database) }
    do {
      try FileManager.default.createDirectory(atPath: folder.string, withIntermediateDirectories: true)
    } catch {
      throw .cannotOpen(path: database, reason: error.localizedDescription)
    }
  }

  fileprivate static func isMadeOnDemand(for database: FilePath) -> Bool {
    database == StandardFolders(environment: ProcessInfo.processInfo.environment).database
  }
}
