import ArgumentParser
import Pipeline

/// `--database`.
struct DatabaseArgument: ParsableArguments {
  @Option(name: .customLong("database"), help: Settings.database.help("file"))
  var path: PathArgument?
}

/// `--pipeline`.
struct PipelineArgument: ParsableArguments {
  @Option(name: .customLong("pipeline"), help: Settings.pipeline.help("name|file"))
  var reference: String?

  func apply(to settings: inout CommandSettings) throws {
    try settings.take(reference, for: Settings.pipeline, option: "--pipeline")
  }
}

/// `--quiet` and `--verbose`.
struct MessageArguments: ParsableArguments {
  @Flag(name: .shortAndLong, help: "Print errors only")
  var quiet = false

  @Flag(name: .shortAndLong, help: "Print the summary even when not on a terminal")
  var verbose = false
}
