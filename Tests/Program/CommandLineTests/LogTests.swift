import AnalysisTesting
import Foundation
import Glibc
import SystemPackage
import Testing
import Text

/// Messages on standard error, in each format, and the mail of a nightly job.
@Suite(.bounded) struct LogTests {
  @Test func messagesForPrograms() throws {
    let place = try Workplace()
    try place.put(Audio.wav(1), as: "a.wav")
    try place.put(Audio.junk, as: "line\nbreak.mp3")
    let arguments = [Argument(place.library), "nowhere", "--log-format", "json"] + place.runArguments()
    let outcome = try place.start(arguments).end()
    #expect(outcome.status == 1)
    let messages = try outcome.errors.split(separator: "\n").map { try JSONValue(parsing: Array($0.utf8)) }
    for message in messages {
      #expect(message["time"].textValue.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/) != nil)
      #expect(["error", "warning", "notice", "info"].contains(message["level"].textValue))
      #expect(!message["event"].textValue.isEmpty && !message["message"].textValue.isEmpty)
    }
    let events = Dictionary(grouping: messages) { $0["event"].textValue }
    #expect(events["library_missing"]?.first?["path"].textValue == place.folder.file("nowhere").string)
    let failed = events["file_failed"] ?? []
    #expect(failed.map { $0["path"].textValue } == [place.library.string + "/line\nbreak.mp3"])
    #expect(failed.first?["code"] == "unknown_format")
    #expect(events["run_ended"]?.first?["exit_status"] == 1)
    #expect(events["run_ended"]?.first?["analyzed"] == 1)

    // Errors, too; and silence if nothing is wrong.
    let wrong = try place.start(arguments.dropLast(2) + ["--pipeline", "none"]).end()
    #expect(try JSONValue(parsing: Array(wrong.errors.utf8))["event"] == "usage")
    let misspelled = try place.start(["--jbos", "2"], environment: ["ANALYZE_LOG_FORMAT": "json"]).end()
    #expect(misspelled.status == 64)
    #expect(try JSONValue(parsing: Array(misspelled.errors.utf8))["message"].textValue.contains("--jobs"))
    let fine = try place.start([Argument(place.library), "--log-format", "json"] + place.runArguments()).end()
    #expect(fine.status == 0 && fine.errors == "")
  }

  @Test func messagesForTheJournal() throws {
    let place = try Workplace()
    try place.put(Audio.junk, as: "bad.mp3")
    let arguments = [Argument(place.library), "nowhere"] + place.runArguments()
    let told = try place.start(arguments + ["--log-format", "journald"]).end()
    #expect(told.status == 1)
    let lines = told.errors.split(separator: "\n")
    #expect(lines.count > 3)
    #expect(lines.allSatisfy { $0.wholeMatch(of: /<[3-6]>[^<].*/) != nil }, "\(told.errors)")
    #expect(told.errors.contains("<4>"))

    // systemd says which stream is the journal; a variable that was only inherited means nothing.
    let stream = try FileDescriptor.open(
      place.folder.file("journal"), .readWrite, options: [.create, .append, .closeOnExec],
      permissions: .ownerReadWrite)
    defer { try? stream.close() }
    var status = stat()
    #expect(fstat(stream.rawValue, &status) == 0)
    let journal = ["JOURNAL_STREAM": "\(status.st_dev):\(status.st_ino)"]
    #expect(try place.start(arguments, environment: journal, errors: stream).end().status == 1)
    let written = try String(contentsOfFile: place.folder.file("journal").string, encoding: .utf8)
    #expect(written.hasPrefix("<4>"), "\(written)")
    let elsewhere = try place.start(arguments, environment: journal).end()
    #expect(elsewhere.errors.hasPrefix("analyze: "), "\(elsewhere.errors)")
  }

  /// However many files fail, the mail stays short and says where the rest is.
  @Test func mailOfABadNight() throws {
    let place = try Workplace()
    for number in 0..<40 { try place.put(Audio.junk, as: "junk \(number).mp3") }
    for number in 0..<5 { try place.put([], as: "empty \(number).flac") }
    let arguments = [Argument(place.library)] + place.runArguments()
    let first = try place.start(arguments).end()
    #expect(first.status == 3)
    let lines = first.errors.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.count < 25, "\(first.errors)")
    #expect(lines.first == "45 files failed that were not known as failing:")
    #expect(first.errors.contains("  40 × Unrecognized file format. [unknown_format]\n"))
    #expect(first.errors.contains("   5 × The file is empty. [empty]\n"))
    #expect(first.errors.contains("… and 37 more\n"))
    #expect(first.errors.contains("sqlite3 '\(place.database)'"))

    // A known failure is one line, if it is asked for at all.
    #expect(try place.start(arguments).end().errors == "")
    let asked = try place.start(arguments + ["--fail-on", "any"]).end()
    #expect(asked.status == 3)
    #expect(asked.errors == "45 files known as failing from earlier runs.\n")
    try place.put(Audio.junk, as: "one more.mp3")
    let more = try place.start(arguments + ["--report", "csv"]).end()
    #expect(more.errors.contains("1 file failed that was not known as failing:"))
    #expect(more.errors.contains("45 files besides known as failing"))
    #expect(more.errors.contains("All of them: \(place.reports)/report.csv"))
  }

  @Test func niceIsForEverythingThatARunStarts() throws {
    let place = try Workplace()
    try place.put(Audio.wav(1), as: "a.wav")
    let script = #"printf "{\"nice\": %d, \"disk\": \"%s\"}" "$(nice)" "$(ionice)""#
    let pipeline = try place.makePipeline(script: script)
    let outcome = try place.run("--nice", "7", pipeline: pipeline)
    let found = outcome.file("a.wav")["findings"]["probe"]
    #expect(found["nice"].intValue ?? 0 >= 7, "\(found)")
    #expect(["idle", "best-effort: prio 7"].contains(found["disk"].textValue), "\(found)")
  }
}
