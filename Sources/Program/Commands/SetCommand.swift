import Analysis
import AnalysisTasks
import ArgumentParser
import Filters
import Foundation
import Library
import LibraryTasks
import Platform
import ResultStore
import SystemPackage
import Text

struct SetCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "set", abstract: "Correct a tempo or its beats; no analysis overwrites it",
    discussion: """
      A correction belongs to the audio: it also applies to copies of the file, and stays when the file is moved or its tags \
      change. Later analyses do not change it, and --unset returns to their result. Later reports show it.

      Beats follow the tempo: at a multiple of it they are thinned or filled in, and for any other tempo the file is read \
      again and beats of that tempo are placed on its onsets.

      With --where, only what would change is shown; add --yes to change it; if no track matches, the exit status is 1. \
      --export and --import take all corrections \
      to a file and back, here or on another machine.
      """)

  @Argument(help: ArgumentHelp("Files that were analyzed", valueName: "file"))
  var files: [PathArgument] = []

  @OptionGroup
  var tracks: WhereArgument

  @Option(help: ArgumentHelp("The tempo in beats per minute", valueName: "number"))
  var bpm: Double?

  @Option(
    help: ArgumentHelp("Multiply the current tempo: 2, 1/2, 3, 1/3, 3/2, 2/3, 4/3 or 3/4", valueName: "ratio"),
    completion: .list(BeatRatio.all.dropFirst().map(\.description)))
  var times: String?

  @Flag(help: "Halve the current tempo")
  var half = false

  @Flag(help: "Double the current tempo")
  var double = false

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Move beats by a part of a beat (0.5, -1/4), or downbeats by whole beats", valueName: "beats"))
  var shiftBeats: String?

  @Option(
    help: ArgumentHelp("Move all beats so that one is at this time, in seconds", valueName: "seconds"))
  var firstBeat: Double?

  @Flag(help: "Mark as having no steady beat: no tempo and no beats")
  var noTempo = false

  @Option(help: ArgumentHelp("Go back to the analyzed value: bpm", valueName: "what"), completion: .list(["bpm"]))
  var unset: String?

  @Flag(name: [.customLong("dry-run"), .customShort("n")], help: "Show what would change, but change nothing")
  var dryRun = false

  @Flag(help: "With --where: change the tracks instead of only showing changes")
  var yes = false

  @Option(
    name: .customLong("export"),
    help: ArgumentHelp("Write all corrections as CSV, to - for standard output", valueName: "file|-"),
    completion: .file())
  var exportFile: OutputArgument?

  @Option(
    name: .customLong("import"),
    help: ArgumentHelp("Read corrections from CSV; the newer of two for a recording counts", valueName: "file|-"))
  var importFile: InputArgument?

  @Flag(help: "--export: replace any file; --import: accept older corrections")
  var force = false

  @Flag(help: "Print one JSON line; see analyze schema set and corrections")
  var json = false

  @OptionGroup
  var database: DatabaseArgument

  func validate() throws {
    let tempi = [bpm != nil, times != nil, half, double].count { $0 }
    let shifts = [shiftBeats != nil, firstBeat != nil].count { $0 }
    let alone = [unset != nil, noTempo].count { $0 }
    if exportFile != nil || importFile != nil {
      try validateTransfer(hasChange: tempi + shifts + alone > 0)
      return
    }
    if force { throw ValidationError("--force needs --export or --import.") }
    if alone > 1 || alone == 1 && tempi + shifts > 0 {
      throw ValidationError("\(unset != nil ? "--unset" : "--no-tempo") can't be combined with other changes.")
    }
    if alone == 0, tempi > 1 || shifts > 1 || tempi + shifts == 0 {
      throw ValidationError(
        "Give one of --bpm, --times, --half, --double, --no-tempo and --unset; or one of --shift-beats and --first-beat, "
          + "alone or in addition.")
    }
    if files.isEmpty == (tracks.expression == nil) {
      throw ValidationError(files.isEmpty ? "Name files, or give --where." : "Give files or --where, not both.")
    }
    if yes, tracks.expression == nil { throw ValidationError("--yes needs --where.") }
    if yes, dryRun { throw ValidationError("Give --yes or --dry-run, not both.") }
    if let bpm, !TempoChange.tempi.contains(bpm) {
      throw ValidationError("--bpm expects beats per minute, 10 to 1000, not \(bpm).")
    }
    if let times, BeatRatio(times) == nil {
      let valid = BeatRatio.all.dropFirst().map(\.description).joined(separator: ", ")
      throw ValidationError("--times expects one of \(valid), not '\(times)'.")
    }
    if let shiftBeats, Self.fraction(shiftBeats) == nil {
      throw ValidationError(
        "--shift-beats expects a number or fraction from -16 to 16, such as 0.5, not '\(shiftBeats)'.")
    }
    if let firstBeat, !(0...1e6).contains(firstBeat) {
      throw ValidationError("--first-beat expects seconds from the start, not \(firstBeat).")
    }
    if let unset, unset != "bpm" { throw ValidationError("--unset expects bpm, not '\(unset)'.") }
  }

  /// Checks the options of `--export` and `--import`.
  private func validateTransfer(hasChange: Bool) throws {
    if exportFile != nil, importFile != nil { throw ValidationError("Give --export or --import, not both.") }
    let option = exportFile != nil ? "--export" : "--import"
    if hasChange { throw ValidationError("\(option) can't be combined with a change; call set twice.") }
    if !files.isEmpty || tracks.expression != nil {
      throw ValidationError("\(option) concerns all corrections; name no files.")
    }
    if yes { throw ValidationError("--yes needs --where.") }
    if exportFile != nil, dryRun || json { throw ValidationError("--export can be combined with --force only.") }
  }

  private static func fraction(_ text: String) -> Double? {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false).map { Double($0) }
    let value = parts.count == 1 ? parts[0] : parts.count == 2 ? parts[0].flatMap { a in parts[1].map { a / $0 } } : nil
    return value.flatMap { (-16...16).contains($0) ? $0 : nil }
  }

  /// The request that the options describe, once they are validated.
  var request: TempoChange.Request {
    if unset != nil { return .unset }
    if noTempo { return .noTempo }
    let ratio = half ? BeatRatio(1, 2) : double ? BeatRatio(2) : times.flatMap { BeatRatio($0) }
    return .set(
      bpm.map { .beatsPerMinute($0) } ?? ratio.map { .times($0) },
      shiftBeats.flatMap(Self.fraction).map { .beats($0) } ?? firstBeat.map { .firstBeat($0) })
  }

  func run() async throws {
    try await reportingErrors {
      let settings = try CommandSettings(database)
      if let exportFile {
        try export(to: exportFile, of: settings.openStoreForReading())
      } else if let importFile {
        try take(importFile, into: settings.openStore(dryRun ? .readOnly : .readWrite))
      } else if let filter = try tracks.filter() {
        try change(where: filter, settings)
      } else {
        try changeFiles(settings)
      }
    }
  }

  private func change(_ settings: CommandSettings, isDryRun: Bool) throws -> TempoChange {
    TempoChange(
      request, in: try settings.openStore(isDryRun ? .readOnly : .readWrite),
      fitting: isDryRun
        ? nil : BeatFitting(by: settings.fileAnalysis))
  }

  private func changeFiles(_ settings: CommandSettings) throws {
    let changes = try change(settings, isDryRun: dryRun).perform(on: files.map(\.path), isDryRun: dryRun)
    if json {
      return try StandardOutput.write(LibraryTempoChange.Outcome(of: changes, isDryRun: dryRun).ndjsonLine)
    }
    for change in changes { Terminal.writeLine((dryRun ? "would set " : "") + change.text) }
  }

  private func change(where filter: TrackFilter, _ settings: CommandSettings) throws {
    let change = try change(settings, isDryRun: !yes)
    let scratch = FilePath.temporaryFolder
    let task = LibraryTempoChange(change, isDryRun: !yes, scratchFolder: scratch)
    let files = try task.files(matching: filter)
    let progress = ProgressBar()
    let outcome = try task.perform(on: files) {
      progress.show(Double($0) / Double(files.count), "\($0) of \(counted(files.count, "track"))")
    }
    progress.finish()
    if json { try StandardOutput.write(outcome.ndjsonLine) }
    if outcome.matchedCount == 0 { throw CommandFailure.nothingMatches }
    if json { return }
    for line in TempoChangeText.lines(for: outcome) { Terminal.writeLine(line) }
    if outcome.isDryRun, outcome.changedCount > 0 {
      Terminal.writeLine("Nothing was changed. To change them:\n  \(ShellText.command(adding: "--yes"))")
    }
  }

  private func export(to output: OutputArgument, of store: ResultStore) throws {
    let export = CorrectionExport(store)
    switch output {
    case .standardOutput: _ = try export.write { try StandardOutput.write($0) }
    case .file(let path):
      try OverwriteRule(allowsOthers: force).check(path.path, CorrectionExport.proof)
      let count = try export.write(to: path.path)
      if Terminal().isInteractive { Terminal.writeLine("\(counted(count, "correction")) written") }
    }
  }

  private func take(_ input: InputArgument, into store: ResultStore) throws {
    let task = CorrectionImport(into: store, overwritesNewer: force, isDryRun: dryRun)
    let progress = ProgressBar()
    let outcome: CorrectionImport.Outcome
    switch input {
    case .standardInput:
      outcome = try task.read(.standardInput, path: "standard input") { progress.show($0, "reading") }
    case .file(let file):
      let descriptor: FileDescriptor
      do {
        descriptor = try .open(file.path, .readOnly, options: .closeOnExec)
      } catch {
        throw CorrectionFileError.cannotRead(file.path, reason: "\(error)")
      }
      outcome = try descriptor.closeAfter {
        try task.read(descriptor, path: file.path) { progress.show($0, "reading") }
      }
    }
    progress.finish()
    if json {
      try StandardOutput.write(outcome.ndjsonLine(isDryRun: dryRun))
    } else {
      for line in CorrectionImportText.lines(for: outcome, isDryRun: dryRun) { Terminal.writeLine(line) }
    }
    if outcome.unreadableCount > 0 { throw ExitStatus.filesFailed.exitCode }
  }
}

