import AnalysisTasks
import ArgumentParser
import Filters
import Foundation
internal import LibraryStore
import LibraryTasks
import Platform
import SystemPackage
import TagWriting
import Text

struct WriteTagsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "write-tags", abstract: "Write findings into the tags of files",
    discussion: """
      Fields: bpm, initialkey, replaygain (for Opus: R128_TRACK_GAIN and R128_ALBUM_GAIN), acoustid_fingerprint. Only these \
      are written, only in the tracks under the given paths that match --where (or all of the library with --all), and never \
      over another value unless --overwrite is given. Nothing else in a file changes.

      Only what would change is shown; add --yes to change it. Each new file is written beside the old one, checked, and \
      replaces it. The previous values are stored in a journal first; --undo restores them.

      Exit status: 0 fine; 1 no track matches, or it could not be done; 3 some files could not be written; 11 a run holds the lock.
      """)

  @Argument(help: ArgumentHelp("Fields to write, then files or folders of the library", valueName: "field|path"))
  var words: [PathArgument] = []

  @OptionGroup
  var tracks: WhereArgument

  @Flag(help: "All tracks of the library")
  var all = false

  @Flag(help: "Change the files instead of only showing what would change")
  var yes = false

  @Flag(name: [.customLong("dry-run"), .customShort("n")], help: "Show what would change, but change nothing")
  var dryRun = false

  @Flag(help: "Also replace different values")
  var overwrite = false

  @Option(
    help: ArgumentHelp("Keys as musical (F#m), camelot (11A) or open-key (4m)", valueName: "notation"),
    completion: .list(WritableField.KeyNotation.allCases.map(\.rawValue)))
  var keyNotation = "musical"

  @Flag(help: "Keep the modification times of files")
  var preserveMtimes = false

  @Flag(help: "Replace files with hard links under the given name only")
  var splitHardLinks = false

  @Option(
    help: ArgumentHelp("File for the previous values (default: a new one beside the database)", valueName: "file"),
    completion: .file(extensions: ["ndjson"]))
  var journal: PathArgument?

  @Option(help: ArgumentHelp("Undo the changes in this journal", valueName: "file"), completion: .file())
  var undo: PathArgument?

  @Flag(help: "Print one JSON line for each file; see analyze schema write-tags")
  var json = false

  @OptionGroup
  var database: DatabaseArgument

  /// The fields that the first arguments name.
  var fields: [WritableField] {
    let named = words.lazy.map { $0.bareWord.flatMap { WritableField(rawValue: $0) } }
    return named.prefix { $0 != nil }.compactMap(\.self)
  }

  var paths: [FilePath] { words.dropFirst(fields.count).map(\.path) }

  func validate() throws {
    let names = WritableField.allCases.map(\.rawValue)
    guard WritableField.KeyNotation(rawValue: keyNotation) != nil else {
      let valid = WritableField.KeyNotation.allCases.map(\.rawValue).joined(separator: ", ")
      throw ValidationError("--key-notation expects one of \(valid), not '\(keyNotation)'.")
    }
    if yes, dryRun { throw ValidationError("Give --yes or --dry-run, not both.") }
    if undo != nil {
      if !words.isEmpty || tracks.expression != nil || all {
        throw ValidationError("--undo restores all of a journal; name no fields or files.")
      }
      if overwrite || journal != nil {
        throw ValidationError("--undo can't be combined with --overwrite or --journal.")
      }
      return
    }
    for word in words.dropFirst(fields.count) where !word.path.exists && !word.path.isObject {
      let name = word.bareWord ?? word.path.string
      throw ValidationError(
        ("'\(printable(name))' is neither a field (\(names.joined(separator: ", "))) nor a file or folder"
          + Self.suggestion(for: word, in: names)).sentence)
    }
    if fields.isEmpty { throw ValidationError("Say what to write: \(names.joined(separator: ", ")).") }
    let isNarrowed = !paths.isEmpty || tracks.expression != nil
    if !isNarrowed, !all {
      throw ValidationError("Name files or folders, or give --where; --all stands for the whole library.")
    }
    if isNarrowed, all { throw ValidationError("Give --all, or paths and --where, not both.") }
  }

  private static func suggestion(for word: PathArgument?, in names: [String]) -> String {
    word?.bareWord.flatMap { Suggestion.nearest(to: $0, in: names) }.map { "; did you mean '\($0)'?" } ?? ""
  }

  /// `true` to only show the changes: without `--yes`, or for `--undo` with `--dry-run`.
  var isPlan: Bool { undo == nil ? !yes : dryRun }

  func run() async throws {
    try await reportingErrors {
      let settings = try CommandSettings(database)
      let session = TaggingSession(isPlan: isPlan, isUndo: undo != nil, isJSON: json)
      if let undo {
        try takeBack(undo.path, settings, session)
      } else {
        try write(settings, session)
      }
      try session.finish()
    }
  }

  var replacementOptions: TagReplacement.Options {
    var options = TagReplacement.Options()
    options.preservesTimes = preserveMtimes
    options.splitsHardLinks = splitHardLinks
    return options
  }

  private func write(_ settings: CommandSettings, _ session: TaggingSession) throws {
    var options = LibraryTagging.Options(fields)
    options.keyNotation = WritableField.KeyNotation(rawValue: keyNotation) ?? .musical
    options.overwrites = overwrite
    options.isDryRun = isPlan
    options.replacement = replacementOptions
    options.journal = journal?.path
    let store = try settings.openStoreForReading()
    let task = LibraryTagging(store, options)
    var filter = try tracks.filter() ?? TrackFilter(parsing: "")
    if !paths.isEmpty { filter = filter.and(TrackFilter(.any(paths.map { .condition(.under($0)) }))) }
    let files = try store.paths(matching: filter)
    if files.isEmpty { throw CommandFailure.nothingMatches }
    defer { session.journal = task.journalPath }
    try task.perform(on: files) { try session.show($0, of: files.count) }
  }

  private func takeBack(_ journal: FilePath, _ settings: CommandSettings, _ session: TaggingSession) throws {
    var task = try TagUndo(journal: journal)
    if task.isEmpty, !json { Terminal.writeLine("The journal is empty: nothing was written.") }
    task.isDryRun = isPlan
    task.replacement = replacementOptions
    let database = try settings.database()
    try task.perform(database: database.exists ? database : nil) { try session.show($0, of: task.count) }
  }
}

