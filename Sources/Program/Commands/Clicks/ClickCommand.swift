import Analysis
internal import AnalysisTasks
import ArgumentParser
import AudioEncoding
import Foundation
import LibraryTasks
import Platform
import SystemPackage
import Text

struct ClickCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "click", abstract: "Write or play a track with clicks on its beats",
    discussion: """
      Beats and downbeats come from the database, as they were found or corrected. Downbeats have accents. The music is \
      turned down by a fixed amount, so clicks stand out and nothing clips.

      Without --output, song.mp3 becomes song.click.flac in the current folder.
      """)

  @Argument(help: ArgumentHelp("A file that was analyzed", valueName: "file"))
  var file: PathArgument

  @OptionGroup
  var clicks: ClickArguments

  @Flag(help: "Leave out the music; reads no audio")
  var clicksOnly = false

  @Option(help: ArgumentHelp("Start at this time, such as 90 or 1:30", valueName: "time"))
  var from: LengthArgument?

  @Option(help: ArgumentHelp("End at this time", valueName: "time"))
  var to: LengthArgument?

  @OptionGroup
  var database: DatabaseArgument

  func validate() throws {
    if let part, part.isEmpty { throw ValidationError("--to must be after --from.") }
  }

  /// The part to write, in seconds; `nil` for the whole track.
  var part: Range<Double>? {
    guard from != nil || to != nil else { return nil }
    let start = from?.seconds ?? 0
    return start..<max(start, to?.seconds ?? .infinity)
  }

  func run() async throws {
    try await reportingErrors {
      let store = try CommandSettings(database).openStoreForReading()
      var track = try ClickedTrack(of: file.path, in: store)
      track.sound = clicks.clickSound
      track.level = clicks.level
      track.isClicksOnly = clicksOnly
      var destination = ClickDestination()
      var outcome: ClickedTrack.Outcome?
      let session = try ClickSession(plays: clicks.play)
      let duration = part.map { min($0.upperBound, track.duration ?? $0.upperBound) } ?? track.duration
      if let target = clicks.target(track.defaultName(clicks.fileFormat)) {
        let replaces = try clicks.replaces(target)
        let written = try session.make(duration) {
          try track.write(
            to: target, as: clicks.fileFormat, replacesExisting: replaces, seconds: part, progress: $0,
            isCancelled: $1)
        }
        destination.output = target
        destination.format = clicks.fileFormat
        outcome = written
        session.report(ClickText.line(for: track, written, in: target))
      }
      if clicks.play {
        let (temporary, played) = try session.make(duration) {
          try track.temporaryFile(seconds: part, progress: $0, isCancelled: $1)
        }
        outcome = outcome ?? played
        destination.player = try session.play(temporary)
      }
      guard let outcome else { return }
      if let problem = outcome.problem {
        Log.write(
          .warning, "damaged",
          "\(DisplayPath.text(of: file.path)): \(problem.message) The rest is missing in the output, too.")
      }
      if clicks.json { try StandardOutput.write(ClickRecord(track, outcome, destination).ndjsonLine) }
    }
  }
}

enum ClickText {
  static func line(for track: ClickedTrack, _ outcome: ClickedTrack.Outcome, in file: FilePath) -> String {
    var parts = [
      DisplayPath.text(of: file) + ": \(counted(outcome.clickCount, "click"))",
      track.hasDownbeats
        ? counted(outcome.accentCount, "accent") : "no accents (the start of bars is unknown)",
    ]
    if let bpm = track.bpm {
      parts.append(String(format: "%.2f BPM", bpm) + (track.isLocked ? " as corrected" : ""))
    }
    if !track.isClicksOnly {
      parts.append(
        (track.levels.music < 0
          ? String(format: "music %.1f dB quieter", -track.levels.music) : "music at its original level")
          + (track.isLoudnessKnown ? "" : " (its loudness is unknown)"))
    }
    if outcome.clippedSampleCount > 0 { parts.append("\(counted(outcome.clippedSampleCount, "sample")) clipped") }
    return parts.joined(separator: ", ")
  }
}