enum TempoChangeText {
  static func lines(for outcome: LibraryTempoChange.Outcome) -> [String] {
    let verb = outcome.isDryRun ? "would be changed" : outcome.changedCount == 1 ? "was changed" : "were changed"
    var lines = [
      "\(counted(outcome.matchedCount, "track")) matched, \(counted(outcome.changedCount, "recording")) \(verb)"
    ]
    lines += outcome.examples.map { "  \($0.text)" }
    let rest = outcome.changedCount - outcome.examples.count
    if rest > 0 { lines.append("  and \(rest) more") }
    if outcome.copyCount > 0 { lines.append("\(counted(outcome.copyCount, "track")): copies of the same audio") }
    if outcome.unchangedCount > 0 { lines.append("\(counted(outcome.unchangedCount, "track")): not corrected before") }
    for refusal in outcome.refusals {
      lines.append(
        "\(counted(refusal.count, "track")) left as \(refusal.count == 1 ? "it is" : "they are"): \(refusal.text)")
    }
    return lines
  }
}

enum CorrectionImportText {
  /// Maximum number of unreadable lines to show.
  private static let shownCount = 20

  static func lines(for outcome: CorrectionImport.Outcome, isDryRun: Bool) -> [String] {
    var lines = outcome.unreadable.prefix(shownCount).map { "line \($0.line) was left out: \($0.reason)" }
    let rest = outcome.unreadableCount - lines.count
    if rest > 0 { lines.append("\(counted(rest, "more line")) \(rest == 1 ? "was" : "were") left out") }
    let counts = outcome.corrections
    let waiting = counts.waitingCount > 0 ? " (\(counts.waitingCount) for audio that is not in the library yet)" : ""
    var parts = ["\(counts.newCount) new" + waiting]
    if counts.replacedCount > 0 { parts.append("\(counts.replacedCount) replaced") }
    parts.append("\(counts.sameCount) as they were")
    if counts.olderCount > 0 {
      parts.append("\(counts.olderCount) older than what was set here and left out (--force takes them)")
    }
    let all = counts.newCount + counts.replacedCount + counts.sameCount + counts.olderCount
    lines.append(
      "\(counted(all, "correction")) read\(isDryRun ? ", nothing set" : ""): " + parts.joined(separator: ", "))
    return lines
  }
}
