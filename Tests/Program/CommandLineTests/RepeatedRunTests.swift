import AnalysisTesting
import Foundation
import SystemPackage
import Testing
import Text

/// The second run and every later one.
@Suite(.bounded) struct RepeatedRunTests {
  /// Once the file is stable, neither it nor another file with the same audio counts as changed while it was read.
  @Test func whatChangedWhileItWasReadIsNoSourceForOthers() throws {
    let place = try Workplace()
    try place.put(Audio.wav(1), as: "a.wav", modified: 1_000_000)
    let restless = try place.makePipeline("restless", script: #"touch "$1"; echo {}"#)
    let first = try place.run(pipeline: restless)
    #expect(first.file("a.wav")["status"] == "partial")
    #expect(first.file("a.wav")["error"]["code"] == "changed_while_reading")
    #expect(first.status == 0 && !first.errors.contains("known as damaged"), "\(first.errors)")
    try place.put(Audio.wav(1), as: "b.wav")
    let second = try place.run()
    #expect(second.totals == ["seen": 2, "analyzed": 2])
    for name in ["a.wav", "b.wav"] {
      #expect(second.file(name)["status"] == "ok", "\(name): \(second.file(name)["error"])")
      #expect(second.file(name)["error"] == .null)
      #expect(second.file(name)["fingerprint"] != .null)
    }
  }

  @Test func unchangedFilesAreNotOpened() throws {
    let place = try Workplace()
    for name in ["a", "b", "c"] { try place.put(Audio.wav(1, title: name), as: "\(name).wav", modified: 1_000_000) }
    let first = try place.run()
    #expect(first.totals == ["seen": 3, "analyzed": 3])

    // Other bytes behind the same size and time: opening the file would show them. (Only the time of change tells.)
    try place.put(Audio.wav(2, title: "x"), as: "a.wav", modified: 1_000_000)
    let second = try place.run(environment: ["ANALYZE_IGNORE_CTIME": "true"])
    #expect(second.status == 0)
    #expect(second.summary == ["seen": 3, "cached": 3])
    #expect(second.totals == second.summary)
    #expect(second.files == first.files)
  }

  @Test func changedFileIsAnalyzedAgain() throws {
    let place = try Workplace()
    try place.put(Audio.wav(1), as: "a.wav", modified: 1_000_000)
    try place.put(Audio.wav(2), as: "b.wav")
    let first = try place.run()
    try place.put(Audio.wav(3), as: "a.wav", modified: 1_000_001)
    let second = try place.run()
    #expect(second.totals == ["seen": 2, "analyzed": 1, "cached": 1])
    #expect(second.file("a.wav")["fingerprint"] != first.file("a.wav")["fingerprint"])
    #expect(second.file("b.wav") == first.file("b.wav"))
  }

  @Test func newTagsDoNotCostADecode() throws {
    let place = try Workplace()
    let pipeline = try place.makePipelineThatLogs()
    try place.put(Audio.wav(1, title: "Old"), as: "a.wav")
    try place.put(Audio.wav(2), as: "b.wav")
    let first = try place.run(pipeline: pipeline)
    #expect(place.takeLog() == ["a.wav", "b.wav"])

    try place.put(Audio.wav(1, title: "A new title"), as: "a.wav")
    let second = try place.run(pipeline: pipeline)
    #expect(second.totals == ["seen": 2, "analyzed": 1, "cached": 1])
    #expect(place.takeLog() == [])
    #expect(second.file("a.wav")["tags"]["title"] == "A new title")
    for key in ["id", "fingerprint", "findings"] {
      #expect(second.file("a.wav")[key] != .null)
      #expect(second.file("a.wav")[key] == first.file("a.wav")[key])
    }
  }

  @Test func movedAndRenamedFilesKeepTheirResults() throws {
    let place = try Workplace()
    let pipeline = try place.makePipelineThatLogs()
    try place.put(Audio.wav(1, title: "First"), as: "a.wav")
    try place.put(Audio.wav(2), as: "b.wav")
    let first = try place.run(pipeline: pipeline)
    _ = place.takeLog()

    try place.makeFolder(place.library.appending("deeper"))
    try place.move("a.wav", to: "z.wav")
    try place.move("b.wav", to: "deeper/b.wav")
    let second = try place.run(pipeline: pipeline)
    #expect(second.totals == ["seen": 2, "cached": 2])
    #expect(second.names == ["b.wav", "z.wav"])
    #expect(second.file("z.wav")["fingerprint"] == first.file("a.wav")["fingerprint"])
    #expect(second.file("z.wav")["tags"]["title"] == "First")
    #expect(place.takeLog() == [])
  }

  @Test func copiesShareWhatWasHeard() throws {
    let place = try Workplace()
    let pipeline = try place.makePipelineThatLogs()
    try place.put(Audio.wav(1), as: "a.wav")
    _ = try place.run(pipeline: pipeline)
    _ = place.takeLog()

    try place.put(Audio.wav(1), as: "copy.wav")
    try place.put(Audio.wav(1, title: "Another title"), as: "tagged copy.wav")
    let second = try place.run(pipeline: pipeline)
    #expect(second.totals == ["seen": 3, "analyzed": 2, "cached": 1])
    #expect(place.takeLog() == [])
    #expect(Set(second.files.map(\.["fingerprint"])).count == 1)
    #expect(Set(second.files.map(\.["id"])).count == 1)
    #expect(second.files.allSatisfy { $0["findings"]["probe"]["heard"] == true })
  }

  @Test func vanishedFileIsMarkedOnceAndMayComeBack() throws {
    let place = try Workplace()
    let pipeline = try place.makePipelineThatLogs()
    try place.put(Audio.wav(1), as: "a.wav", modified: 1_000_000)
    try place.put(Audio.wav(2), as: "b.wav")
    let first = try place.run(pipeline: pipeline)
    _ = place.takeLog()

    try place.remove("a.wav")
    let second = try place.run(pipeline: pipeline)
    #expect(second.status == 0)
    #expect(second.summary == ["seen": 2, "cached": 1, "vanished": 1])
    #expect(second.names == ["b.wav"])
    #expect(try place.run(pipeline: pipeline).totals == ["seen": 1, "cached": 1])
    let known = try place.analyze("show", "--json", "library/a.wav", "--database", Argument(place.database))
    #expect(try JSONValue(parsing: known.output)["vanished"] == true)
    #expect(try JSONValue(parsing: known.output)["fingerprint"] == first.file("a.wav")["fingerprint"])

    try place.put(Audio.wav(1), as: "a.wav", modified: 1_000_000)
    // It is compared with what was known, and not decoded.
    let third = try place.run(pipeline: pipeline)
    #expect(third.totals == ["seen": 2, "analyzed": 1, "cached": 1] && place.takeLog() == [])
    #expect(third.files == first.files)

    // And once more, as a new file.
    try place.remove("a.wav")
    _ = try place.run(pipeline: pipeline)
    try place.put(Audio.wav(1), as: "a.wav", modified: 2_000_000)
    #expect(try place.run(pipeline: pipeline).totals == ["seen": 2, "analyzed": 1, "cached": 1])
    #expect(place.takeLog() == [])
  }

  /// An unmounted disk must not look like a deleted library.
  @Test(arguments: ["missing", "empty"]) func nothingVanishesWithItsDisk(condition: String) throws {
    let place = try Workplace()
    try place.put(Audio.wav(1), as: "disk/a.wav")
    try place.put(Audio.wav(2), as: "other/b.wav")
    let disk = Argument(place.library.appending("disk"))
    let other = Argument(place.library.appending("other"))
    #expect(try place.run(paths: [disk, other]).status == 0)

    try place.move("disk", to: "unmounted")
    if condition == "empty" { try place.makeFolder(place.library.appending("disk")) }
    try place.put(Audio.wav(3), as: "other/c.wav")
    let second = try place.run(paths: [disk, other])
    #expect(second.status == 1)
    #expect(second.totals == ["seen": 2, "analyzed": 1, "cached": 1])
    #expect(second.report["run"]["roots"].elements.map(\.["condition"].textValue) == [condition, "scanned"])
    let warning = second.errors.split(separator: "\n").first { $0.contains("\(place.library)/disk") } ?? ""
    #expect(warning.contains("mounted?"), "\(second.errors)")
    // Reports still show its results.
    #expect(second.names == ["a.wav", "b.wav", "c.wav"])

    if condition == "empty" { try FileManager.default.removeItem(atPath: place.library.appending("disk").string) }
    try place.move("unmounted", to: "disk")
    let third = try place.run(paths: [disk, other])
    #expect(third.status == 0)
    #expect(third.totals == ["seen": 3, "cached": 3])
  }

  /// A folder without audio is reported: its name may be mistyped, or the disk not mounted.
  @Test func folderWithoutAudioIsAProblemAtOnce() throws {
    let place = try Workplace()
    let outcome = try place.run(pipeline: "tags-only")
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains("holds no audio files"), "\(outcome.errors)")
    #expect(outcome.report["run"]["roots"].elements.map(\.["condition"].textValue) == ["empty"])
    try place.put([1, 2, 3], as: "cover.jpg")
    #expect(try place.run(pipeline: "tags-only").status == 1)
    try place.put(Audio.wav(1), as: "a.wav")
    #expect(try place.run(pipeline: "tags-only").status == 0)
  }

