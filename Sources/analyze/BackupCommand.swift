import Analysis
import Application
import ArgumentParser
import Foundation
import Pipeline
import Platform
import ResultStore
import SystemPackage

struct BackupCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "backup", abstract: "Write a copy of the database, even during a run",
    discussion:
      "The copy is one file. To restore it, copy it back while no run is going on, and remove FILE-wal and FILE-shm."
  )

  @Argument(help: ArgumentHelp("The copy", valueName: "file"))
  var copy: PathArgument

  @Flag(help: "Replace the file even if it is no copy made by this command")
  var force = false

  @OptionGroup
  var database: DatabaseArgument

  func run() async throws {
    try await reportingErrors {
      let store = try CommandSettings(database).openStoreForReading()
      let path = copy.path
      var isFolder: ObjCBool = false
      if FileManager.default.fileExists(atPath: path.string, isDirectory: &isFolder) {
        if isFolder.boolValue { throw CommandFailure(.usage, "\(path.string) is a folder. Name a file for the copy.") }
        let places = [path, store.path].map { URL(filePath: $0.string).resolvingSymlinksInPath() }
        if places[0] == places[1] {
          throw CommandFailure(.usage, "\(path.string) is the database itself.")
        }
      }
      try OverwriteRule(allowsOthers: force).check(path, ResultStore.backupProof)
      try store.backUp(to: path)
    }
  }
}