/// Shows results as they arrive, and counts them.
private final class TaggingSession {
  var journal: FilePath?
  private let isPlan: Bool
  private let isUndo: Bool
  private let isJSON: Bool
  private let progress = ProgressBar()
  private let signals: SignalHandling
  private var counts: [TaggingResult.Status: Int] = [:]
  private var done = 0

  init(isPlan: Bool, isUndo: Bool, isJSON: Bool) {
    self.isPlan = isPlan
    self.isUndo = isUndo
    self.isJSON = isJSON
    // A signal does not interrupt the current file.
    signals = SignalHandling { _ in }
  }

  /// - Returns: `false` if a signal has asked to stop.
  func show(_ result: TaggingResult, of total: Int) throws -> Bool {
    counts[result.status, default: 0] += 1
    done += 1
    if isJSON {
      try StandardOutput.write(result.ndjsonLine)
    } else {
      let lines = TaggingText.lines(for: result)
      if !lines.isEmpty {
        progress.finish()
        try StandardOutput.writeLines(lines)
      }
    }
    if let problem = result.problem {
      progress.finish()
      let path = printable(DisplayPath.text(of: result.path))
      Log.write(
        .warning, "tags_not_written", "\(path): \(problem.message)",
        fields: ["path": .string(DisplayPath.text(of: result.path)), "code": .string(problem.code.rawValue)])
    }
    progress.show(Double(done) / Double(max(1, total)), "\(done) of \(counted(total, "file"))")
    return signals.exitStatus == nil
  }

  func finish() throws {
    progress.finish()
    if !isJSON {
      for line in TaggingText.summary(counts) { Terminal.writeLine(line) }
      if isPlan, counts[.planned, default: 0] > 0 {
        let command = ShellText.command(adding: isUndo ? nil : "--yes")
        Terminal.writeLine("Nothing was changed. To change \(isUndo ? "them back" : "them"):\n  \(command)")
      }
      if let journal, counts[.written, default: 0] > 0 {
        Terminal.writeLine("To take this back: analyze write-tags --undo \(ShellText.quoted(journal.string))")
      }
    }
    if let status = signals.exitStatus { throw status.exitCode }
    if counts[.failed, default: 0] > 0 { throw ExitStatus.filesFailed.exitCode }
  }
}

enum TaggingText {
  static func lines(for result: TaggingResult) -> [String] {
    var lines = result.changes.flatMap { change in
      change.before.map { "  - \(name(change)): \(printable($0))" }
        + change.after.map { "  + \(name(change)): \(printable($0))" }
    }
    lines += result.kept.map { kept in
      "    \(name(kept)): \(printable(ListText.joined(kept.before) ?? "")) is kept, "
        + "not \(printable(ListText.joined(kept.after) ?? ""))"
    }
    return lines.isEmpty ? [] : [printable(DisplayPath.text(of: result.path))] + lines
  }

  private static func name(_ change: TagChange) -> String {
    change.key.lowercased() == change.field ? change.field : "\(change.field) (\(change.key))"
  }

  static func summary(_ counts: [TaggingResult.Status: Int]) -> [String] {
    let sentences: [(TaggingResult.Status, String)] = [
      (.written, "changed"), (.planned, "would be changed"), (.unchanged, "with these values already"),
      (.kept, "with other values, which were kept (--overwrite replaces them)"), (.nothing, "with nothing to write"),
      (.failed, "left unchanged, as reported above"),
    ]
    return sentences.compactMap { status, text in
      counts[status].map { "\(counted($0, "file")) \(text)" }
    }
  }
}