  /// A file that a new analyzer had to decode does not count as known, whatever other results it had.
  @Test func onlyWhatWasNotDecodedCountsAsKnown() throws {
    let place = try Workplace()
    try place.put(Audio.wav(1), as: "a.wav")
    _ = try place.run()
    try place.put(Audio.wav(1), as: "copy.wav")
    let logging = try place.run(pipeline: place.makePipelineThatLogs())
    #expect(place.takeLog() == ["a.wav", "copy.wav"])
    #expect(!logging.errors.contains("known before"), "\(logging.errors)")
    #expect(logging.errors.contains("8.0 s of audio") || logging.errors.contains("8 s of audio"), "\(logging.errors)")
    #expect(!logging.errors.contains(" 0x realtime"))
    try place.put(Audio.wav(1), as: "another copy.wav")
    let third = try place.run(pipeline: place.makePipelineThatLogs())
    #expect(third.errors.contains("1 with audio known before"), "\(third.errors)")
  }

  @Test func changedSettingsRunTheirAnalyzerOnly() throws {
    let place = try Workplace()
    try place.put(Audio.wav(1), as: "a.wav")
    let first = try place.run(pipeline: place.makePipelineThatLogs())
    #expect(place.takeLog() == ["a.wav"])
    let shorter = try place.makePipelineThatLogs(
      analyzers: "  tags:\n  chromaprint:\n    length_s: 3\n", name: "shorter")
    let second = try place.run(pipeline: shorter)
    #expect(second.totals == ["seen": 1, "analyzed": 1])
    #expect(place.takeLog() == [])
    #expect(second.file("a.wav")["fingerprint"] != first.file("a.wav")["fingerprint"])
    #expect(second.file("a.wav")["findings"] == first.file("a.wav")["findings"])
    #expect(second.report["run"]["configuration_digest"] != first.report["run"]["configuration_digest"])
    #expect(try place.run(pipeline: shorter).totals == ["seen": 1, "cached": 1])
  }

