import AnalysisTesting
import Foundation
import SystemPackage
import Testing
import Text

/// `analyze review`, at a terminal.
@Suite(.bounded) struct ReviewTests {
  fileprivate struct Review {
    let place: Workplace
    let terminal: PseudoTerminal

    init(_ bpms: [Double] = [120, 100, 90], width: Int = 80, height: Int = 24) throws {
      place = try Workplace()
      for bpm in bpms {
        let clicks = Signal.clickTrack(bpm: bpm, start: 0.25, sampleRate: 22_050, seconds: 10)
        try place.put(WAVFile(clicks).bytes, as: "\(Int(bpm)).wav")
      }
      _ = try place.run(pipeline: "tempo")
      terminal = try PseudoTerminal(width: width, height: height)
    }

    func start(_ options: Argument..., environment: [String: String] = ["LANG": "C.UTF-8"]) throws -> RunningProgram {
      try place.start(
        ["review", "--below", "1", "--database", Argument(place.database)] + options,
        environment: ["TERM": "vt100"].merging(environment) { $1 }, inputPipe: terminal.device,
        errors: terminal.device)
    }

    /// Tempi of files by name, with whether they are locked.
    func tempi() throws -> [String: (bpm: Double?, isLocked: Bool)] {
      let report = try place.start(
        ["report", "--report", "ndjson", "--output", "-", "--database", Argument(place.database)]
      ).end()
      var tempi: [String: (bpm: Double?, isLocked: Bool)] = [:]
      for line in report.lines {
        let record = try JSONValue(parsing: Array(line.utf8))
        guard case .string(let path) = record["path"] else { continue }
        var bpm: Double?
        if case .number(let number) = record["tempo"]["bpm"] { bpm = number }
        if case .integer(let number) = record["tempo"]["bpm"] { bpm = Double(number) }
        tempi[FilePath(path).lastComponent?.string ?? ""] = (bpm, record["tempo"]["locked"] == true)
      }
      return tempi
    }

    func list() throws -> JSONValue {
      let outcome = try place.start(["review", "--json", "--below", "1", "--database", Argument(place.database)]).end()
      #expect(outcome.status == 0 && outcome.errors == "")
      return try JSONValue(parsing: outcome.output)
    }

    /// The name of the file that is shown.
    func shown() -> String {
      terminal.screen.lazy.compactMap { $0.firstMatch(of: /(\d+\.wav)$/) }.first.map { String($0.1) } ?? ""
    }
  }

  @Test func decisionsAreStoredAtOnce() throws {
    let review = try Review()
    let before = try review.tempi()
    let program = try review.start()
    review.terminal.wait(for: "1 of 3")
    let first = review.shown()
    try review.terminal.type("h")
    review.terminal.wait(for: "2 of 3")
    let second = review.shown()
    // Stored during the review.
    let half = try #require(before[first]?.bpm) / 2
    let stored = try review.tempi()
    #expect(stored[first]?.bpm == half)
    try review.terminal.type("\r")
    review.terminal.wait(for: "3 of 3")
    let third = review.shown()
    #expect(Set([first, second, third]).count == 3)
    // A killed review has lost nothing.
    program.send(SIGKILL)
    _ = program.end()
    let tempi = try review.tempi()
    #expect(tempi[first]?.bpm == half && tempi[first]?.isLocked == true)
    #expect(tempi[second]?.bpm == before[second]?.bpm && tempi[second]?.isLocked == true)
    #expect(tempi[third]?.isLocked == false)
    // The next review continues there.
    let rest = try Review(review)
    let again = try rest.start()
    rest.terminal.wait(for: "1 of 1")
    #expect(rest.shown() == third)
    try rest.terminal.type("n")
    #expect(again.end().status == 0)
    #expect(rest.terminal.text.contains("1 tempo decided, 1 of them changed, none left"))
    let silent = try #require(try review.tempi()[third])
    #expect(silent.bpm == nil && silent.isLocked)
    let shown = try review.place.analyze(
      "show", Argument("library/\(third)"), "--database", Argument(review.place.database))
    #expect(shown.text.contains("none, there is no steady beat, locked"))
  }

