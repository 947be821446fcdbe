internal import AnalysisTasks
import ArgumentParser
import Pipeline
import Platform
import Recognition
internal import RecognitionTasks
import Records
import SystemPackage

struct CatalogExportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Write the whole catalog into one file")

  @Argument(help: ArgumentHelp("The file to write", valueName: "file"))
  var file: PathArgument

  @Flag(help: "Write a table of the media items instead of a catalog")
  var csv = false

  @Flag(help: "Replace the file even if Nocturne did not write it")
  var force = false

  @OptionGroup
  var catalog: CatalogArguments

  func run() async throws {
    try await reportingErrors {
      var settings = try CommandSettings()
      catalog.apply(to: &settings)
      let catalog = try settings.openCatalog()
      try OverwriteRule(allowsOthers: force).check(file.path, csv ? MediaItemTable.proof : CustomCatalog.proof)
      if csv {
        do {
          try FileReplacement.write(MediaItemTable.text(of: catalog).utf8, to: file.path)
        } catch {
          throw CommandFailure(.fatal, "\(file.path.string) cannot be written: \(error)")
        }
      } else {
        try catalog.write(to: file.path)
      }
    }
  }
}
