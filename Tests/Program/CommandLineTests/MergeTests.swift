import AnalysisTesting
import Foundation
import Glibc
import Platform
import SystemPackage
import Testing
import Text

/// `analyze merge`: answers of workers, merged into a database.
@Suite(.bounded) struct MergeTests {
  /// A library with every kind of file that a scan may find.
  private static func makeLibrary() throws -> Workplace {
    let place = try Workplace()
    try place.put(Audio.wav(1, title: "Étude"), as: "x/a b.wav")
    try place.put(Audio.wav(1, title: "The same audio"), as: "x/copy.wav")
    try place.put(Audio.wav(2), as: FilePath(bytes: Array("caf".utf8) + [0xE9] + Array(".wav".utf8)))
    try place.put(Array(Audio.wav(3).prefix(60_000)), as: "cut.wav")
    try place.put(Audio.junk, as: "junk.mp3")
    try place.put(Array("text".utf8), as: "cover.jpg")
    return place
  }

  /// Every file of the library, each followed by NUL.
  private static func list(_ place: Workplace) throws -> [UInt8] {
    try RunningProgram(
      [Argument(place.library), "-type", "f", "-print0"], of: "/usr/bin/find", environment: [:],
      workingFolder: place.folder.path
    ).end().output
  }

  private static func answers(_ place: Workplace, _ options: Argument..., pipeline: Argument = "fingerprint") throws
    -> [UInt8]
  {
    let outcome = try place.start(
      ["worker", "--from0", "--pipeline", pipeline] + options, input: list(place)
    ).end()
    #expect(outcome.status == 0, "\(outcome.errors)")
    return outcome.output
  }

  private static func report(_ place: Workplace, _ database: FilePath) throws -> Outcome {
    try place.analyze(
      "report", "--report", "ndjson", "--output", "-", "--include", "beats", "--database", Argument(database))
  }

  private static func records(_ place: Workplace, _ database: FilePath) throws -> [JSONValue] {
    try report(place, database).lines.map { try JSONValue(parsing: $0.utf8).withoutTime }
  }

  /// Every byte of the records but the time of analysis.
  private static func text(_ place: Workplace, _ database: FilePath) throws -> String {
    try report(place, database).text.replacing(/"analyzed_at":"[^"]*"/, with: "")
  }

  // MARK: - The same as a run

