import Analysis
import ArgumentParser
import AudioDecoding
import Foundation
import Pipeline
import Recognition
import Reporting
import System
import SystemPackage
import Text

struct MatchCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "match",
    abstract: "Says which tracks of the catalog are in audio files: clips, mixes, recordings of the radio.",
    discussion: """
      Each track that is heard is listed with where it starts and ends. Exit status: 0 if all files could be read, whatever was recognised; 3 if one could not.
      """)

  @Argument(help: ArgumentHelp("Audio files; - for standard input, in any format of audio files.", valueName: "file"))
  var files: [InputArgument]

  @Flag(help: "One line of JSON for each file; see analyze schema match.")
  var json = false

  @Flag(help: "A cue sheet (CUE) of the only file.")
  var cue = false

  @OptionGroup
  var confidence: ConfidenceArguments

  @OptionGroup
  var catalog: CatalogArguments

  func validate() throws {
    if json, cue { throw ValidationError("--json and --cue exclude each other.") }
    if cue, files.count != 1 { throw ValidationError("--cue takes exactly one file.") }
  }

  func run() async throws {
    try await reportingErrors {
      var settings = try CommandSettings()
      catalog.apply(to: &settings)
      let session = try Session(catalog: settings.openCatalog())
      var failures = 0
      for file in files {
        var record = MatchRecord(path: file.shownPath)
        do {
          let sheet = try tracks(in: file, session)
          record.duration = sheet.duration
          record.tracks = sheet.cues.filter { confidence.accepts($0.confidence) }
          if cue { try StandardOutput.write(cueFile(record)) }
        } catch let error as DecodeError {
          record.problem = Problem(stage: .open, code: error.code.rawValue, message: error.message)
        } catch let error as CatalogError {
          guard case .queryTooShort = error else { throw error }
          record.problem = Problem(stage: .analyze, code: "too_short", message: "For recognition, \(error).")
        }
        if let problem = record.problem {
          failures += 1
          Log.write(Log.Message(event: "file_failed", about: record.path, problem))
        }
        if json {
          try StandardOutput.write(record.ndjsonLine)
        } else if !cue, record.problem == nil {
          try StandardOutput.writeLines(MatchText.lines(for: record))
        }
      }
      if failures > 0 { throw ExitStatus.filesFailed.exitCode }
    }
  }

  /// Seconds of a clip that is matched as a whole.
  private static let longestClip = 30.0

  private func tracks(in input: InputArgument, _ session: Session) throws -> CueSheet {
    switch input {
    case .standardInput:
      let spooled = try SpooledInput.read()
      return try tracks(in: spooled.path, session)
    case .file(let argument):
      return try tracks(in: argument.path, session)
    }
  }

  private func tracks(in file: FilePath, _ session: Session) throws -> CueSheet {
    let query = try QueryGenerator.query(ofFile: file, maximumDuration: Self.longestClip + 1)
    guard query.duration <= Self.longestClip else { return try CueSheet(ofFile: file, in: session.catalog) }
    switch session.match(query) {
    case .matches(let matches): return CueSheet(cues: matches.map { CueSheet.Cue($0) }, duration: query.duration)
    case .noMatch: return CueSheet(cues: [], duration: query.duration)
    case .error(let error): throw error
    }
  }

  private func cueFile(_ record: MatchRecord) -> String {
    CueFile.text(
      of: CueSheet(cues: record.tracks, duration: record.duration ?? 0),
      name: record.path.lastComponent.map { DisplayPath.text(of: FilePath(root: nil, components: $0)) } ?? "",
      fileExtension: record.path.extension ?? "")
  }
}

extension InputArgument {
  /// What stands for it in results.
  fileprivate var shownPath: FilePath {
    switch self {
    case .standardInput: "/dev/stdin"
    case .file(let argument): argument.path
    }
  }
}

/// Which matches are good enough.
struct ConfidenceArguments: ParsableArguments {
  @Option(help: ArgumentHelp("Show only matches of at least this probability, 0.86 to 1.", valueName: "p"))
  var minConfidence: Double?

  func validate() throws {
    let least = Match.leastConfidence
    if let minConfidence, !(least...1).contains(minConfidence) {
      throw ValidationError(
        "--min-confidence must be \(least) to 1, not \(minConfidence): less likely matches are never shown.")
    }
  }

  func accepts(_ confidence: Double) -> Bool { confidence >= minConfidence ?? 0 }

  /// A result without the matches that are not good enough.
  func accepted(_ result: SessionResult) -> SessionResult {
    guard case .matches(let all) = result, let first = all.first else { return result }
    let matches = all.filter { accepts($0.best.confidence) }
    return matches.isEmpty
      ? .noMatch(queryStart: first.queryStart, queryDuration: first.queryDuration) : .matches(matches)
  }
}

/// What was recognised, as a person reads it.
enum MatchText {
  static func lines(for record: MatchRecord) -> [String] {
    var lines = [printable(DisplayPath.text(of: record.path))]
    if record.tracks.isEmpty { lines.append("  nothing recognised") }
    for cue in record.tracks {
      lines.append("  \(trackTime(cue.start))–\(trackTime(cue.end))  \(text(of: cue.match))")
      lines.append("      \(place(of: cue.match))")
      lines.append("      \(details(offset: cue.match.matchOffset, speed: cue.speed, confidence: cue.confidence))")
      for other in cue.alternatives { lines += ["      or \(text(of: other))", "         \(place(of: other))"] }
    }
    return lines
  }

  static func text(of match: MatchedMediaItem) -> String {
    let name = trackName(match.item, match.referenceIdentifier)
    return printable(match.item.album.map { "\(name) (\($0))" } ?? name)
  }

  /// What tells two versions of a track apart: the file it was built from, or its name in the catalog.
  static func place(of match: MatchedMediaItem) -> String {
    if case .string(let path)? = match.item.properties[LibraryItem.path] { return printable(path) }
    return printable(match.referenceIdentifier)
  }

  static func details(offset: Double, speed: Double, confidence: Double) -> String {
    let percent = (speed - 1) * 100
    return "from \(trackTime(offset)) of the track, "
      + (abs(percent) < 0.05 ? "" : String(format: "speed %+.1f%%, ", percent))
      + String(format: "confidence %.2f", confidence)
  }
}