  @Test func skippedTracksComeLastNextTime() throws {
    let review = try Review()
    let program = try review.start()
    review.terminal.wait(for: "1 of 3")
    let first = review.shown()
    try review.terminal.type("sq")
    #expect(program.end().status == 0)
    #expect(review.terminal.text.contains("0 tempi decided, 1 skipped, 2 left"))
    let tracks = try review.list()["tracks"].elements
    #expect(tracks.map { $0["skipped"] == true } == [false, false, true])
    guard case .string(let path)? = tracks.last?["path"] else { throw Errno.invalidArgument }
    #expect(path.hasSuffix(first))
  }

  @Test func undoGoesBack() throws {
    let review = try Review()
    let program = try review.start()
    review.terminal.wait(for: "1 of 3")
    let first = review.shown()
    #expect(!review.terminal.screen.joined().contains("u undo"))
    try review.terminal.type("ds")
    review.terminal.wait(for: "3 of 3")
    try review.terminal.type("uu")
    review.terminal.wait(for: "1 of 3")
    #expect(review.shown() == first)
    #expect(try review.tempi().values.allSatisfy { !$0.isLocked })
    #expect(try review.list()["tracks"].elements.allSatisfy { $0["skipped"] == false })
    try review.terminal.type("u")
    review.terminal.wait(for: "nothing to undo")
    try review.terminal.type("q")
    #expect(program.end().status == 0)
  }

  @Test func tapsBecomeACandidate() throws {
    let review = try Review([120])
    let program = try review.start()
    review.terminal.wait(for: "1 of 1")
    let start = ContinuousClock.now
    // Half as fast as the clicks.
    for tap in 0..<6 {
      while ContinuousClock.now - start < .seconds(tap) { usleep(1_000) }
      try review.terminal.type("t")
    }
    review.terminal.wait(for: "6 taps")
    review.terminal.wait(for: "enter take 60")
    try review.terminal.type("\u{7F}")
    review.terminal.wait(for: "enter is right")
    try review.terminal.type("ttt")
    review.terminal.wait(for: "3 taps, at least 4")
    try review.terminal.type("\n")
    #expect(program.end().status == 0)
    #expect(review.terminal.text.contains("1 tempo decided, none left"))
  }

  /// The player is a program that stores its input and runs until it is stopped.
  @Test func tracksAreHeardWithClicks() throws {
    let review = try Review([120, 100])
    let (heard, ended) = (review.place.folder.file("heard.wav"), review.place.folder.file("ended"))
    let bin = try review.place.makeProgram(
      "aplay", "trap 'touch \(ended.string); exit' TERM; cp \"$2\" \(heard.string); while :; do sleep 0.01; done")
    let path = "\(bin.string):/usr/bin:/bin"
    let program = try review.start(environment: ["LANG": "C.UTF-8", "PATH": path])
    review.terminal.wait(for: "space hear clicks")
    try review.terminal.type(" ")
    review.terminal.wait(for: "space stop")
    #expect(waitUntil { FileManager.default.fileExists(atPath: heard.string) })
    // A decision ends it.
    try review.terminal.type("d")
    review.terminal.wait(for: "2 of 2")
    #expect(waitUntil { FileManager.default.fileExists(atPath: ended.string) })
    try review.terminal.type("m")
    review.terminal.wait(for: "playing")
    program.send(SIGTERM)
    #expect(program.end().status == 128 + Int(SIGTERM) && review.terminal.isOrdinary)
  }

  @Test func aPlayerThatCrashesDoesNoHarm() throws {
    let review = try Review([120])
    let bin = try review.place.makeProgram("aplay", "kill -SEGV $$")
    let program = try review.start(environment: ["LANG": "C.UTF-8", "PATH": "\(bin.string):/usr/bin:/bin"])
    review.terminal.wait(for: "space hear clicks")
    try review.terminal.type(" ")
    review.terminal.wait(for: "aplay ended with status 139")
    try review.terminal.type("\r")
    #expect(program.end().status == 0 && review.terminal.isOrdinary)
    #expect(review.terminal.text.contains("1 tempo decided, none left"))
  }

