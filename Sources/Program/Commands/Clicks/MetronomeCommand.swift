import AnalysisTasks
import ArgumentParser
import AudioEncoding
import LibraryTasks
import Platform
import SystemPackage
import Text

struct MetronomeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "metronome", abstract: "Write or play a plain click track",
    discussion: """
      Click k, from 0, begins at the sample nearest to k · 60 / BPM seconds, so errors do not accumulate. The first click of \
      each bar has an accent.

      Without --output, the file is metronome-120bpm.flac in the current folder.
      """)

  @Option(help: ArgumentHelp("Clicks per minute, such as 120, 123.45 or 370/3", valueName: "number"))
  var bpm: String

  @Option(help: ArgumentHelp("Duration, such as 90, 1:30 or 60m", valueName: "time"))
  var duration = LengthArgument(seconds: 60)

  @Option(help: ArgumentHelp("Clicks per bar and their unit", valueName: "metre"))
  var metre = "4/4"

  @Flag(inversion: .prefixedNo, help: "Make the first click of each bar an accent")
  var accent = true

  @Option(help: ArgumentHelp("Samples per second (default: 44100; Opus: 48000)", valueName: "hz"))
  var rate: Int?

  @OptionGroup
  var clicks: ClickArguments

  func validate() throws { _ = try metronome() }

  private func metronome() throws -> Metronome {
    guard let tempo = ExactTempo(bpm) else {
      throw ValidationError("--bpm expects 10 to 1000 clicks per minute, such as 120, 123.45 or 370/3, not '\(bpm)'.")
    }
    guard let bar = Metronome.Metre(metre) else {
      throw ValidationError("--metre expects clicks per bar and their unit, such as 3/4 or 6/8, not '\(metre)'.")
    }
    guard Metronome.durations.contains(duration.seconds) else {
      throw ValidationError("--duration expects 0.1 s to 24 h, not \(duration.seconds) s.")
    }
    var metronome = Metronome(tempo: tempo, metre: bar, duration: duration.seconds)
    let isOpus = clicks.fileFormat == .opus
    metronome.sampleRate = rate ?? (isOpus ? 48_000 : 44_100)
    guard Metronome.sampleRates.contains(metronome.sampleRate) else {
      throw ValidationError("--rate expects 8000 to 192000 Hz, not \(metronome.sampleRate).")
    }
    if isOpus, !AudioFileFormat.opusRates.contains(metronome.sampleRate) {
      let rates = AudioFileFormat.opusRates.map(String.init).joined(separator: ", ")
      throw ValidationError("Opus supports \(rates) Hz, not \(metronome.sampleRate) Hz.")
    }
    metronome.hasAccents = accent
    metronome.sound = clicks.clickSound
    metronome.level = clicks.level
    return metronome
  }

  func run() async throws {
    try await reportingErrors {
      let metronome = try metronome()
      var destination = ClickDestination()
      var outcome: Metronome.Outcome?
      let session = try ClickSession(plays: clicks.play)
      if let target = clicks.target(metronome.defaultName(clicks.fileFormat)) {
        let replaces = try clicks.replaces(target)
        let written = try session.make(metronome.duration) {
          try metronome.write(
            to: target, as: clicks.fileFormat, replacesExisting: replaces, progress: $0, isCancelled: $1)
        }
        destination.output = target
        destination.format = clicks.fileFormat
        outcome = written
        session.report(
          "\(DisplayPath.text(of: target)): \(counted(written.clickCount, "click")), \(metronome.tempo) BPM, "
            + describe(seconds: written.duration))
      }
      if clicks.play {
        let (temporary, played) = try session.make(metronome.duration) {
          try metronome.temporaryFile(progress: $0, isCancelled: $1)
        }
        outcome = outcome ?? played
        destination.player = try session.play(temporary)
      }
      guard let outcome, clicks.json else { return }
      try StandardOutput.write(MetronomeRecord(metronome, outcome, destination).ndjsonLine)
    }
  }
}
