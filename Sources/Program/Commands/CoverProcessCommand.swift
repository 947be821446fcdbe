import ArgumentParser
import LibraryTasks

/// The process in which `serve` reads a picture; see `CoverWorker`.
struct CoverProcessCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cover-process", abstract: "Make a cover for the program that started it", shouldDisplay: false)

  @Option(help: "Pixels of the longer side")
  var side: Int

  func run() throws { try CoverWorker(side: side).run() }

  /// The command line without options. The link `/proc/self/exe` refers to the running program, even if its file was
  /// replaced.
  static let command = ["/proc/self/exe", "cover-process"]
}
