import Analysis
import AnalysisTasks
import ArgumentParser
import BuiltInAnalyzers
import Foundation
import LibraryScan
import LibraryStore
import LibraryTasks
import Pipeline
import Platform
import Records
import Reporting
import ResultStore
import SystemPackage
import Text

struct ShowCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Show everything known about files")

  @Argument(help: ArgumentHelp("Files that were analyzed; with --why, any", valueName: "file"))
  var files: [PathArgument]

  @Flag(help: "Print one JSON line for each file, as in an NDJSON report")
  var json = false

  @Option(
    help: Settings.include.help("what"), completion: .list(ReportExtra.choices))
  var include: [String] = []

  @Flag(help: "Explain what happened to files and what the next run would do")
  var why = false

  @Flag(help: "Show the history and the checksums of files")
  var history = false

  @OptionGroup
  var pipeline: PipelineArgument

  @OptionGroup
  var database: DatabaseArgument

  func validate() throws {
    if !why, pipeline.reference != nil { throw ValidationError("--pipeline needs --why.") }
    if why, json || !include.isEmpty {
      throw ValidationError("--why prints sentences: leave out --json and --include.")
    }
    if history, why || !include.isEmpty { throw ValidationError("--history can be combined with --json only.") }
  }

  func run() async throws {
    try await reportingErrors {
      if why { return try explain() }
      if history { return try showHistory() }
      var settings = try CommandSettings(database)
      try settings.take(include, for: Settings.include, option: "--include")
      let options = ReportOptions(including: settings[Settings.include])
      let store = try settings.openStoreForReading()
      try forEachFile(files) { path in
        let path = try store.knownPath(of: path)
        let record = try store.record(at: path, long: json ? options.long : BuiltInAnalyzers.longFields)
        guard let record else { throw UnknownFile(path) }
        if json {
          try StandardOutput.write(ReportWriter.ndjsonLine(for: record, options: options))
        } else {
          let quarantine = try store.history(at: path)?.quarantine
          try StandardOutput.writeLines(RecordText.lines(for: record, quarantine: quarantine))
        }
      }
    }
  }

  private func showHistory() throws {
    let store = try CommandSettings(database).openStoreForReading()
    try forEachFile(files) { path in
      let chronicle = try FileChronicle(of: try store.knownPath(of: path), in: store)
      if json { return try StandardOutput.write(chronicle.jsonLine) }
      try StandardOutput.writeLines(
        [printable(DisplayPath.text(of: chronicle.path))] + chronicle.lines.map { "  " + printable($0) })
    }
  }

  private func explain() throws {
    var settings = try CommandSettings(database)
    try pipeline.apply(to: &settings)
    let store = try settings.openStoreForReading()
    let plan = try settings.definition().plan(with: BuiltInAnalyzers.all)
    let candidates = settings.settings.walk.candidates
    try forEachFile(files) { path in
      let path = try store.knownPath(of: path)
      let sentences = try FileExplanation(of: path, in: store, plan: plan, candidates: candidates).sentences()
      try StandardOutput.writeLines([printable(DisplayPath.text(of: path))] + sentences.map { "  " + printable($0) })
    }
  }
}

/// The human-readable form of a `FileRecord`.
enum RecordText {
  static func lines(for record: FileRecord, quarantine: Quarantine? = nil) -> [String] {
    var lines = [printable(DisplayPath.text(of: record.path))]
    func add(_ name: String, _ value: String?) {
      guard let value, !value.isEmpty else { return }
      lines.append("  \(name.padding(toLength: 14, withPad: " ", startingAt: 0)) \(printable(value))")
    }
    add("status", record.isVanished ? "\(record.status.rawValue); the file is gone" : record.status.rawValue)
    add("problem", record.problem.map { "\($0.message) [\($0.code)]" })
    add(
      "quarantine",
      quarantine.map {
        "until \($0.until), for \(counted($0.losses, "worker process", plural: "worker processes")) lost over it"
      })
    for remark in record.remarks { add("remark", remark.message) }
    add("format", record.format.map(text))
    add("size", record.sizeBytes.map { "\($0.formatted()) \($0 == 1 ? "byte" : "bytes")" })
    for type in BuiltInAnalyzers.findings {
      for line in record.lines(of: type) {
        add(line.label, line.text)
        lines += line.details.map { "    " + printable($0) }
      }
    }
    for (id, finding) in record.otherFindings.sorted(by: { $0.key < $1.key }) { add(id, finding.text) }
    for problem in record.analyzerProblems {
      add(problem.analyzer, problem.outcome == .failed ? "failed: \(problem.message)" : problem.message)
    }
    add("content id", record.contentID?.description)
    return lines
  }

  private static func text(_ format: AudioFormat) -> String {
    var parts = [format.codec == format.container ? format.codec : "\(format.codec) in \(format.container)"]
    if let duration = format.duration { parts.append(describe(seconds: duration)) }
    parts.append("\(format.sampleRate) Hz")
    parts.append(
      format.channelCount == 1 ? "mono" : format.channelCount == 2 ? "stereo" : counted(format.channelCount, "channel"))
    if let depth = format.bitDepth { parts.append(counted(depth, "bit")) }
    if let rate = format.bitRate { parts.append("\(rate / 1000) kbit/s") }
    return parts.joined(separator: ", ")
  }
}
