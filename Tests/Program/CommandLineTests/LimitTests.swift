import Analysis
import AnalysisTesting
import Foundation
import Glibc
import SystemPackage
import Testing

/// With low system limits, the program works nonetheless, or says which limit is too low.
@Suite(
  .bounded, .disabled(if: isSanitized, "sanitizers need what is limited here"))
struct LimitTests {
  private let place: Workplace

  init() throws {
    place = try Workplace()
    for number in 1...3 { try place.put(Audio.wav(UInt64(number)), as: "\(number).wav") }
  }

  private func run(_ prefix: [Argument], of program: FilePath, isolation: String = "process") throws -> Outcome {
    try RunningProgram(
      prefix + [Argument(RunningProgram.executable), Argument(place.library), "--jobs", "2"] + place.runArguments(),
      of: program, environment: place.environment.merging(["ANALYZE_ISOLATION": isolation]) { $1 },
      workingFolder: place.folder.path
    ).end()
  }

  private func run(under limit: String, isolation: String = "process") throws -> Outcome {
    try run(["-c", "\(limit) && exec \"$0\" \"$@\""], of: "/bin/sh", isolation: isolation)
  }

  private func expectWorkOrSentence(_ outcome: Outcome, _ limit: String) throws {
    switch outcome.status {
    case 0:
      #expect(try place.run().totals == ["seen": 3, "cached": 3])
    case 127:
      // The loader did not find room for the libraries, and says so.
      #expect(outcome.errors.contains("error while loading shared libraries"), "\(outcome.errors)")
    default:
      #expect(outcome.status == 1, "\(limit): \(outcome.errors)")
      #expect(outcome.errors.contains("ulimit -"), "\(limit): \(outcome.errors)")
    }
  }

  @Test(arguments: [200, 250, 300, 325, 350, 375, 400, 450, 500, 700, 1_000], ["process", "none"])
  func addressSpace(megabytes: Int, isolation: String) throws {
    let limit = "ulimit -v \(megabytes << 10)"
    try expectWorkOrSentence(run(under: limit, isolation: isolation), limit)
  }

  @Test(arguments: [20, 60, 100, 200]) func data(megabytes: Int) throws {
    let limit = "ulimit -d \(megabytes << 10)"
    try expectWorkOrSentence(run(under: limit), limit)
  }

  @Test(arguments: [8, 16, 32]) func tooFewOpenFiles(count: Int) throws {
    let outcome = try run(under: "ulimit -n \(count)")
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains("may open only \(count) files at the same time (ulimit -n)"), "\(outcome.errors)")
  }

  @Test func fewOpenFiles() throws {
    let outcome = try run(under: "ulimit -n 40")
    #expect(outcome.status == 0)
    #expect(outcome.errors.contains("only 1 of 2 files are analyzed at the same time"), "\(outcome.errors)")
  }

  /// The program may raise a soft limit.
  @Test func softLimitIsRaised() throws {
    let outcome = try run(under: "ulimit -Sn 16")
    #expect(outcome.status == 0)
    #expect(outcome.errors == "")
  }

  /// In blocks of 512 bytes.
  @Test(arguments: [8, 100, 200]) func sizeOfFiles(blocks: Int) throws {
    let outcome = try run(under: "ulimit -f \(blocks)")
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains("may have only \(blocks / 2) kB (ulimit -f)"), "\(outcome.errors)")
  }

  /// The limit for a user who has no other processes.
  @Test(.enabled(if: getuid() == 0, "only root can be another user"), arguments: 1...12)
  func processes(count: Int) throws {
    for path in [place.folder.path, place.home, place.library] { #expect(chmod(path.string, 0o777) == 0) }
    let user = 1_000_000 + getpid() * 16 + Int32(count)
    let outcome = try run(
      ["--reuid=\(user)", "--clear-groups", "/usr/bin/prlimit", "--nproc=\(count)"], of: "/usr/bin/setpriv")
    try expectWorkOrSentence(outcome, "ulimit -u \(count)")
  }
}