  @Test func forceAndOnlyChooseWhatRuns() throws {
    let place = try Workplace()
    let pipeline = try place.makePipelineThatLogs()
    try place.put(Audio.wav(1), as: "a.wav")
    let tags = try place.run("--only", "tags", pipeline: pipeline)
    #expect(tags.file("a.wav")["analyzers"] == ["tags": 4])
    #expect(place.takeLog() == [])
    let rest = try place.run("--only", "probe,chromaprint", pipeline: pipeline)
    #expect(rest.totals == ["seen": 1, "analyzed": 1])
    #expect(rest.file("a.wav")["analyzers"] == ["chromaprint": 1, "probe": 1, "tags": 4])
    #expect(place.takeLog() == ["a.wav"])
    #expect(try place.run(pipeline: pipeline).totals == ["seen": 1, "cached": 1])
    #expect(try place.run("--force", pipeline: pipeline).totals == ["seen": 1, "analyzed": 1])
    #expect(place.takeLog() == ["a.wav"])
  }

  /// The bytes of the findings do not depend on the order of files.
  @Test func numberOfJobsDoesNotChangeTheFindings() throws {
    var reports: [String: [UInt8]] = [:]
    let place = try Workplace()
    for number in 1...8 {
      try place.put(Audio.wav(UInt64(number), title: "\(number)"), as: "\(number % 3)/\(number).wav")
    }
    try place.put(Audio.wav(1), as: "copy.wav")
    try place.put(Array(Audio.wav(9).prefix(20_000)), as: "cut.wav")
    try place.put(Audio.junk, as: "junk.mp3")
    for (jobs, isolation) in [("1", "none"), ("8", "process")] {
      let outcome = try place.analyze(
        Argument(place.library), "--jobs", "\(jobs)", "--isolation", "\(isolation)", "--database",
        "jobs-\(jobs).sqlite", "--pipeline", "fingerprint",
        "--report", "ndjson", "--output", "-")
      #expect(outcome.status == 3)
      #expect(outcome.lines.count == 11)
      reports[jobs] = outcome.lines.map { $0.replacing(/"analyzed_at":"[^"]+",/, with: "") }.sorted()
        .flatMap { Array($0.utf8) }
    }
    #expect(reports["1"] == reports["8"])
  }
}
