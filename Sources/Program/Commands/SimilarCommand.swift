internal import AnalysisTasks
import ArgumentParser
import Filters
import Foundation
import LibraryTasks
import Platform
import Records
import Text

struct SimilarCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "similar", abstract: "Find the tracks of the library that sound most like files",
    discussion: """
      The files may be in the library or elsewhere. Tracks that were analyzed with the analyzer likeness are compared. \
      Other files of the same recording are left out. `analyze search --like` takes filters, too. The exit status is 1 \
      if no track is found.
      """)

  @Argument(help: ArgumentHelp("Audio files", valueName: "file"))
  var files: [PathArgument]

  @Option(help: ArgumentHelp("Maximum number of tracks for each file", valueName: "n"))
  var limit = 10

  @Flag(help: "Print one JSON line for each file; see analyze schema similar")
  var json = false

  @OptionGroup
  var database: DatabaseArgument

  func validate() throws {
    try Self.check(limit: limit)
  }

  static func check(limit: Int) throws {
    let range = SimilarTracks.limits
    guard range.contains(limit) else {
      throw ValidationError("--limit expects \(range.lowerBound) to \(range.upperBound), not \(limit).")
    }
  }

  func run() async throws {
    try await reportingErrors {
      var isEmpty = true
      try forEachSimilar(to: files, CommandSettings(database), limit: limit) { answer in
        isEmpty = isEmpty && answer.tracks.isEmpty
        if json {
          try StandardOutput.write(answer.ndjsonLine)
        } else {
          try StandardOutput.writeLines(SimilarText.lines(for: answer))
        }
      }
      if isEmpty { throw ExitStatus.fatal.exitCode }
    }
  }
}

/// Calls `body` for each file with the tracks that sound most like it.
func forEachSimilar(
  to files: [PathArgument], _ settings: CommandSettings, limit: Int, matching filter: TrackFilter = .everything,
  _ body: (SimilarTracks.Answer) throws -> Void
) throws {
  let reading = SoundReading(by: settings.fileAnalysis)
  let store = try settings.openStoreForReading()
  let similar = SimilarTracks(in: store, reading: reading, descriptors: try DescriptorCache(in: store))
  try forEachFile(files) { try body(similar.near($0, limit: limit, matching: filter)) }
}

/// A human-readable list of similar tracks: rank, likeness, name and path.
enum SimilarText {
  private static let maxNameWidth = 48

  static func lines(for answer: SimilarTracks.Answer) -> [String] {
    let names = answer.tracks.map { printable($0.name) }
    let width = min(names.map(\.count).max() ?? 0, maxNameWidth)
    var lines = [printable(DisplayPath.text(of: answer.path))]
    for (track, name) in zip(answer.tracks, names) {
      let shown =
        name.count > width ? name.prefix(width - 1) + "…" : name + String(repeating: " ", count: width - name.count)
      let path = printable(DisplayPath.text(of: track.record.path))
      lines.append(String(format: "%4d  %.2f  ", track.rank, track.likeness) + shown + "  " + path)
    }
    if answer.tracks.isEmpty { lines.append("  no other track to compare with") }
    if answer.leftOutCount > 0 {
      lines.append("  left out: \(counted(answer.leftOutCount, "file")) of the same recordings")
    }
    return lines
  }
}
