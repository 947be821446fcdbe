import ArgumentParser
import BuiltInAnalyzers
import LibraryScan
import LibraryTasks
import Pipeline
import Platform
import ResultStore
import SystemPackage
import Text

struct ExplainCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "explain",
    abstract: "Explain what happened to files, and what the next run would do")

  @Argument(help: ArgumentHelp("Any files", valueName: "file"))
  var files: [PathArgument]

  @OptionGroup
  var pipeline: PipelineArgument

  @OptionGroup
  var database: DatabaseArgument

  func run() async throws {
    try await reportingErrors {
      var settings = try CommandSettings(database)
      try pipeline.apply(to: &settings)
      let store = try settings.openStoreForReading()
      let plan = try settings.definition().plan(with: BuiltInAnalyzers.all)
      let candidates = settings.settings.walk.candidates
      try forEach(files) { path in
        let path = try store.knownPath(of: path)
        let sentences = try FileExplanation(of: path, in: store, plan: plan, candidates: candidates).sentences()
        try StandardOutput.writeLines([printable(DisplayPath.text(of: path))] + sentences.map { "  " + printable($0) })
      }
    }
  }
}
