internal import AnalysisTasks
import ArgumentParser
import Foundation
import Listening
import Pipeline
internal import Platform
import Recognition
import RecognitionTasks
import Reporting
internal import Synchronization

struct ListenCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "listen",
    abstract: "Recognize tracks in live audio from standard input",
    discussion: """
      Raw PCM, interleaved and little-endian, as other programs record it:
        arecord -q -t raw -f S16_LE -r 44100 -c 1 | analyze listen
        parec --format=s16le --rate=44100 --channels=1 | analyze listen
        ffmpeg -v error -i http://… -f s16le -ar 44100 -ac 1 - | analyze listen
      When the catalog changes, the new one is used from that moment on.
      """)

  @Option(help: ArgumentHelp("Samples per second", valueName: "hz"))
  var rate = 44_100

  @Option(help: ArgumentHelp("Number of channels", valueName: "n"))
  var channels = 1

  @Option(
    help: ArgumentHelp("Format of the samples: s16le or f32le", valueName: "kind"),
    completion: .list(RecordingSource.Encoding.allCases.map(\.rawValue)))
  var format = RecordingSource.Encoding.s16.rawValue

  @Option(help: ArgumentHelp("Run this in a shell and listen to its output", valueName: "command"))
  var command: String?

  @Flag(help: "Print a JSON line per track begin or end; see analyze schema listen")
  var json = false

  @OptionGroup
  var confidence: ConfidenceArguments

  @OptionGroup
  var catalogs: CatalogSourceArguments

  func validate() throws {
    if !(1000...768_000).contains(rate) { throw ValidationError("--rate must be 1000 to 768000, not \(rate).") }
    if !(1...64).contains(channels) { throw ValidationError("--channels must be 1 to 64, not \(channels).") }
    if RecordingSource.Encoding(rawValue: format) == nil {
      throw ValidationError("--format expects s16le or f32le, not '\(format)'.")
    }
  }

  func run() async throws {
    try await reportingErrors {
      let sources = catalogs.catalogs(try CommandSettings())
      if command == nil, isatty(STDIN_FILENO) == 1 {
        throw CommandFailure(
          .usage,
          "Standard input is a terminal, not audio. Pipe PCM in: arecord -q -t raw -f S16_LE -r 44100 -c 1 | analyze listen"
        )
      }
      _ = try sources.local()
      let outages = Mutex(CatalogOutages())
      let session = try ManagedRecognitionSession(
        following: sources.places, open: { () throws(CatalogError) in try sources.reopened() }, parts: sources.parts(),
        source: source, missing: { missing in outages.withLock { $0.report(missing) } })
      let signals = SignalHandling { _ in session.cancel() }
      var changes = TrackChanges()
      var failure: RecordingError?
      do {
        for try await result in session.start() {
          if case .error(let error) = result {
            Log.write(
              .warning, "catalog_unread",
              "The catalog has changed, but \(error). Listening continues with the previous one.")
          } else {
            try report(changes.next(confidence.limit.accepted(result)))
          }
        }
      } catch let error as RecordingError {
        failure = error
      } catch {
        session.cancel()
        throw error
      }
      try report(changes.finish())
      if let status = signals.exitStatus { throw status.exitCode }
      if let failure { throw CommandFailure(.fatal, "The audio input ended: \(failure).") }
    }
  }

  private var source: RecordingSource {
    let encoding = RecordingSource.Encoding(rawValue: format) ?? .s16
    guard let command else {
      return .standardInput(sampleRate: rate, channelCount: channels, encoding: encoding)
    }
    return .command(["sh", "-c", command], sampleRate: rate, channelCount: channels, encoding: encoding)
  }

  private func report(_ changes: [TrackChanges.Change]) throws {
    for change in changes {
      if json {
        try StandardOutput.write(DetectionRecord(heard: .now, change: change).ndjsonLine)
      } else {
        try StandardOutput.writeLines(lines(for: change))
      }
    }
  }

  private func lines(for change: TrackChanges.Change) -> [String] {
    let best = change.match.best
    guard change.kind == .began else {
      return ["\(trackTime(change.end))  ended: \(MatchText.text(of: best))"]
    }
    let now = change.match.queryStart + change.match.queryDuration
    let offset = best.matchOffset + change.match.queryDuration * best.speed
    return [
      "\(trackTime(now))  \(MatchText.text(of: best))", "         \(MatchText.place(of: best))",
      "         \(MatchText.details(offset: offset, speed: best.speed, confidence: best.confidence))",
    ]
  }
}
