import Analysis
import AnalysisTesting
import Pipeline
import Synchronization
import SystemPackage
import Testing
import Text

@testable import Commands

/// The progress of a run, as it is counted and shown.
@Suite(.bounded) struct ProgressTests {
  private static func reporter() throws -> ProgressReporter {
    let file = try FileDescriptor.open("/dev/null", .readWrite)
    defer { try? file.close() }
    return ProgressReporter(style: .none, terminal: Terminal(file.rawValue, environment: [:]), isQuiet: true)
  }

  private static func state(_ change: (inout ProgressReporter.State) -> Void) -> ProgressReporter.State {
    var state = ProgressReporter.State()
    // Nothing can be said about the speed at the start.
    state.analysisStart = ContinuousClock.now + .seconds(1_000)
    change(&state)
    return state
  }

  @Test func eventsAreCounted() throws {
    let reporter = try Self.reporter()
    func state() -> ProgressReporter.State { reporter.state.withLock { $0 } }
    reporter.handle(.scanned(7))
    reporter.handle(.planned(5))
    #expect(state().phase == .scan && state().scanned == 7 && state().planned == 5)
    reporter.handle(.began(.analyze))
    reporter.handle(.started("/m/a.wav"))
    #expect(state().phase == .analyze && state().current == "a.wav")
    let problem = Problem(stage: .decode, code: "x", message: "is odd")
    reporter.handle(.finished("/m/a.wav", status: .ok, problem: nil, audioDuration: 60))
    reporter.handle(.finished("/m/b.wav", status: .partial, problem: problem, audioDuration: 30))
    #expect(state().done == 2 && state().audioSeconds == 90 && state().partial == 1 && state().failed == 0)
    #expect(state().lastFailure == "")
    reporter.handle(.finished("/m/c.wav", status: .failed, problem: problem, audioDuration: 0))
    #expect(state().done == 3 && state().failed == 1 && state().partial == 1)
    #expect(state().lastFailure == "c.wav: is odd")
    reporter.handle(.finished("/m/d.wav", status: .failed, problem: nil, audioDuration: 0))
    #expect(state().failed == 2 && state().lastFailure == "d.wav: failed")
    // Reports do not begin a count, and verification does.
    reporter.handle(.began(.report))
    #expect(state().phase == .report && state().done == 4 && state().audioSeconds == 90)
    reporter.handle(.began(.verify))
    #expect(state().done == 0 && state().audioSeconds == 0 && state().failed == 2)
    reporter.handle(.verified("/m/a.wav", byteCount: 100, isBad: false))
    reporter.handle(.verified("/m/b.wav", byteCount: 20, isBad: true))
    #expect(state().done == 2 && state().bytes == 120 && state().bad == 1)
    reporter.finish()
    #expect(state().hasFinished && !state().barIsShown)
  }

