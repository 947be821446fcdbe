import ArgumentParser
import Listening

/// The process that `serve` starts to decode uploaded audio in: see `DecodingWorker`.
struct DecodingProcessCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "decoding-process", abstract: "Decode standard input for the program that started it",
    shouldDisplay: false)

  @Option(help: "Seconds of audio")
  var audioLimit: Double

  func run() async throws {
    DecodingWorker.run(audioSeconds: audioLimit)
  }

  /// The command line. The link leads to this very program, even if its file was replaced meanwhile.
  static let arguments = ["/proc/self/exe", "decoding-process"]
}
