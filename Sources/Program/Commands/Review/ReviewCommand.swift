import Analysis
internal import AnalysisTasks
import ArgumentParser
import Filters
import Foundation
import LibraryTasks
import Pipeline
import Platform
import ResultStore
import SystemPackage
import Text

struct ReviewCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "review", abstract: "Walk through the tracks whose tempo is doubtful",
    discussion: """
      Shows one track after another, the least confident first, with half, double and other likely tempi. One key \
      decides: the tempo is set as with analyze set, and the track is not shown again. Skipped tracks come last next time. \
      End at any time with q or Ctrl-C; the next review continues there.

      To find a tempo by ear, tap t at least four times along with the music, and then enter.
      """)

  @OptionGroup
  var tracks: WhereArgument

  @Option(help: ArgumentHelp("Show tracks with less than this confidence, 0 to 1", valueName: "confidence"))
  var below = TempoReview.doubtfulConfidence

  @Option(help: ArgumentHelp("Maximum number of tracks", valueName: "n"))
  var limit: Int?

  @Flag(help: "Print the tracks without asking")
  var list = false

  @Flag(help: "Print the tracks as one JSON line; see analyze schema review")
  var json = false

  @OptionGroup
  var database: DatabaseArgument

  func validate() throws {
    guard below > 0, below <= 1 else {
      throw ValidationError("--below expects a confidence, more than 0 and at most 1, not \(below).")
    }
    if let limit, limit < 1 { throw ValidationError("--limit expects a number of at least 1, not \(limit).") }
  }

  func run() async throws {
    try await reportingErrors {
      let settings = try CommandSettings(database)
      let store = try settings.openStore(list || json ? .readOnly : .readWrite)
      let filter = try narrowed(tracks.filter(), to: [], in: store)
      let tracks = try TempoReview.tracks(in: store, below: below, matching: filter, limit: limit)
      if list || json {
        let list = try ReviewList(of: tracks, below: below, in: store)
        if json { return try StandardOutput.write(list.ndjsonLine) }
        return try StandardOutput.writeLines(list.tracks.map { Self.line($0.track) })
      }
      if tracks.isEmpty {
        Terminal.writeLine(
          String(format: "There is nothing to review: no tempo has a confidence below %.2f.", below))
        return
      }
      guard let terminal = RawTerminal() else {
        throw CommandFailure(
          .usage,
          "A review reads keys, so it needs a terminal as standard input and standard error (over ssh: ssh -t). "
            + "For scripts, --list and --json print the tracks, and analyze set changes them.")
      }
      let fitting = BeatFitting(by: settings.fileAnalysis)
      var session = ReviewSession(TempoReview(of: tracks, in: store, fitting: fitting), on: terminal)
      defer { terminal.restore() }
      try session.run()
      terminal.restore()
      Terminal.writeLine(session.summary)
    }
  }

  private static func line(_ track: ReviewedTrack) -> String {
    String(format: "%7.2f  %.2f  ", track.found.bpm, track.tempo.confidence)
      + printable(DisplayPath.text(of: track.path))
  }
}
