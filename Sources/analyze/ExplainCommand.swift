import Application
import ArgumentParser
import BuiltInAnalyzers
import LibraryScan
import Pipeline
import Platform
import SystemPackage
import Text

struct ExplainCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "explain",
    abstract: "Explain what happened to a file, and what the next run would do")

  @Argument(help: ArgumentHelp("Any file", valueName: "file"))
  var file: PathArgument

  @OptionGroup
  var pipeline: PipelineArgument

  @OptionGroup
  var database: DatabaseArgument

  func run() async throws {
    try await reportingErrors {
      var settings = try CommandSettings(database)
      try pipeline.apply(to: &settings)
      let explanation = FileExplanation(
        of: file.path, in: try settings.openStoreForReading(),
        plan: try settings.definition().plan(with: BuiltInAnalyzers.all),
        candidates: settings.settings.walk.candidates)
      let sentences = try explanation.sentences()
      try StandardOutput.writeLines(
        [printable(DisplayPath.text(of: file.path))] + sentences.map { "  " + printable($0) })
    }
  }
}
