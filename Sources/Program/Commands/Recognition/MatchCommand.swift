import AnalysisTasks
import ArgumentParser
import Foundation
import Pipeline
import Platform
import Recognition
import RecognitionTasks
import Reporting
import Synchronization
import SystemPackage
import Text

struct MatchCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "match",
    abstract: "Find the tracks of the catalog in clips, mixes and recordings",
    discussion: """
      Each track that is heard is listed with where it starts and ends. Exit status: 0 if all files could be read, whatever was recognized; 3 if one could not, or if a catalog did not answer.

      --split cuts a mix or a recording of the radio into one file per track, named and tagged after it. What was not \
      recognized is kept in files of its own. Audio without loss becomes FLAC, cut to the sample; other audio is \
      copied without encoding it again, cut between packets.
      """)

  @Argument(help: ArgumentHelp("Audio files, or - for standard input, in any audio format", valueName: "file"))
  var files: [InputArgument]

  @Flag(help: "Print one JSON line per file; see analyze schema match")
  var json = false

  @Flag(help: "Print a cue sheet (CUE) of the file")
  var cue = false

  @Option(
    help: ArgumentHelp("Cut the file into its tracks, and write them into this folder", valueName: "dir"),
    completion: .directory)
  var split: PathArgument?

  @Flag(help: "Let --split replace files that are not pieces of this recording")
  var force = false

  @OptionGroup
  var confidence: ConfidenceArguments

  @OptionGroup
  var catalogs: CatalogSourceArguments

  func validate() throws {
    if json, cue { throw ValidationError("--json and --cue exclude each other.") }
    if cue, files.count != 1 { throw ValidationError("--cue takes exactly one file.") }
    if force, split == nil { throw ValidationError("--force needs --split.") }
    if split != nil {
      guard files.count == 1, case .file = files[0] else {
        throw ValidationError("--split takes exactly one file, and not standard input.")
      }
    }
  }

  func run() async throws {
    try await reportingErrors {
      let sources = catalogs.catalogs(try CommandSettings())
      let recognition = try FileRecognition(catalog: sources.local(), parts: sources.parts(), limit: confidence.limit)
      var failures = 0
      var outages = CatalogOutages()
      for file in files {
        let record = try record(of: file, recognition)
        if let problem = record.problem {
          failures += 1
          Log.write(Log.Message(event: "file_failed", about: record.path, problem))
        } else if cue {
          try StandardOutput.write(cueFile(record))
        }
        // If the record has a problem, no catalog was searched.
        if record.problem == nil { outages.report(record.missing) }
        if json {
          try StandardOutput.write(record.ndjsonLine)
        } else if !cue, record.problem == nil {
          try StandardOutput.writeLines(MatchText.lines(for: record))
        }
      }
      if failures > 0 || outages.hasAny { throw ExitStatus.filesFailed.exitCode }
    }
  }

  private func record(of input: InputArgument, _ recognition: FileRecognition) throws -> MatchRecord {
    switch input {
    case .standardInput:
      let spooled = try SpooledInput.read()
      return try recognition.record(of: spooled.path, shownAs: "/dev/stdin")
    case .file(let argument):
      guard let split else { return try recognition.record(of: argument.path) }
      return try splitRecord(of: argument.path, into: split.path, recognition)
    }
  }

  /// Returns a record of the tracks recognized in a file, and of the pieces that it was cut into.
  private func splitRecord(
    of file: FilePath, into folder: FilePath, _ recognition: FileRecognition
  ) throws -> MatchRecord {
    let cutting = try MixSplit(of: file, into: folder, OverwriteRule(allowsOthers: force))
    let bar = ProgressBar()
    defer { bar.finish() }
    var record = try recognition.record(of: file) { bar.show($0, "listening") }
    guard record.problem == nil, !record.tracks.isEmpty else { return record }
    let isCancelled = Atomic(false)
    let signals = SignalHandling { _ in isCancelled.store(true, ordering: .relaxed) }
    do {
      record.split = try cutting.perform(
        CueSheet(cues: record.tracks, duration: record.duration ?? 0),
        progress: { bar.show($0, "writing") }, isCancelled: { isCancelled.load(ordering: .relaxed) })
    } catch let failure as MixSplitFailure where failure.cause == .cancelled {
      bar.finish()
      Log.write(.warning, "interrupted", "\(failure)")
      throw (signals.exitStatus ?? .interrupted).exitCode
    }
    if let damage = record.split?.damage {
      bar.finish()
      Log.write(
        .warning, "recording_damaged",
        "\(DisplayPath.text(of: file)): \(damage) The pieces hold what could be read.")
    }
    return record
  }

  private func cueFile(_ record: MatchRecord) -> String {
    CueFile.text(
      of: CueSheet(cues: record.tracks, duration: record.duration ?? 0),
      name: record.path.lastComponent.map { DisplayPath.text(of: FilePath(root: nil, components: $0)) } ?? "",
      fileExtension: record.path.extension ?? "")
  }
}

