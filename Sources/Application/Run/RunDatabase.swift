internal import Foundation
internal import Platform
internal import ResultStore
internal import SystemPackage

/// The database of a run. A dry run reads the existing one, or a temporary empty one.
struct RunDatabase {
  let path: FilePath
  private let temporaryFolder: URL?

  /// Makes the folder it is to be in.
  init(_ path: FilePath, isDryRun: Bool) throws {
    if isDryRun, !FileManager.default.fileExists(atPath: path.string) {
      let folder = FileManager.default.temporaryDirectory.appending(component: "nocturne-dry-run-\(UUID().uuidString)")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      temporaryFolder = folder
      self.path = FilePath(folder.path).appending("library.sqlite")
    } else {
      if !isDryRun { try Self.makeFolder(for: path) }
      temporaryFolder = nil
      self.path = path
    }
  }

  /// - Throws: `StoreError.cannotOpen`.
  static func makeFolder(for database: FilePath) throws {
    do {
      try FileManager.default.createDirectory(
        atPath: database.removingLastComponent().string, withIntermediateDirectories: true)
    } catch {
      throw StoreError.cannotOpen(path: database, reason: error.localizedDescription)
    }
  }

  var isTemporary: Bool { temporaryFolder != nil }

  func removeIfTemporary() {
    if let temporaryFolder { try? FileManager.default.removeItem(at: temporaryFolder) }
  }
}
