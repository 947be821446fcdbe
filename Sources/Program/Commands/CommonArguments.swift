import ArgumentParser
import Pipeline

/// The option `--database`.
package struct DatabaseArgument: ParsableArguments {
  @Option(name: .customLong("database"), help: Settings.database.help("file"))
  var path: PathArgument?

  package init() {}
}

/// The option `--pipeline`.
struct PipelineArgument: ParsableArguments {
  @Option(name: .customLong("pipeline"), help: Settings.pipeline.help("name|file"))
  var reference: String?

  func apply(to settings: inout CommandSettings) throws {
    try settings.take(reference, for: Settings.pipeline, option: "--pipeline")
  }
}

/// Options for how a command processes a library, and for its progress and messages.
struct CourseArguments: ParsableArguments {
  @Option(name: [.customShort("j", allowingJoined: true), .long], help: Settings.jobs.help("n"))
  var jobs: String?

  @Option(help: Settings.timeBudget.help("time"))
  var timeBudget: String?

  @Option(help: Settings.nice.help("n"))
  var nice: String?

  @Option(help: Settings.failOn.help("when"), completion: .list(FailurePolicy.choices))
  var failOn: String?

  @Option(help: Settings.progress.help("style"), completion: .list(ProgressStyle.choices))
  var progress: String?

  @Option(help: Settings.logFormat.help("format"), completion: .list(LogFormat.choices))
  var logFormat: String?

  /// Applies the options. Call this before applying any others, because it also sets the format of messages.
  func apply(to settings: inout CommandSettings) throws {
    try settings.take(logFormat, for: Settings.logFormat, option: "--log-format")
    Log.use(settings[Settings.logFormat])
    try settings.take(jobs, for: Settings.jobs, option: "--jobs")
    try settings.take(timeBudget, for: Settings.timeBudget, option: "--time-budget")
    try settings.take(nice, for: Settings.nice, option: "--nice")
    try settings.take(failOn, for: Settings.failOn, option: "--fail-on")
    try settings.take(progress, for: Settings.progress, option: "--progress")
  }
}

/// The options `--quiet` and `--verbose`.
struct MessageArguments: ParsableArguments {
  @Flag(name: .shortAndLong, help: "Print errors only")
  var quiet = false

  @Flag(name: .shortAndLong, help: "Print the summary even when not on a terminal")
  var verbose = false
}
