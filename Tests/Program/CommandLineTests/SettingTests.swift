import Analysis
import AnalysisTesting
import Foundation
import SystemPackage
import Testing
import Text

/// Settings: option before environment, before project, before user.
@Suite(.bounded) struct SettingTests {
  /// The line of `config show` about a setting: value and origin.
  private static func row(_ key: String, _ outcome: Outcome) -> [String] {
    let line = outcome.lines.first { $0.hasPrefix("\(key) ") } ?? ""
    return line.split(separator: /\s{2,}/, maxSplits: 2).map { String($0) }
  }

  @Test func nearerPlacesGoFirstAndSaySo() throws {
    let place = try Workplace()
    let user = place.home.appending("settings/nocturne/config.yaml")
    try place.makeFolder(user.removingLastComponent())
    try place.write("jobs: 3\nnice: 3\nfail_on: any\nreport: [json, csv]\n", to: user)
    try place.write("# The project's\njobs: 4\nnice: 4\n", to: place.folder.file(".nocturne.yaml"))
    let work = place.folder.file("work")
    try place.makeFolder(work)

    let variables = ["XDG_CONFIG_HOME": place.home.appending("settings").string, "ANALYZE_JOBS": "5"]
    let outcome = try place.analyze("config", "show", "--origin", environment: variables, in: work)
    #expect(outcome.status == 0)
    #expect(Self.row("jobs", outcome) == ["jobs", "5", "environment ANALYZE_JOBS"])
    #expect(Self.row("nice", outcome) == ["nice", "4", "\(place.folder.file(".nocturne.yaml")):3"])
    #expect(Self.row("fail_on", outcome) == ["fail_on", "any", "\(user):3"])
    #expect(Self.row("report", outcome) == ["report", "json,csv", "\(user):4"])
    #expect(Self.row("pipeline", outcome) == ["pipeline", "default", "default"])
    #expect(try place.analyze("config", "--origin", environment: variables, in: work).output == outcome.output)
    // Without the option it says what each is for.
    #expect(try place.analyze("config", "show").text.contains("files analyzed at the same time"))
  }

  @Test func settingsReachTheRun() throws {
    let place = try Workplace()
    try place.put(Audio.wav(1), as: "a.wav")
    try place.put(Audio.junk, as: "bad.mp3")
    // Paths are relative to the file that names them.
    try place.write(
      """
      library: library
      database: kept/results.sqlite
      output: kept
      report: ndjson
      pipeline: tags-only
      fail_on: never
      """, to: place.folder.file(".nocturne.yaml"))
    let deeper = place.folder.file("deeper")
    try place.makeFolder(deeper)
    try place.makeFolder(place.folder.file("kept"))
    #expect(try place.analyze("config", "trust", "../.nocturne.yaml", in: deeper).status == 0)
    let outcome = try place.analyze(in: deeper)
    #expect(outcome.status == 0)
    #expect(outcome.errors == "")
    let report = place.folder.file("kept/report.ndjson")
    let lines = try String(contentsOfFile: report.string, encoding: .utf8).split(separator: "\n")
    #expect(lines.count == 2)
    #expect(FileManager.default.fileExists(atPath: place.folder.file("kept/results.sqlite").string))
    // Options take precedence over all.
    #expect(try place.analyze("--fail-on", "any", in: deeper).status == 3)
    #expect(try place.analyze(environment: ["ANALYZE_DATABASE": "new.sqlite"], in: deeper).status == 0)
    #expect(FileManager.default.fileExists(atPath: deeper.appending("new.sqlite").string))
    #expect(
      try place.analyze("--database", "other.sqlite", environment: ["ANALYZE_DATABASE": "new2.sqlite"], in: deeper)
        .status == 0)
    #expect(!FileManager.default.fileExists(atPath: deeper.appending("new2.sqlite").string))
  }

  @Test func pipelinesOfTheUserHaveNames() throws {
    let place = try Workplace()
    let pipelines = place.home.appending(".config/nocturne/pipelines")
    try place.makeFolder(pipelines)
    try place.write("analyzers:\n  tags:\n", to: pipelines.appending("mine.yaml"))
    try place.put(Audio.wav(1), as: "a.wav")
    let outcome = try place.run(pipeline: "mine")
    #expect(outcome.status == 0)
    #expect(outcome.report["run"]["pipeline"] == "mine")
    #expect(try place.run(pipeline: "mien").errors.contains("'mine'"))
  }

  @Test func mistakesHaveAPlace() throws {
    let place = try Workplace()
    let file = place.folder.file(".nocturne.yaml")
    for (text, hint) in [
      ("jobs: 2\njosb: 3\n", "\(file):2:1: josb: unknown setting; did you mean 'jobs'?"),
      ("jobs: 2\nnice: high\n", "\(file):2:7: nice: expects a whole number, not 'high'"),
      ("jobs: 2\nnice: 20\n", "\(file):2:7: nice: must be 0 to 19"),
      ("fail_on: neu\n", "did you mean 'new'?"),
      ("- jobs\n", "\(file):1:1"),
      ("jobs: [\n", "\(file):2"),
    ] {
      try place.write(text, to: file)
      let outcome = try place.analyze("library")
      #expect(outcome.status == 64)
      #expect(outcome.errors.contains(hint), "\(outcome.errors)")
    }
    for command: [Argument] in [["config", "show"], ["doctor"], ["report", "--report", "json"]] {
      #expect(try place.start(command).end().status == 64)
    }
  }

  @Test func unknownVariablesAreMentioned() throws {
    let place = try Workplace()
    try place.put(Audio.wav(1), as: "a.wav")
    let outcome = try place.analyze("library", "--pipeline", "tags-only", environment: ["ANALYZE_JOB": "3"])
    #expect(outcome.status == 0)
    #expect(outcome.errors.contains("ANALYZE_JOB "))
    #expect(outcome.errors.contains("'ANALYZE_JOBS'"))
    for command: [Argument] in [["search", "a"], ["show", "library/a.wav"], ["match", "library/a.wav"]] {
      let other = try place.start(command, environment: ["ANALYZE_JOB": "3"]).end()
      #expect(other.errors.components(separatedBy: "ANALYZE_JOB ").count == 2, "\(command): \(other.errors)")
    }
  }
}
