import ArgumentParser
import AudioDecoding
import BuiltInAnalyzers
import Pipeline
import Platform

/// The process in which `run` and `worker` analyze files; see `Worker`.
struct WorkerProcessCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "worker-process", abstract: "Analyze files for the program that started it", shouldDisplay: false)

  @Option(help: "The text of a pipeline definition")
  var definition: String

  @Option(help: "Id of an analyzer; all of the definition if none is named")
  var only: [String] = []

  @Option(help: "Megabytes; 0 for no limit")
  var memoryLimit: Int

  func run() async throws {
    // Service managers send signals to every process, but only the parent decides when workers exit.
    Signals.handle { _ in }
    DecodingLibraries.load()
    ResourceLimits.prepareForManyFiles()
    try await reportingErrors {
      let definition = try PipelineDefinition(
        yaml: Array(definition.utf8), name: "worker-process", source: "--definition")
      let plan = try definition.plan(
        with: BuiltInAnalyzers.all + BuiltInAnalyzers.onRequest, only: only.isEmpty ? nil : Set(only))
      try Worker(plan: plan, memoryLimit: memoryLimit << 20).run()
    }
  }

  /// The command line of a worker. The link `/proc/self/exe` refers to the running program, even if its file was
  /// replaced.
  static func arguments(definition: PipelineDefinition, only: [String], memoryLimit: Int) -> [String] {
    ["/proc/self/exe", "worker-process", "--definition", definition.text, "--memory-limit", String(memoryLimit)]
      + only.flatMap { ["--only", $0] }
  }
}