  /// In threads, in processes, and by way of a worker's answer: the text of the record is the same, whatever the numbers
  /// and however long the tags.
  @Test func recordsAreTheSameOnEveryWay() throws {
    let place = try Workplace()
    // In JSON each of these takes six bytes.
    let title = HostileFiles.frame("TIT2", [3] + [UInt8](repeating: 1, count: 2_000_000))
    try place.put(HostileFiles.id3([title]) + HostileFiles.mp3, as: "a.mp3")
    let finding = #"""
      {"whole": 126.0, "integer": 126, "zero": -0.0, "minus": -0, "power": 1e2, "big": 9007199254740993,
      "bigger": 123456789012345678901234567890, "small": 5e-324, "list": [1.0, 2, [[[[3.0]]]]], "twice": 1, "twice": 1.0,
      "text": "\u0001\u007f\ud800", "deep": \#(String(repeating: "[", count: 90) + String(repeating: "]", count: 90))}
      """#
    try place.write(finding, to: place.folder.file("finding.json"))
    let pipeline = try place.makePipeline(script: "cat \(place.folder.file("finding.json"))")
    var records: [String] = []
    for isolation in ["none", "process"] {
      let database = place.folder.file("\(isolation).sqlite")
      let environment = ["ANALYZE_ISOLATION": isolation]
      let run = try place.run("--database", Argument(database), pipeline: pipeline, environment: environment)
      #expect(run.totals == ["seen": 1, "analyzed": 1], "\(run.errors)")
      let worker = try place.start(
        ["worker", "--pipeline", pipeline], environment: environment, input: Array("library/a.mp3".utf8)
      ).end()
      let merged = place.folder.file("\(isolation) merged.sqlite")
      let merge = try place.start(["merge", "-", "--database", Argument(merged)], input: worker.output).end()
      #expect(merge.status == 0, "\(merge.errors)")
      for database in [database, merged] {
        records.append(try Self.text(place, database))
      }
    }
    #expect(records[0].contains(#""whole":126.0"#) && records[0].contains(#""integer":126,"#))
    #expect(records[0].utf8.count > 12_000_000)
    for record in records.dropFirst() { #expect(record == records[0]) }
  }

  @Test func mergedIsWhatARunWouldHaveStored() throws {
    let place = try Self.makeLibrary()
    let answers = try Self.answers(place, "--jobs", "3", pipeline: "default")
    try place.write(answers, to: place.folder.file("answers.ndjson"))
    let merged = try place.analyze("merge", "answers.ndjson", "--database", Argument(place.database), "--verbose")
    #expect(merged.status == 3)
    #expect(merged.text == "")
    #expect(merged.errors.contains("junk.mp3"))
    #expect(merged.errors.contains("6 lines: 6 merged, 0 known before"))

    // A run of its own, whose totals add up.
    let report = try JSONValue(
      parsing: place.analyze("report", "--report", "json", "--output", "-", "--database", Argument(place.database))
        .output)
    #expect(report["run"]["pipeline"] == "default")
    #expect(report["run"]["state"] == "finished")
    #expect(report["run"]["exit_status"] == 3)
    #expect(report["run"]["totals"]["seen"] == 6)
    #expect(report["run"]["totals"]["analyzed"] == 3 && report["run"]["totals"]["partial"] == 1)
    #expect(report["run"]["totals"]["failed"] == 1)
    #expect(report["run"]["totals"]["skipped"] == 1)
    #expect(report["run"]["newly_failed"] == 1 && report["run"]["newly_damaged"] == 1)
    #expect(merged.errors.contains("1 file is damaged that was not known as damaged:"), "\(merged.errors)")

    let direct = place.folder.file("direct.sqlite")
    _ = try place.run("--database", Argument(direct), pipeline: "default")
    let stored = try Self.records(place, place.database)
    #expect(try Self.records(place, direct) == stored)
    for text in ["Étude", "tude"] {
      let found = try place.analyze("show", "library/x/a b.wav", "--database", Argument(place.database))
      #expect(found.text.contains(text))
    }

    // Again: nothing is new, and the database is unchanged, including the list of runs.
    let again = try place.analyze(
      "merge", "-", "--database", Argument(place.database), "--verbose", input: answers)
    #expect(again.status == 0)
    #expect(again.errors.contains("6 lines: 0 merged, 6 known before"))
    #expect(
      try JSONValue(
        parsing: place.analyze("report", "--report", "json", "--output", "-", "--database", Argument(place.database))
          .output
      )["run"] == report["run"])

    let run = try place.run(pipeline: "default")
    #expect(run.status == 0)
    #expect(run.totals == ["seen": 6, "cached": 4, "failed": 1, "skipped": 1])
    #expect(try Self.records(place, place.database) == stored)
    let doctor = try place.analyze("doctor", "--check", "--database", Argument(place.database))
    #expect(doctor.text.contains("the database is sound"))
  }

  @Test func shardsOfOneListMakeOneDatabase() throws {
    let place = try Self.makeLibrary()
    var files: [Argument] = []
    for index in 0..<3 {
      try place.write(Self.answers(place, "--shard", "\(index)/3"), to: place.folder.file("part-\(index)"))
      files.append("part-\(index)")
    }
    let merged = try place.start(["merge", "--database", Argument(place.database)] + files).end()
    #expect(merged.status == 3)
    #expect(try place.run().totals == ["seen": 6, "cached": 4, "failed": 1, "skipped": 1])
  }

  // MARK: - Old and new

  @Test func newerResultCountsInAnyOrder() throws {
    let place = try Workplace()
    try place.put(Audio.wav(1, title: "Old"), as: "a.wav", modified: 2_000_000)
    try place.put(Audio.wav(2, title: "Stays"), as: "b.wav")
    let old = try Self.answers(place)
    try place.put(Audio.wav(3, title: "New"), as: "a.wav", modified: 1_000_000)
    let new = try Self.answers(place)
    var stored: [[JSONValue]] = []
    for (number, order) in [[old, new], [new, old], [new, old, new, old]].enumerated() {
      let database = place.folder.file("\(number).sqlite")
      for answers in order {
        #expect(try place.analyze("merge", "-", "--database", Argument(database), input: answers).status == 0)
      }
      stored.append(try Self.records(place, database))
      #expect(try place.run("--database", Argument(database)).totals == ["seen": 2, "cached": 2])
    }
    #expect(stored[0] == stored[1] && stored[0] == stored[2])
    #expect(stored[0].map(\.["tags"]["title"]) == ["New", "Stays"])
  }

  /// Analyzers that one worker has run and another has not.
  @Test func resultsOfSeveralPipelinesComeTogether() throws {
    let place = try Workplace()
    try place.put(Audio.wav(1, title: "One"), as: "a.wav")
    let tags = try Self.answers(place, "--only", "tags")
    let fingerprint = try Self.answers(place, "--only", "chromaprint")
    for (number, input) in [tags + fingerprint, fingerprint + tags].enumerated() {
      let database = Argument(place.folder.file("\(number).sqlite"))
      #expect(try place.analyze("merge", "-", "--database", database, input: input).status == 0)
      let again = try place.analyze("merge", "-", "--database", database, "--verbose", input: input)
      #expect(again.errors.contains("2 lines: 0 merged"))
      #expect(try place.run("--database", database).totals == ["seen": 1, "cached": 1])
    }
  }

  @Test func lateFailureOfAMachineIsNoNews() throws {
    let place = try Workplace()
    try place.put(Audio.wav(1, title: "Kept"), as: "a.wav")
    let pipeline = try place.makePipeline(
      script: #"[ -e "\#(place.folder.path)/slow" ] && sleep 0.5; cat > /dev/null; echo {}"#, input: "pcm")
    let good = try Self.answers(place, pipeline: pipeline)
    try place.write("", to: place.folder.file("slow"))
    let late = try Self.answers(place, "--timeout", "0.2s", pipeline: pipeline)
    for (number, input) in [good + late, late + good].enumerated() {
      let database = Argument(place.folder.file("\(number).sqlite"))
      #expect(try place.analyze("merge", "-", "--database", database, input: input).status == 0)
      let shown = try JSONValue(
        parsing: place.analyze("show", "library/a.wav", "--json", "--database", database).output)
      #expect(shown["status"] == "ok")
      #expect(shown["error"] == .null)
    }
  }

  // MARK: - Invalid lines

  @Test func cutAndForeignLinesAreNamed() throws {
    let place = try Self.makeLibrary()
    let lines = try Self.answers(place).split(separator: 0x0A).map(Array.init)
    let other = Array(#"{"schema": "nocturne.report", "version": 1}"#.utf8)
    let newer = Array(
      String(decoding: lines[1], as: UTF8.self).replacing("\"version\":1", with: "\"version\":2", maxReplacements: 1)
        .utf8)
    let without = Array(
      String(decoding: lines[1], as: UTF8.self).replacing("\"analyzed_ns\"", with: "\"x\"", maxReplacements: 1).utf8)
    // A truncated last line, as from a worker killed while it wrote.
    let cut = lines.count - 1
    let input = [other, newer, without, [], Array("no json".utf8)] + lines[..<cut] + [Array(lines[cut].prefix(300))]
    let outcome = try place.analyze(
      "merge", "-", "--database", Argument(place.database), "--fail-on", "never", "--verbose",
      input: Array(input.joined(separator: [0x0A])))
    #expect(outcome.status == 3)
    for hint in [
      "standard input, line 1, is left out: it was not written by analyze worker",
      "line 2, is left out: it was written by a newer",
      "line 3, is left out: it does not follow the schema: analyzed_ns", "line 5, is left out: it is not JSON",
      "line 11, is left out: it is not JSON; it may be cut", "5 merged", "5 left out",
    ] { #expect(outcome.errors.contains(hint), "\(hint): \(outcome.errors)") }
    // The same for programs.
    let told = try place.start(
      ["merge", "-", "--database", Argument(place.database)], environment: ["ANALYZE_LOG_FORMAT": "json"],
      input: Array(lines[0]) + Array("\nno json\n".utf8)
    ).end()
    let message = try JSONValue(parsing: Array(told.errors.utf8.prefix { $0 != 0x0A }))
    #expect(message["event"] == "line_left_out" && message["line"] == 2 && told.status == 3)
    let whole = try place.analyze(
      "merge", "-", "--database", Argument(place.database), "--fail-on", "never", "--verbose",
      input: Array(lines.joined(separator: [0x0A])))
    #expect(whole.status == 0)
    #expect(whole.errors.contains("6 lines: 1 merged, 5 known before"))
  }

  @Test func filesThatAreMissingLeaveNothingBehind() throws {
    let place = try Workplace()
    let outcome = try place.analyze("merge", "none.ndjson", "--database", Argument(place.database))
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains("none.ndjson"))
    #expect(!FileManager.default.fileExists(atPath: place.database.string))
    #expect(try place.analyze("merge").status == 64)
  }

  /// A file that no worker wrote is refused in one message, and nothing is stored.
  @Test func otherFilesAreRefusedAsAWhole() throws {
    let place = try Workplace()
    try place.put(Audio.wav(1), as: "a.wav")
    let answers = try Self.answers(place)
    try place.write(answers, to: place.folder.file("answers.ndjson"))
    let database = place.folder.file("other.sqlite")
    _ = try place.run()
    let report = try Self.report(place, place.database).output
    let binary = (0..<9_000).map { $0 % 90 == 89 ? 0x0A : UInt8($0 % 90 % 8) }
    for (content, reason) in [
      (binary, "none of its first 20 lines is an answer (line 1: it is not text)"),
      (Array(String(repeating: "text\n", count: 7).utf8), "none of its first 7 lines is an answer (line 1: it is not"),
      (report, "its only line is not an answer (line 1: it"), (Array("{}".utf8), "(schema missing)"),
    ] {
      try place.write(content, to: place.folder.file("other"))
      let names = [["other"], ["answers.ndjson", "other"], ["library/../other", "answers.ndjson"], ["-"]]
      for inputs in names {
        let isPiped = inputs == ["-"]
        let arguments = inputs.map { Argument(FilePath($0)) }
        let outcome = try place.start(
          ["merge"] + arguments + ["--database", Argument(database)], input: isPiped ? content : nil
        ).end()
        #expect(outcome.status == 1 && outcome.errors.count { $0 == "\n" } == 1, "\(outcome.errors)")
        #expect(outcome.errors.contains("other is not the output of `analyze worker`: ") || isPiped)
        #expect(outcome.errors.contains(reason), "\(outcome.errors)")
        #expect(outcome.errors.contains("Nothing was merged; name files"))
        if !isPiped { #expect(database.fileKind == nil) }
      }
      try? FileManager.default.removeItem(atPath: database.string)
    }
    // A worker that was lost leaves a line that is cut, or none.
    for count in [0, 5, 300] {
      try place.write(Array(answers.prefix(count)), to: place.folder.file("cut.ndjson"))
      let outcome = try place.analyze("merge", "cut.ndjson", "answers.ndjson", "--database", Argument(database))
      #expect(outcome.status == (count == 0 ? 0 : 3), "\(outcome.errors)")
    }
  }

  // MARK: - The end

  /// Lines are stored as they come, and a merge that was killed is done again.
  @Test func killedMergeLosesNothing() throws {
    let place = try Self.makeLibrary()
    let answers = try Self.answers(place)
    let lines = answers.split(separator: 0x0A)
    let pipe = try OpenPipe()
    let database = Argument(place.database)
    let merge = try place.start(["merge", "-", "--database", database], inputPipe: pipe.reading)
    _ = try pipe.writing.writeAll(Array(lines[..<3].joined(separator: [0x0A])) + [0x0A])
    #expect(try waitUntil { try Self.records(place, place.database).count == 3 })
    merge.send(SIGKILL)
    #expect(merge.end().status == -9)
    try pipe.close()

    let again = try place.analyze("merge", "-", "--database", database, "--fail-on", "never", "-v", input: answers)
    #expect(again.status == 0)
    #expect(again.errors.contains("6 lines: 3 merged, 3 known before"))
    #expect(try place.run().totals == ["seen": 6, "cached": 4, "failed": 1, "skipped": 1])
  }

  @Test(arguments: [SIGINT, SIGTERM]) func signalStoresWhatWasRead(signal: Int32) throws {
    let place = try Self.makeLibrary()
    let answers = try Self.answers(place)
    let lines = answers.split(separator: 0x0A)
    let pipe = try OpenPipe()
    let merge = try place.start(["merge", "-", "--database", Argument(place.database)], inputPipe: pipe.reading)
    _ = try pipe.writing.writeAll(Array(lines[..<3].joined(separator: [0x0A])) + [0x0A])
    // The database is there when signals are listened to; what is in the pipe may or may not have been read.
    #expect(try waitUntil { try Self.records(place, place.database).count == 3 })
    merge.send(signal)
    #expect(merge.end().status == 128 + Int(signal))
    try pipe.close()
    let report = try JSONValue(
      parsing: place.analyze("report", "--report", "json", "--output", "-", "--database", Argument(place.database))
        .output)
    #expect(report["run"]["state"] == "interrupted")
    #expect(report["files"].elements.count == 3)
  }

  @Test func reportsOfADatabaseThatIsJustBeingMade() throws {
    let place = try Workplace()
    for round in 0..<3 {
      let database = place.folder.file("\(round).sqlite")
      // Empty, so that it exists for all of them.
      try place.write([], to: database)
      let commands: [[Argument]] =
        [["merge", "-"]] + Array(repeating: ["report", "--report", "ndjson", "--output", "-"], count: 6)
      let programs = try commands.map { try place.start($0 + ["--database", Argument(database)], input: []) }
      for program in programs {
        let end = program.end()
        #expect(end.status == 0, "\(end.errors)")
      }
    }
  }

  @Test func runAndMergeKeepOutOfEachOthersWay() throws {
    let place = try Workplace()
    try place.put(Audio.wav(1), as: "a.wav")
    let answers = try Self.answers(place)
    let lock = try FileDescriptor.open(
      "\(place.database).lock", .readWrite, options: [.create, .closeOnExec], permissions: .ownerReadWrite)
    defer { try? lock.close() }
    #expect(flock(lock.rawValue, LOCK_EX | LOCK_NB) == 0)
    let turnedAway = try place.analyze("merge", "-", "--database", Argument(place.database), input: answers)
    #expect(turnedAway.status == 11)
    #expect(turnedAway.errors.contains("--wait-lock"))
  }
}
