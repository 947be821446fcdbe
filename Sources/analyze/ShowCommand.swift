import Analysis
import Application
import ArgumentParser
import Foundation
import Pipeline
import Records
import Reporting
import ResultStore
import System
import SystemPackage
import Text

struct ShowCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Shows all that is known of a file.")

  @Argument(help: ArgumentHelp("A file that was analyzed.", valueName: "file"))
  var file: PathArgument

  @Flag(help: "As one line of JSON, the record of an NDJSON report.")
  var json = false

  @Option(
    help: ArgumentHelp("Put long lists into the JSON: beats, lyrics, chapters.", valueName: "what"),
    completion: .list(ReportExtra.choices))
  var include: [String] = []

  @Option(help: ArgumentHelp("The database of results.", valueName: "file"))
  var database: PathArgument?

  func run() async throws {
    try await reportingErrors {
      var settings = try CommandSettings()
      settings.take(database, for: Settings.database, option: "--database")
      try settings.take(include, for: Settings.include, option: "--include")
      let options = ReportOptions(including: settings[Settings.include])
      let store = try settings.openStoreForReading()
      let record = try store.record(
        at: file.path, includesBeats: options.includesBeats || !json, includesLyrics: options.includesLyrics || !json,
        includesChapters: options.includesChapters || !json)
      guard let record else {
        throw UnknownFile(file.path)
      }
      if json {
        try StandardOutput.write(ReportWriter.ndjsonLine(for: record, options: options))
      } else {
        let quarantine = try store.history(at: file.path)?.quarantine
        try StandardOutput.writeLines(RecordText.lines(for: record, quarantine: quarantine))
      }
    }
  }
}

/// A record as a person reads it.
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
    for field in TagField.all {
      add(field.name, record.tags?.fields[field.name]?.joined(separator: " / "))
    }
    for lyrics in record.tags?.lyrics ?? [] {
      add("lyrics", heading(of: lyrics))
      lines += words(of: lyrics).map { "    " + printable($0) }
    }
    for chapter in record.tags?.chapters ?? [] {
      add("chapter", [clock(chapter.startSeconds), chapter.title].compactMap(\.self).joined(separator: " "))
    }
    add("pictures", record.tags.map { $0.pictures.map { "\($0.type) (\($0.mime))" }.joined(separator: ", ") })
    if let correction = record.tempoCorrection {
      let beats = record.tempo?.beats.count ?? 0
      add("tempo", String(format: "%.2f BPM", correction.bpm) + ", locked, \(counted(beats, "beat"))")
      add("tempo found", correction.found.map(text) ?? "not looked for")
    } else {
      add("tempo", record.tempo.map(text))
    }
    add("fingerprint", record.fingerprint.map { "\($0.algorithm), \(describe(seconds: $0.duration))" })
    add(
      "signature",
      record.signature.map {
        "version \($0.version), \($0.landmarkCount.formatted()) \($0.landmarkCount == 1 ? "landmark" : "landmarks")"
      })
    for (id, finding) in record.findings.sorted(by: { $0.key < $1.key }) { add(id, finding.text) }
    for problem in record.analyzerProblems {
      add(problem.analyzer, problem.outcome == .failed ? "failed: \(problem.message)" : problem.message)
    }
    add("content id", record.contentID?.description)
    return lines
  }

  private static func heading(of lyrics: TagFinding.Lyrics) -> String {
    let kind = lyrics.lines.isEmpty ? "without times" : "with times"
    return [lyrics.language, lyrics.description, kind].compactMap(\.self).joined(separator: ", ")
  }

  private static func words(of lyrics: TagFinding.Lyrics) -> [String] {
    if !lyrics.lines.isEmpty { return lyrics.lines.map { "\(clock($0.seconds)) \($0.text)" } }
    return lyrics.text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }

  /// As `61:02.50`: minutes, seconds and hundredths.
  private static func clock(_ seconds: Double) -> String {
    let hundredths = Int((min(max(seconds, 0), 1e9) * 100).rounded())
    return String(format: "%02d:%02d.%02d", hundredths / 6000, hundredths / 100 % 60, hundredths % 100)
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

  private static func text(_ tempo: TempoFinding) -> String {
    guard let bpm = tempo.bpm else { return "none (\(tempo.reason ?? "unknown reason"))" }
    var parts = [String(format: "%.2f BPM", bpm), String(format: "confidence %.2f", tempo.confidence)]
    let others = tempo.candidates.dropFirst().prefix(3).map { String(format: "%.2f", $0.bpm) }
    if !others.isEmpty { parts.append("alternatives: \(others.joined(separator: ", "))") }
    parts.append(tempo.isStable ? "stable" : counted(tempo.map.count, "section"))
    parts.append(counted(tempo.beats.count, "beat"))
    return parts.joined(separator: ", ")
  }
}
