import AnalysisTesting
import Foundation
import SystemPackage
import Testing
import Text

/// Files that cannot be analyzed, and how a nightly job reports them.
@Suite(.bounded) struct FailureTests {
  @Test func newFailuresAreToldOnce() throws {
    let place = try Workplace()
    try place.put(Audio.wav(1), as: "good.wav")
    try place.put(Audio.junk, as: "bad.mp3")
    try place.put([], as: "empty.flac")
    let arguments = [Argument(place.library)] + place.runArguments() + ["--report", "json"]
    let first = try place.start(arguments).end()
    #expect(first.status == 3)
    #expect(first.text == "")
    for name in ["bad.mp3", "empty.flac"] { #expect(first.errors.contains("\(place.library)/\(name)")) }
    #expect(first.errors.contains("[unknown_format]"))
    #expect(!first.errors.contains("good.wav"))
    let report = try JSONValue(parsing: Array(Data(contentsOf: URL(filePath: place.report.string))))
    #expect(report["run"]["totals"]["failed"] == 2)
    #expect(report["run"]["newly_failed"] == 2)
    #expect(report["run"]["exit_status"] == 3)
    let bad = report["files"].elements.first { $0["path"].textValue.hasSuffix("bad.mp3") } ?? .null
    #expect(bad["status"] == "failed")
    #expect(bad["error"]["code"] == "unknown_format")
    #expect(!bad["error"]["message"].textValue.isEmpty)

    let second = try place.start(arguments).end()
    #expect(second.status == 0)
    #expect(second.errors == "")
    #expect(try place.run().summary == ["seen": 3, "cached": 1, "failed": 2])
  }

  @Test func repairedFileIsFineAgain() throws {
    let place = try Workplace()
    try place.put(Audio.junk, as: "a.wav", modified: 1_000_000)
    #expect(try place.run().status == 3)
    try place.put(Audio.wav(1), as: "a.wav")
    let repaired = try place.run()
    #expect(repaired.status == 0)
    #expect(repaired.totals == ["seen": 1, "analyzed": 1])
    #expect(repaired.file("a.wav")["error"] == .null)
    // A file that breaks again is reported again.
    try place.put(Audio.junk, as: "a.wav", modified: 2_000_000)
    #expect(try place.run().status == 3)
  }

  @Test func knownFailuresAreTriedAgainOnRequest() throws {
    let place = try Workplace()
    try place.put(Audio.junk, as: "bad.mp3")
    try place.put(Audio.wav(1), as: "good.wav")
    let pipeline = try place.makePipelineThatLogs()
    _ = try place.run(pipeline: pipeline)
    #expect(place.takeLog() == ["good.wav"])
    let again = try place.run("--retry-failed", pipeline: pipeline)
    #expect(again.status == 0)
    #expect(again.totals == ["seen": 2, "cached": 1, "failed": 1])
    #expect(place.takeLog() == [])
    let explained = try place.analyze("show", "--why", "library/bad.mp3", "--database", Argument(place.database))
    #expect(explained.text.contains("failed 2 times"), "\(explained.text)")
  }

  @Test func failOnDecidesOnTheStatus() throws {
    let place = try Workplace()
    try place.put(Audio.wav(1), as: "good.wav")
    try place.put(Audio.junk, as: "bad.mp3")
    #expect(try place.run("--fail-on", "never", "--database", "never.sqlite").status == 0)
    #expect(try place.run("--fail-on", "50%", "--database", "half.sqlite").status == 0)
    #expect(try place.run("--fail-on=49.9%", "--database", "less.sqlite").status == 3)
    #expect(try place.run("--fail-on", "new").status == 3)
    #expect(try place.run("--fail-on", "new").status == 0)
    #expect(try place.run("--fail-on", "any").status == 3)
    #expect(try place.run(environment: ["ANALYZE_FAIL_ON": "any"]).status == 3)
  }

  /// A mail about new damage, as about new failures; and silence the next night.
  @Test func newDamageIsToldOnce() throws {
    let place = try Workplace()
    try place.put(Audio.wav(1), as: "good.wav")
    for number in 1...4 { try place.put(Array(Audio.wav(2).prefix(50_000 + number)), as: "cut \(number).wav") }
    let arguments = [Argument(place.library)] + place.runArguments() + ["--report", "json"]
    let first = try place.start(arguments + ["--metrics", Argument(place.folder.file("metrics"))]).end()
    #expect(first.status == 3 && first.text == "")
    #expect(first.errors.hasPrefix("4 files are damaged that were not known as damaged:\n"), "\(first.errors)")
    #expect(first.errors.contains("  4 × ") && first.errors.contains("[truncated]"))
    #expect(first.errors.contains("cut 1.wav") && first.errors.contains("… and 1 more"))
    #expect(first.errors.contains("Replace damaged files") && !first.errors.contains("good.wav"))
    let report = try JSONValue(parsing: Array(Data(contentsOf: URL(filePath: place.report.string))))
    let run = report["run"]
    #expect(run["totals"]["partial"] == 4 && run["totals"]["analyzed"] == 1 && run["totals"]["seen"] == 5)
    #expect(run["newly_damaged"] == 4 && run["newly_failed"] == 0)
    let metrics = try String(contentsOfFile: place.folder.file("metrics").string, encoding: .utf8)
    #expect(metrics.contains("nocturne_run_files{outcome=\"partial\"} 4\n"))
    #expect(metrics.contains("nocturne_run_new_damage 4\n"))
    #expect(try place.analyze("doctor", "--check", "--database", Argument(place.database)).status == 0)

    let second = try place.start(arguments).end()
    #expect(second.status == 0 && second.errors == "")
    let third = try place.run()
    #expect(third.summary == ["seen": 5, "cached": 5])
    #expect(third.errors.contains("4 known as damaged"), "\(third.errors)")
    // One more is reported, and the others are mentioned.
    try place.put(Array(Audio.wav(3).prefix(50_000)), as: "cut 5.wav")
    try place.put(Audio.junk, as: "junk.mp3")
    let fourth = try place.start(arguments).end()
    #expect(fourth.status == 3)
    #expect(fourth.errors.contains("1 file failed that was not known as failing:"), "\(fourth.errors)")
    #expect(fourth.errors.contains("1 file is damaged that was not known as damaged:"))
    #expect(fourth.errors.contains("4 files besides known as damaged from earlier runs."))
    // Tags alone do not make it whole.
    _ = try place.run("--only", "tags", "--force")
    #expect(try place.run().file("cut 1.wav")["status"] == "partial")
    #expect(try place.run("--fail-on", "any").status == 3)
    #expect(try place.run("--fail-on", "100%").status == 0)
    #expect(try place.run("--fail-on", "80%").status == 3)
  }

  @Test func newDamageIsAMessageForPrograms() throws {
    let place = try Workplace()
    try place.put(Array(Audio.wav(2).prefix(50_000)), as: "cut.wav")
    let outcome = try place.analyze(
      Argument(place.library), "--database", Argument(place.database), "--pipeline", "fingerprint", "--log-format",
      "json", "--progress", "json")
    let messages = try outcome.errors.split(separator: "\n").map { try JSONValue(parsing: $0.utf8) }
    let damage = messages.first { $0["event"] == "file_damaged" } ?? .null
    #expect(damage["code"] == "truncated" && damage["path"].textValue.hasSuffix("cut.wav"))
    let ended = messages.first { $0["event"] == "run_ended" } ?? .null
    #expect(ended["partial"] == 1 && ended["newly_damaged"] == 1 && ended["analyzed"] == 0 && ended["exit_status"] == 3)
  }

  /// The part of a damaged file that could be decoded is a result, with the reason why it is not all.
  @Test func damagedFileGivesAPartialResult() throws {
    let place = try Workplace()
    try place.put(Array(Audio.wav(1).prefix(60_000)), as: "cut.wav")
    let outcome = try place.run(pipeline: place.makePipelineThatLogs())
    #expect(outcome.status == 3)
    #expect(outcome.totals == ["seen": 1, "partial": 1] && outcome.summary == outcome.totals)
    let file = outcome.file("cut.wav")
    #expect(file["status"] == "partial")
    #expect(file["error"]["message"] != .null)
    #expect(file["findings"]["probe"] != .null)
  }

  /// Many decoders can be crashed. A file that does so fails, and the rest of the library is unaffected.
  @Test func fileThatCrashesItsProcessFailsAlone() throws {
    let place = try Workplace()
    for (number, name) in ["a", "b", "c"].enumerated() { try place.put(Audio.wav(UInt64(number)), as: "\(name).wav") }
    // The parent of the program is the worker.
    let pipeline = try place.makePipeline(script: #"case "$1" in *b.wav) kill -KILL $PPID;; esac; echo {}"#)
    let first = try place.run(pipeline: pipeline)
    #expect(first.status == 3)
    #expect(first.totals == ["seen": 3, "analyzed": 2, "failed": 1])
    #expect(first.file("b.wav")["status"] == "failed")
    #expect(first.file("b.wav")["error"]["code"] == "worker_crashed")
    #expect(first.errors.contains("b.wav"))
    let second = try place.run(pipeline: pipeline)
    #expect(second.status == 0)
    #expect(second.totals == ["seen": 3, "cached": 2, "failed": 1])
    // It is in quarantine, and `show --why` says for how long.
    #expect(second.errors.contains("1 in quarantine"), "\(second.errors)")
    for words: [Argument] in [["show"], ["show", "--why"]] {
      let told = try place.start(words + ["library/b.wav", "--database", Argument(place.database)]).end()
      #expect(told.text.contains("uarantine") && told.text.contains("until 20"), "\(told.text)")
    }
    let doctor = try place.analyze("doctor", "--database", Argument(place.database))
    #expect(doctor.text.contains("in quarantine until 20") && doctor.text.contains("b.wav: The worker process crashed"))
    // Retries come last.
    try place.put(Audio.wav(7), as: "d.wav")
    let third = try place.run(
      "--retry-failed", "--jobs", "1", pipeline: place.makePipelineThatLogs(name: "gentle"))
    #expect(third.totals == ["seen": 4, "analyzed": 4] && third.file("b.wav")["status"] == "ok")
    let log = try String(contentsOfFile: place.log.string, encoding: .utf8)
    #expect(log.split(separator: "\n").last == "b.wav", "\(log)")
    let healed = try place.analyze("show", "--why", "library/b.wav", "--database", Argument(place.database))
    #expect(!healed.text.contains("uarantine"), "\(healed.text)")
  }

  @Test(arguments: [Workplace.threads, [:]])
  func timeLimitLeavesWhatWasFound(environment: [String: String]) throws {
    let place = try Workplace()
    try place.put(Audio.wav(1, title: "Kept"), as: "a.wav")
    // No machine identifies and decodes a file in a millisecond.
    let outcome = try place.run("--timeout", "0.001s", environment: environment)
    #expect(outcome.status == 3)
    #expect(outcome.file("a.wav")["status"] == "partial")
    #expect(outcome.file("a.wav")["error"]["code"] == "time_limit")
    #expect(outcome.file("a.wav")["tags"]["title"] == "Kept")
  }

  /// A file does not fail because it has to wait: for a slow program here, as for a slow disk or a busy machine.
  @Test(arguments: [Workplace.threads, [:]])
  func waitingIsNoTimeOfTheProcessor(environment: [String: String]) throws {
    let place = try Workplace()
    try place.put(Audio.wav(1), as: "a.wav")
    let pipeline = try place.makePipeline(
      script: "sleep 2; cat > /dev/null; echo {}", input: "pcm", analyzers: "  tags:\n")
    let outcome = try place.run("--timeout", "1.9s", pipeline: pipeline, environment: environment)
    #expect(outcome.file("a.wav")["status"] == "ok", "\(outcome.file("a.wav")["error"])")
  }

  /// Simulates a disk that no longer responds: nothing is read, nothing is computed, and no CPU time passes.
  @Test func standstillEnds() throws {
    let place = try Workplace()
    try place.put(Audio.wav(1), as: "a.wav")
    try place.put(Audio.wav(2), as: "b.wav")
    // The parent of the program is the worker. It stays stopped, even if it is woken.
    let pipeline = try place.makePipeline(
      script: #"case "$1" in *a.wav) while kill -STOP $PPID; do sleep 0.1; done;; esac; echo {}"#)
    let outcome = try place.run("--timeout", "1", pipeline: pipeline)
    #expect(outcome.status == 3, "\(outcome.errors) \(outcome.file("a.wav")["problems"])")
    #expect(outcome.file("a.wav")["error"]["code"] == "no_progress")
    #expect(outcome.file("a.wav")["error"]["message"].textValue.contains("For 10 s nothing was read"))
    #expect(outcome.file("b.wav")["status"] == "ok")
  }

  // MARK: - Analyzers in other languages

  @Test func findingOfAProgramIsInTheReport() throws {
    let place = try Workplace()
    try place.put(Audio.wav(1), as: "a b.wav")
    let pipeline = try place.makePipeline(script: #"printf "{\"name\": \"%s\", \"mood\": 0.5}" "${1##*/}""#)
    let outcome = try place.run(pipeline: pipeline)
    #expect(outcome.status == 0)
    #expect(outcome.file("a b.wav")["findings"] == ["probe": ["name": "a b.wav", "mood": 0.5]])
    #expect(outcome.file("a b.wav")["analyzers"]["probe"] == 1)
    #expect(try place.analyze("show", "library/a b.wav", "--database", Argument(place.database)).text.contains("mood"))
  }

  @Test(arguments: [
    ("echo no luck >&2; exit 7", 60, "no luck"), ("echo no json", 60, "no json"), ("kill -9 $$", 60, "signal 9"),
    ("exec sleep 60", 1, "kept the pipeline waiting"),
  ])
  func failingProgramCostsItselfAlone(script: String, timeout: Int, reason: String) throws {
    let place = try Workplace()
    try place.put(Audio.wav(1, title: "Kept"), as: "a.wav")
    let pipeline = try place.makePipeline(script: script, timeout: timeout)
    let outcome = try place.run(pipeline: pipeline)
    #expect(outcome.status == 0)
    let file = outcome.file("a.wav")
    #expect(file["status"] == "ok")
    #expect(file["tags"]["title"] == "Kept")
    #expect(file["fingerprint"] != .null)
    #expect(file["findings"] == .null)
    #expect(file["problems"].elements.count == 1)
    #expect(file["problems"].elements.first?["analyzer"] == "probe")
    #expect(file["problems"].elements.first?["message"].textValue.contains(reason) == true, "\(file["problems"])")
    // It is not tried forever.
    #expect(try place.run(pipeline: pipeline).totals == ["seen": 1, "cached": 1])
  }

  /// Neither does a program inherit the limits that a worker process sets itself, nor what else it has open.
  @Test func programsHaveNoLimitOfMemory() throws {
    let place = try Workplace()
    try place.put(Audio.wav(1), as: "a.wav")
    let script = #"printf "{\"limit\": \"%s\", \"open\": %d}" "$(ulimit -d)" "$(ls /proc/self/fd | wc -l)""#
    let outcome = try place.run(
      "--memory-limit", "300", pipeline: place.makePipeline(script: script))
    let own = try RunningProgram(["-c", "ulimit -d"], of: "/bin/sh", environment: [:], workingFolder: "/").end()
    let found = outcome.file("a.wav")["findings"]["probe"]
    #expect(found["limit"].textValue == own.lines.first)
    // 0 to 2, and the folder that is listed.
    #expect(found["open"] == 4)
  }
}