struct ConfidenceArguments: ParsableArguments {
  @Option(help: ArgumentHelp("Show only matches of at least this probability, 0.86 to 1", valueName: "p"))
  var minConfidence: Double?

  func validate() throws {
    let range = ConfidenceLimit.range
    if let minConfidence, !range.contains(minConfidence) {
      throw ValidationError(
        "--min-confidence must be \(range.lowerBound) to 1, not \(minConfidence): less likely matches are never shown.")
    }
  }

  var limit: ConfidenceLimit { minConfidence.map { ConfidenceLimit(minimum: $0) } ?? ConfidenceLimit() }
}

/// A human-readable list of recognized tracks.
enum MatchText {
  static func lines(for record: MatchRecord) -> [String] {
    var lines = [printable(DisplayPath.text(of: record.path))]
    if record.tracks.isEmpty {
      lines.append(
        record.missing.isEmpty ? "  nothing recognized" : "  nothing recognized, but a catalog did not answer")
    }
    for cue in record.tracks {
      lines.append("  \(trackTime(cue.start))–\(trackTime(cue.end))  \(text(of: cue.match))")
      lines.append("      \(place(of: cue.match))")
      lines.append("      \(details(offset: cue.match.matchOffset, speed: cue.speed, confidence: cue.confidence))")
      for other in cue.alternatives { lines += ["      or \(text(of: other))", "         \(place(of: other))"] }
    }
    return lines + (record.split.map { SplitText.lines(for: $0) } ?? [])
  }

  static func text(of match: MatchedMediaItem) -> String {
    let name = match.item.trackName(orReference: match.referenceIdentifier)
    return printable(match.item.album.map { "\(name) (\($0))" } ?? name)
  }

  /// A text that distinguishes a track from other versions of it: the file it was built from, or its name in the
  /// catalog.
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

/// A human-readable list of the pieces of a recording.
enum SplitText {
  static func lines(for split: MixSplit.Outcome) -> [String] {
    let how =
      switch split.method {
      case .flac: "FLAC, cut to the sample"
      case .copy:
        String(
          format: "copied without encoding, cut between packets (to %.0f ms)", (split.precision * 1000).rounded(.up))
      }
    let folder = printable(DisplayPath.text(of: split.folder))
    var lines = ["\(counted(split.files.count, "file")) in \(folder): \(how)"]
    for file in split.files {
      let piece = file.piece
      let name = printable(file.path.lastComponent?.string ?? "")
      lines.append("  \(trackTime(piece.start))–\(trackTime(piece.end))  \(name)")
      if piece.overlap > 0 {
        lines.append(
          String(format: "      sounds together with the track before for %.1f s; cut in the middle", piece.overlap))
      }
      for cue in piece.alsoHeard {
        lines.append(
          "      also heard: \(MatchText.text(of: cue.match)), \(trackTime(cue.start))–\(trackTime(cue.end))")
      }
    }
    return lines
  }
}
