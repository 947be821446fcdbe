internal import AnalysisTasks
import ArgumentParser
import LibraryTasks
import Pipeline
import Platform
import Records
import SystemPackage

struct WaveformCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "waveform", abstract: "Write waveforms from the database as audiowaveform does",
    discussion: """
      For players that draw waveforms, such as peaks.js: audiowaveform's data format, version 2, one channel. All data \
      comes from the database; no audio is read. A folder gets song.mp3.json for song.mp3.
      """)

  @Argument(help: ArgumentHelp("Files that were analyzed, or folders of them", valueName: "path"))
  var paths: [PathArgument]

  @Option(
    help: ArgumentHelp("The format to write: json or dat", valueName: "format"),
    completion: .list(AudiowaveformData.Format.allCases.map(\.rawValue)))
  var format = "json"

  @Option(
    help: ArgumentHelp("Bits per value: 8 or 16", valueName: "number"),
    completion: .list(AudiowaveformData.Bits.allCases.map { String($0.rawValue) }))
  var bits = 8

  @Option(
    help: ArgumentHelp("The folder to write to, or - for standard output", valueName: "dir|-"),
    completion: .directory)
  var output = "-"

  @Flag(help: "Replace files even if Nocturne did not write them")
  var force = false

  @OptionGroup
  var database: DatabaseArgument

  func run() async throws {
    try await reportingErrors {
      guard let format = AudiowaveformData.Format(rawValue: format) else {
        throw CommandFailure(.usage, "--format expects json or dat, not '\(format)'.")
      }
      guard let bits = AudiowaveformData.Bits(rawValue: bits) else {
        throw CommandFailure(.usage, "--bits expects 8 or 16, not \(bits).")
      }
      guard let folder = PathArgument(argument: output) else {
        throw CommandFailure(.usage, "--output expects a folder, or - for standard output.")
      }
      let export = WaveformExport(paths.map(\.path), format, bits: bits)
      let store = try CommandSettings(database).openStoreForReading()
      if output == "-" {
        try StandardOutput.write(export.single(store))
      } else {
        try export.write(store, into: folder.path, OverwriteRule(allowsOthers: force))
      }
    }
  }
}
