import ArgumentParser
import AudioAnalysis
import Foundation
import Pipeline
import ResultStore
import SystemPackage

struct SetCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "set", abstract: "Sets what analyzers got wrong; no analysis ever overwrites it.",
    discussion: """
      What is set belongs to the audio: it holds for copies of the file, and when the file is moved or its tags change. \
      Analyses go on beneath it, and --unset brings their result back. Reports made afterwards show it.
      """)

  @Argument(help: ArgumentHelp("Files that were analyzed.", valueName: "file"))
  var files: [PathArgument]

  @Option(help: ArgumentHelp("The tempo in beats per minute.", valueName: "number"))
  var bpm: Double?

  @Flag(help: "Half the tempo it has now.")
  var half = false

  @Flag(help: "Twice the tempo it has now.")
  var double = false

  @Option(help: ArgumentHelp("Go back to what was found: bpm.", valueName: "what"), completion: .list(["bpm"]))
  var unset: String?

  @Option(help: ArgumentHelp("The database of results.", valueName: "file"))
  var database: PathArgument?

  func validate() throws {
    let given = [bpm != nil, half, double, unset != nil].count { $0 }
    if given != 1 { throw ValidationError("Give one of --bpm, --half, --double and --unset.") }
    if let bpm, !Self.tempi.contains(bpm) {
      throw ValidationError("--bpm expects beats per minute, 10 to 1000, not \(bpm).")
    }
    if let unset, unset != "bpm" { throw ValidationError("--unset expects bpm, not '\(unset)'.") }
  }

  private static let tempi = 10.0...1000.0

  func run() async throws {
    try await reportingErrors {
      var settings = try CommandSettings()
      settings.take(database, for: Settings.database, option: "--database")
      let store = try settings.openStore(.readWrite)
      var corrections: [ContentID: Double?] = [:]
      var lines: [String] = []
      for file in files {
        guard let record = try store.record(at: file.path, includesBeats: true) else {
          throw CommandFailure.unknownFile(file.path)
        }
        guard let audio = record.contentID else {
          throw CommandFailure(
            .fatal, "No audio was found in \(file.path.string), so that there is nothing to set. Nothing was set.")
        }
        let tempo = try newTempo(of: record)
        corrections[audio] = .some(tempo)
        let copies = try store.fileCount(withAudio: audio) - 1
        lines.append(
          "\(printable(DisplayPath.text(of: file.path))): \(Self.text(record.tempo?.bpm)) → "
            + (tempo.map { "\(Self.text($0)), locked" } ?? "\(Self.text(record.foundTempo?.bpm)), as found")
            + (copies > 0 ? " (as well as \(copies) \(copies == 1 ? "copy" : "copies") of the same audio)" : ""))
      }
      try store.correctTempo(corrections)
      for line in lines { Terminal.writeLine(line) }
    }
  }

  private func newTempo(of record: FileRecord) throws -> Double? {
    if unset != nil { return nil }
    if let bpm { return bpm }
    let path = record.path.string
    guard let now = record.tempo?.bpm else {
      throw CommandFailure(.fatal, "\(path) has no tempo to change: give it one with --bpm. Nothing was set.")
    }
    let new = half ? now / 2 : now * 2
    guard Self.tempi.contains(new) else {
      throw CommandFailure(.fatal, "The tempo of \(path) would become \(Self.text(new)). Nothing was set.")
    }
    return new
  }

  private static func text(_ bpm: Double?) -> String {
    bpm.map { String(format: "%.2f BPM", $0) } ?? "no tempo"
  }
}

extension FileRecord {
  /// What the analyzer says, whatever a person has set.
  var foundTempo: TempoFinding? { tempoCorrection.map(\.found) ?? tempo }
}
