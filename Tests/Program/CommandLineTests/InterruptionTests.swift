import AnalysisTesting
import Foundation
import Glibc
import SystemPackage
import Testing
import Text

/// The command lines of running programs that contain a path.
private func processes(mentioning path: FilePath) -> [String] {
  let ids = ((try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []).filter { Int($0) != nil }
  return ids.compactMap { id in
    guard let file = try? FileDescriptor.open("/proc/\(id)/cmdline", .readOnly, options: .closeOnExec) else {
      return nil
    }
    defer { try? file.close() }
    // Nothing is read of a program that has just ended.
    let line = [UInt8](unsafeUninitializedCapacity: 65_536) { buffer, count in
      count = (try? file.read(into: UnsafeMutableRawBufferPointer(buffer))) ?? 0
    }
    let text = String(decoding: line, as: UTF8.self)
    return text.contains(path.string) ? text : nil
  }
}

extension Gate {
  fileprivate func start(_ options: Argument...) throws -> RunningProgram {
    try place.start(
      [Argument(place.library), "--jobs", "1"] + place.runArguments(pipeline: pipeline) + options)
  }

  /// The first file is done when the gate is reached, and stored a second later at most.
  fileprivate func waitUntilFirstFileIsStored() throws {
    waitUntilReached()
    let isStored = try waitUntil {
      try place.analyze("show", "library/a.wav", "--database", Argument(place.database)).status == 0
    }
    #expect(isStored)
  }

  /// Waits until all processes that a run has started have ended.
  /// - Returns: `false` if some keep running.
  fileprivate func waitUntilNothingRuns() -> Bool {
    waitUntil { processes(mentioning: place.folder.path).isEmpty }
  }

  fileprivate func checkDatabase() throws {
    let doctor = try place.analyze("doctor", "--check", "--database", Argument(place.database))
    #expect(doctor.status == 0, "\(doctor.text)")
    #expect(doctor.text.contains("the database is sound"))
  }
}

/// Runs that are ended before their end, and runs that meet.
@Suite(.bounded) struct InterruptionTests {
  @Test(arguments: [SIGINT, SIGTERM, SIGHUP]) func signalEndsARunInGoodOrder(signal: Int32) throws {
    let gate = try Gate()
    let program = try gate.start("--report", "json")
    gate.waitUntilReached()
    program.send(signal)
    #expect(waitUntil { program.errors.contains("stopping") })
    try gate.open()
    let outcome = program.end()
    #expect(outcome.status == 128 + Int(signal))
    let report = try JSONValue(parsing: Array(Data(contentsOf: URL(filePath: gate.place.report.string))))
    #expect(report["run"]["state"] == "interrupted")
    #expect(report["run"]["exit_status"].intValue == 128 + Int(signal))
    #expect(report["run"]["totals"]["analyzed"] == 2)
    #expect(report["run"]["pending"] == 1)
    #expect(report["files"].elements.count == 2)

    let next = try gate.place.run(pipeline: gate.pipeline)
    #expect(next.status == 0)
    #expect(next.totals == ["seen": 3, "analyzed": 1, "cached": 2])
    try gate.checkDatabase()
  }

  /// `nohup` is about exactly this signal.
  @Test func hangupIsIgnoredIfAskedFor() throws {
    let gate = try Gate()
    let place = gate.place
    let words: [Argument] = ["-c", "trap '' HUP; exec \"$0\" \"$@\"", Argument(RunningProgram.executable)]
    let program = try RunningProgram(
      words + [Argument(place.library)] + place.runArguments(pipeline: gate.pipeline), of: "/bin/sh",
      environment: place.environment, workingFolder: place.folder.path)
    gate.waitUntilReached()
    program.send(SIGHUP)
    try gate.open()
    #expect(program.end().status == 0)
  }

  /// A signal before there is anything to store, while threads and database are being set up.
  @Test func signalEndsAProgramThatHasJustBegun() throws {
    let place = try Workplace()
    try place.put(Audio.wav(1), as: "a.wav")
    for delay in 0..<20 {
      let program = try place.start([Argument(place.library)] + place.runArguments())
      usleep(UInt32(delay * 5_000))
      program.send(SIGTERM)
      #expect([-15, 143, 0].contains(program.end().status))
    }
    try #require(try place.run().totals["seen"] == 1)
  }

  /// Progress, warnings and other output on standard error wait for a reader; the analysis does not.
  @Test(arguments: ["none", "plain", "json"]) func runEndsThoughNobodyReadsItsMessages(progress: Argument) throws {
    let place = try Workplace()
    for number in 1...3 { try place.put(Audio.wav(UInt64(number)), as: "\(number).wav") }
    try place.put(Audio.junk, as: "junk.mp3")
    let errors = try OpenPipe.full()
    defer { try? errors.close() }
    let outcome = try place.start(
      [Argument(place.library), "/nonexistent"] + place.runArguments() + ["--verbose", "--progress", progress],
      errors: errors.writing
    ).end()
    #expect(outcome.status == 1)
    #expect(try place.run().totals == ["seen": 4, "cached": 3, "failed": 1])
  }

  /// A program that hangs cannot keep a run from ending.
  @Test func runDoesNotWaitForeverForAProgram() throws {
    let gate = try Gate()
    let program = try gate.start()
    gate.waitUntilReached()
    program.send(SIGTERM)
    #expect(program.end(within: .seconds(30)).status == 143)
    #expect(gate.waitUntilNothingRuns())
    try gate.open()
    let next = try gate.place.run(pipeline: gate.pipeline)
    #expect(next.totals == ["seen": 3, "analyzed": 2, "cached": 1])
    #expect(next.files.allSatisfy { $0["problems"] == .null })
  }

  @Test func secondSignalEndsAtOnce() throws {
    let gate = try Gate()
    let program = try gate.start()
    try gate.waitUntilFirstFileIsStored()
    program.send(SIGINT)
    #expect(waitUntil { program.errors.contains("stopping") })
    program.send(SIGTERM)
    // The first signal alone would have made it 130.
    #expect(program.end().status == 143)
    #expect(gate.waitUntilNothingRuns())
    try gate.open()
    let next = try gate.place.run(pipeline: gate.pipeline)
    #expect(next.status == 0)
    #expect(next.totals == ["seen": 3, "analyzed": 2, "cached": 1])
    try gate.checkDatabase()
  }

  @Test func killedRunLosesNothingThatWasStored() throws {
    let gate = try Gate()
    let program = try gate.start()
    try gate.waitUntilFirstFileIsStored()
    program.send(SIGKILL)
    #expect(program.end().status == -9)
    #expect(gate.waitUntilNothingRuns())
    let doctor = try gate.place.analyze("doctor", "--check", "--database", Argument(gate.place.database))
    #expect(doctor.text.contains("the database is sound"))
    #expect(
      try gate.place.analyze("show", "--why", "library/b.wav", "--database", Argument(gate.place.database)).status == 0)

    try gate.open()
    let next = try gate.place.run(pipeline: gate.pipeline)
    #expect(next.status == 0)
    #expect(next.totals == ["seen": 3, "analyzed": 2, "cached": 1])
    #expect(next.files.count == 3)
    try gate.checkDatabase()
  }

  /// A process that a program has started outlives the program, and a lost worker cannot tell what it was.
  @Test func lostWorkerLeavesNothingRunning() throws {
    let place = try Workplace()
    try place.put(Audio.wav(1), as: "a.wav")
    let pipeline = try place.makePipeline(
      script: #"sh -c "sleep 1000; : \#(place.folder.path)" > /dev/null 2>&1 & kill -KILL $PPID; sleep 1000"#)
    let outcome = try place.run(pipeline: pipeline)
    #expect(outcome.file("a.wav")["error"]["code"] == "worker_crashed")
    #expect(waitUntil { processes(mentioning: place.folder.path).isEmpty })
  }

  /// Files are tidied up, or a disk is unplugged, during a run.
  @Test func filesThatGoMeanwhileHaveNotFailed() throws {
    let gate = try Gate()
    let program = try gate.start()
    gate.waitUntilReached()
    try gate.place.move("c.wav", to: "../c.wav")
    try gate.open()
    let outcome = program.end()
    #expect(outcome.status == 0)
    #expect(outcome.errors.contains("1 file has disappeared since the scan"))
    try gate.place.move("../c.wav", to: "c.wav")
    let next = try gate.place.run(pipeline: gate.pipeline)
    #expect(next.status == 0)
    #expect(next.totals == ["seen": 3, "analyzed": 1, "cached": 2])
    try gate.place.remove("c.wav")
    #expect(try gate.place.run(pipeline: gate.pipeline).totals == ["seen": 3, "cached": 2, "vanished": 1])
  }

  @Test func timeBudgetEndsARunWithoutAnError() throws {
    let place = try Workplace()
    for number in 1...6 { try place.put(Audio.wav(UInt64(number)), as: "\(number).wav") }
    let pipeline = try place.makePipeline(script: #"[ -e "\#(place.folder.file("fast"))" ] || sleep 0.5; echo {}"#)
    let first = try place.run("--jobs", "1", "--time-budget", "1.5s", pipeline: pipeline)
    #expect(first.status == 0)
    #expect(first.report["run"]["state"] == "interrupted")
    let waiting = first.summary["waiting"] ?? 0
    #expect(waiting > 0)
    #expect(first.report["run"]["pending"].intValue == waiting)
    #expect(first.files.count == 6 - waiting)

    try place.write("", to: place.folder.file("fast"))
    let next = try place.run(pipeline: pipeline)
    #expect(next.totals["analyzed"] == waiting)
    #expect(next.files.count == 6)
  }

  // MARK: - Two at once

  @Test func secondRunOnOneDatabaseIsTurnedAway() throws {
    let gate = try Gate()
    let program = try gate.start()
    gate.waitUntilReached()
    let second = try gate.place.run("--report", "csv", pipeline: gate.pipeline)
    #expect(second.status == 11)
    #expect(second.errors.contains("Another run is working on this database: process"))
    #expect(second.errors.contains("--wait-lock"))
    #expect(second.report == .null)
    // Meanwhile, reading commands, dry runs and runs on other databases work.
    #expect(try gate.place.analyze("doctor", "--database", Argument(gate.place.database)).status == 0)
    #expect(try gate.place.run("--dry-run", pipeline: gate.pipeline).status == 0)
    #expect(try gate.place.run("--database", "other.sqlite").status == 0)
    try gate.open()
    #expect(program.end().status == 0)
    #expect(try gate.place.run(pipeline: gate.pipeline).totals == ["seen": 3, "cached": 3])
  }

  @Test func secondRunWaitsIfToldTo() throws {
    let gate = try Gate()
    let first = try gate.start()
    gate.waitUntilReached()
    let second = try gate.start("--wait-lock", "1m", "--verbose")
    #expect(waitUntil { second.errors.contains("waiting for another run") })
    #expect(!second.hasEnded)
    try gate.open()
    #expect(first.end().status == 0)
    let outcome = second.end()
    #expect(outcome.status == 0)
    #expect(outcome.errors.contains("  cached    3"))
    // Waiting for the lock has a time limit.
    let lock = try FileDescriptor.open("\(gate.place.database).lock", .readWrite, options: .closeOnExec)
    defer { try? lock.close() }
    #expect(flock(lock.rawValue, LOCK_EX | LOCK_NB) == 0)
    #expect(try gate.place.run("--wait-lock", "0.2", pipeline: gate.pipeline).status == 11)
  }
}
