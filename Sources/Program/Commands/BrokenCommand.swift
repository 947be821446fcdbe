import ArgumentParser
import Foundation
import LibraryTasks
import Platform
import Records
import Text

struct BrokenCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "broken", abstract: "List damaged and badly made files, worst first",
    discussion: """
      Every analysis finds damaged containers. Damaged audio and fake lossless files are found by the analyzers health and \
      origin: analyze run --pipeline health. See docs/health.md.

      Exit status: 0 fine, even if nothing is broken; 1 no track matches.
      """)

  @Argument(help: ArgumentHelp("Only files at or below these paths (default: all)", valueName: "path"))
  var paths: [PathArgument] = []

  @OptionGroup
  var tracks: WhereArgument

  @Option(help: ArgumentHelp("Leave out files of less severity, 0 to 1", valueName: "severity"))
  var from = 0.1

  @Option(help: ArgumentHelp("Maximum number of files", valueName: "n"))
  var limit: Int?

  @Flag(help: "Print one JSON line for each file; see analyze schema broken")
  var json = false

  @OptionGroup
  var database: DatabaseArgument

  func validate() throws {
    guard (0...1).contains(from) else { throw ValidationError("--from expects 0 to 1, not \(from).") }
    if let limit, limit < 1 { throw ValidationError("--limit expects a number of at least 1, not \(limit).") }
  }

  func run() async throws {
    try await reportingErrors {
      let store = try CommandSettings(database).openStoreForReading()
      let filter = try narrowed(tracks.filter(), to: paths, in: store)
      let answer = try BrokenTracks.list(in: store, matching: filter, from: from)
      let shown = answer.tracks.prefix(limit ?? .max)
      if json {
        for track in shown { try StandardOutput.write(track.ndjsonLine) }
        return
      }
      try StandardOutput.writeLines(shown.flatMap { BrokenText.lines(for: $0) })
      if Terminal().isInteractive || shown.isEmpty {
        Terminal.writeLine(BrokenText.summary(answer, shown: shown.count))
      }
    }
  }
}

enum BrokenText {
  private static let placesOfKind = 3

  static func lines(for track: BrokenTracks.Track) -> [String] {
    var lines = [String(format: "%.2f  ", track.severity) + printable(DisplayPath.text(of: track.record.path))]
    var counts: [String: Int] = [:]
    for reason in track.reasons {
      counts[reason.kind, default: 0] += 1
      guard counts[reason.kind, default: 0] <= placesOfKind else { continue }
      var line = "      " + printable(reason.message)
      if let start = reason.startSeconds, let end = reason.endSeconds, end - start < 5 {
        line += " at " + clockText(start, decimals: 2)
      }
      if let channel = reason.channel { line += ", channel \(channel)" }
      lines.append(line)
    }
    for (kind, count) in counts.sorted(by: { $0.key < $1.key }) where count > placesOfKind {
      lines.append("      and \(count - placesOfKind) more: \(kind)")
    }
    return lines
  }

  static func summary(_ answer: BrokenTracks.Answer, shown: Int) -> String {
    var text =
      answer.tracks.isEmpty
      ? "Nothing is known to be wrong with \(counted(answer.count, "file"))."
      : "\(shown) of \(counted(answer.tracks.count, "broken file")), of \(counted(answer.count, "file")) in all."
    if answer.unjudgedCount > 0 {
      text += " The audio of \(counted(answer.unjudgedCount, "file")) was not checked: analyze run --pipeline health."
    }
    return text
  }
}
