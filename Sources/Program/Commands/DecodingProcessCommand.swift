import ArgumentParser
import Listening

/// The process in which `serve` decodes uploaded audio; see `DecodingWorker`.
struct DecodingProcessCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "decoding-process", abstract: "Decode standard input for the program that started it",
    shouldDisplay: false)

  @Option(help: "Seconds of audio")
  var audioLimit: Double

  func run() async throws {
    DecodingWorker.run(audioSeconds: audioLimit)
  }

  /// The command line. The link `/proc/self/exe` refers to the running program, even if its file was replaced.
  static let arguments = ["/proc/self/exe", "decoding-process"]
}