  @Test func linesSayHowFarItIs() throws {
    let reporter = try Self.reporter()
    func line(_ change: (inout ProgressReporter.State) -> Void) -> String { reporter.line(Self.state(change)) }
    #expect(line { $0.scanned = 1 } == "scanning, 1 file so far")
    #expect(line { $0.phase = .report } == "writing reports")
    #expect(line { ($0.phase, $0.done, $0.planned) = (.analyze, 2, 10) } == "2 of 10 files")
    #expect(
      line { ($0.phase, $0.done, $0.planned, $0.partial, $0.failed, $0.lastFailure) = (.analyze, 1, 1, 1, 2, "x: y") }
        == "1 of 1 file, 1 damaged, 2 failed (last: x: y)")
    // 300 files in 3,000 seconds; 10 are left.
    let minutes = describe(seconds: 100)
    #expect(
      line {
        ($0.phase, $0.done, $0.planned, $0.audioSeconds) = (.analyze, 300, 310, 300_500)
        $0.analysisStart = ContinuousClock.now - .seconds(3_000)
      } == "300 of 310 files, 100x realtime, \(minutes) left")
    #expect(
      line {
        ($0.phase, $0.done, $0.planned, $0.bytes, $0.bad) = (.verify, 300, 310, 7_500_000_000, 1)
        $0.analysisStart = ContinuousClock.now - .seconds(3_000)
      } == "verifying: 300 of 310 files, 2 MB/s, \(minutes) left, 1 changed or unreadable")
    #expect(line { ($0.phase, $0.done, $0.planned) = (.verify, 3, 0) } == "verifying: 3 of 0 files")
  }

  @Test func fieldsAreForPrograms() throws {
    let reporter = try Self.reporter()
    let early = reporter.fields(
      Self.state {
        ($0.phase, $0.scanned, $0.planned, $0.done, $0.partial, $0.failed) = (.analyze, 9, 8, 2, 1, 1)
        $0.audioSeconds = 5
      })
    #expect(
      JSONValue.object(early) == [
        "phase": "analyze", "scanned": 9, "planned": 8, "done": 2, "partial": 1, "failed": 1, "realtime_factor": .null,
        "eta_s": .null,
      ])
    func fields(_ done: Int, _ planned: Int, _ audioSeconds: Double) -> [JSONValue?] {
      let fields = reporter.fields(
        Self.state {
          ($0.done, $0.planned, $0.audioSeconds) = (done, planned, audioSeconds)
          $0.analysisStart = ContinuousClock.now - .seconds(3_000)
        })
      return [fields["eta_s"], fields["realtime_factor"]]
    }
    // The time left is known after three files.
    #expect(fields(2, 4, 0) == [.null, .null] && fields(300, 0, 0) == [.null, .null])
    #expect(fields(300, 310, 0) == [.number(100), .null] && fields(310, 300, 0) == [.number(0), .null])
    guard case .number(let left)? = fields(3, 4, 0)[0], case .number(let speed)? = fields(0, 0, 7_651_000)[1] else {
      Issue.record("no numbers")
      return
    }
    #expect(abs(left - 1_000) < 20 && abs(speed - 2_550.3) < 30)
  }

  /// The bar, the counts, and the name of the file where there is room for it.
  @Test func barsFillTheWidth() throws {
    let reporter = try Self.reporter()
    func bar(_ width: Int, _ change: (inout ProgressReporter.State) -> Void = { _ in }) -> String {
      reporter.bar(
        Self.state {
          ($0.phase, $0.done, $0.planned, $0.current) = (.analyze, 2, 4, "a long name.wav")
          change(&$0)
        }, width: width)
    }
    let drawn = String(repeating: "█", count: 12) + String(repeating: "░", count: 12) + "  "
    #expect(bar(79) == drawn + "2 of 4 files  a long name.wav")
    #expect(bar(79) { $0.phase = .verify }.hasPrefix(drawn + "verifying: 2 of 4 files"))
    // Fourteen columns are needed beside the counts.
    #expect(bar(53) == drawn + "2 of 4 files  …ong name.wav")
    #expect(bar(52) == drawn + "2 of 4 files")
    #expect(bar(49) == "2 of 4 files  a long name.wav" && bar(26) == "2 of 4 files" && bar(5) == "2 of…")
    #expect(bar(79) { $0.planned = 0 } == "2 of 0 files")
    #expect(bar(79) { ($0.phase, $0.scanned) = (.scan, 3) } == "scanning, 3 files so far")
    #expect(bar(9) { ($0.phase, $0.scanned) = (.scan, 3) } == "scanning…")
  }
}

/// Keys as a terminal sends them.
@Suite(.bounded) struct KeyTests {
  private static func keys(_ bytes: [UInt8]) -> [RawTerminal.Key] {
    var input = bytes
    var keys: [RawTerminal.Key] = []
    while let key = RawTerminal.takeKey(from: &input) { keys.append(key) }
    #expect(input.isEmpty)
    return keys
  }

  @Test func keysAreReadOneAfterTheOther() {
    #expect(Self.keys([]) == [])
    #expect(
      Self.keys(Array("aZ!~1".utf8)) == [
        .character("a"), .character("Z"), .character("!"), .character("~"), .character("1"),
      ])
    #expect(
      Self.keys([0x04, 0x08, 0x7F, 0x0A, 0x0D, 0x0C, 0x20]) == [
        .end, .delete, .delete, .enter, .enter, .redraw, .space,
      ])
    // Other control characters and bytes beyond ASCII have no meaning.
    #expect(Self.keys([0x00, 0x01, 0x1F, 0x80, 0xC3, 0xA4, 0xFF, 0x71]) == [.character("q")])
  }

  /// Sequences of function keys are skipped to their last byte, and Escape alone is a key.
  @Test func sequencesAreSkipped() {
    #expect(Self.keys([0x1B]) == [.escape] && Self.keys([0x1B, 0x1B]) == [.escape, .escape])
    #expect(Self.keys([0x1B, 0x71]) == [.escape, .character("q")])
    for sequence in ["[A", "OP", "[1;5C", "[15~", "[@", "[?1x"] {
      #expect(Self.keys([0x1B] + Array(sequence.utf8) + [0x71]) == [.character("q")], "\(sequence)")
    }
    #expect(Self.keys([0x1B] + Array("[12".utf8)) == [])
  }
}