  /// Crashes, such as those of a decoder during playback.
  @Test(arguments: [SIGSEGV, SIGBUS, SIGABRT, SIGTRAP]) func crashesLeaveTheTerminalAsItWas(signal: Int32) throws {
    let review = try Review([120])
    let program = try review.start()
    review.terminal.wait(for: "1 of 1")
    #expect(!review.terminal.isOrdinary)
    program.send(signal)
    #expect(program.end().status == -Int(signal))
    #expect(review.terminal.isOrdinary)
    // The main screen is shown again.
    #expect(review.terminal.text.hasSuffix("\u{1B}[?1049l"))
  }

  @Test(arguments: [SIGINT, SIGTERM, SIGHUP]) func signalsLeaveTheTerminalAsItWas(signal: Int32) throws {
    let review = try Review([120])
    let program = try review.start()
    review.terminal.wait(for: "1 of 1")
    #expect(!review.terminal.isOrdinary)
    program.send(signal)
    #expect(program.end().status == 128 + Int(signal))
    #expect(review.terminal.isOrdinary)
    #expect(review.terminal.text.hasSuffix("\u{1B}[?25h\u{1B}[?1049l"))
  }

  @Test func theScreenFitsTheTerminal() throws {
    let review = try Review([120, 100], width: 60, height: 16)
    let program = try review.start()
    review.terminal.wait(for: "1 of 2")
    func expectToFit(_ width: Int, _ height: Int) {
      let screen = review.terminal.screen
      #expect(screen.count <= height && screen.allSatisfy { $0.count < width }, "\(screen)")
      #expect(screen.joined().contains("q quit"))
    }
    expectToFit(60, 16)
    review.terminal.resize(width: 132, height: 40)
    review.terminal.wait(for: review.place.library.string)
    expectToFit(132, 40)
    review.terminal.resize(width: 60, height: 10)
    #expect(waitUntil(within: .seconds(60)) { review.terminal.screen.count <= 10 })
    expectToFit(60, 10)
    try review.terminal.type("\u{1B}[A\u{1B}OPx\u{0}q")
    #expect(program.end().status == 0)
    #expect(try review.tempi().values.allSatisfy { !$0.isLocked })
  }

  /// Without UTF-8 only ASCII is written, and with NO_COLOR no colors are.
  @Test func plainTerminals() throws {
    let review = try Review([120])
    try review.place.move("120.wav", to: FilePath("žluťoučký kůň.wav"))
    _ = try review.place.run(pipeline: "tempo")
    let program = try review.start(environment: ["LANG": "C", "NO_COLOR": "1"])
    review.terminal.wait(for: "1 of 1")
    #expect(review.terminal.text.utf8.allSatisfy { $0 < 0x80 })
    #expect(!review.terminal.text.contains(/\u{1B}\[[0-9;]*m/))
    try review.terminal.type("\u{4}")
    #expect(program.end().status == 0)
  }

  @Test func whatIsMissingIsSaid() throws {
    let review = try Review([120])
    let outcome = try review.place.analyze("review", "--below", "1", "--database", Argument(review.place.database))
    #expect(outcome.status == 64 && outcome.errors.contains("needs a terminal") && outcome.errors.contains("--list"))
    let dumb = try review.start(environment: ["TERM": "dumb"]).end()
    #expect(dumb.status == 64 && review.terminal.text.contains("needs a terminal"))
    let list = try review.place.analyze(
      "review", "--list", "--below", "1", "--database", Argument(review.place.database))
    #expect(list.lines.count == 1 && list.text.contains("120.wav"))
    let none = try review.place.analyze("review", "--below", "0.001", "--database", Argument(review.place.database))
    #expect(none.status == 0 && none.errors.contains("nothing to review"))
    for options: [Argument] in [["--below", "0"], ["--below", "2"], ["--limit", "0"]] {
      #expect(try review.place.start(["review"] + options).end().status == 64)
    }
    let limited = try review.place.analyze(
      "review", "--json", "--limit", "1", "--below", "1", "--database", Argument(review.place.database))
    #expect(try JSONValue(parsing: limited.output)["count"] == .integer(1))
  }
}

extension ReviewTests.Review {
  /// The same library at a new terminal.
  fileprivate init(_ other: ReviewTests.Review) throws {
    place = other.place
    terminal = try PseudoTerminal()
  }
}
