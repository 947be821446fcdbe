import Analysis
internal import AnalysisTasks
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
      "The copy is one file. To restore it, copy it back while no run is in progress, and remove FILE-wal and FILE-shm."
  )

  @Argument(help: ArgumentHelp("File for the copy", valueName: "file"))
  var copy: PathArgument

  @Flag(help: "Replace the file even if this command did not write it")
  var force = false

  @OptionGroup
  var database: DatabaseArgument

  func run() async throws {
    try await reportingErrors {
      let store = try CommandSettings(database).openStoreForReading()
      let path = copy.path
      if path.fileKind == .folder {
        throw CommandFailure(.usage, "\(path.string) is a folder. Name a file for the copy.")
      }
      if path.isSameFile(as: store.path) { throw CommandFailure(.usage, "\(path.string) is the database itself.") }
      try OverwriteRule(allowsOthers: force).forRegularFiles.check(path, ResultStore.backupProof)
      try store.backUp(to: path)
    }
  }
}
