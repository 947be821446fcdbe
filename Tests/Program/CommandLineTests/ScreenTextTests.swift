import Analysis
import AnalysisTasks
import AnalysisTesting
import Foundation
import Pipeline
import Platform
import Records
import SystemPackage
import Testing
import Text

@testable import Commands
@testable import LibraryStore
@testable import LibraryTasks

/// The screen of `analyze review`, line by line.
@Suite(.bounded) struct ReviewScreenTests {
  private static func track(
    bpm: Double = 120, confidence: Double = 0.5, octave: Double = 0, candidates: [(Double, Double)] = [(90, 0.13)],
    onsets: [Double] = [], path: FilePath = "/m/a.wav"
  ) throws -> ReviewedTrack {
    var record = FileRecord(path: path, status: .ok, tags: TagFinding(fields: ["title": ["T"], "artist": ["A"]]))
    record.tempo = TempoFinding(
      bpm: bpm, confidence: confidence, octaveConfidence: octave,
      candidates: ([(120, 0.5), (60, 0.25)] + candidates).map { TempoFinding.Candidate(bpm: $0.0, weight: $0.1) },
      isStable: true, map: [], beats: [], onsets: TempoFinding.OnsetSummary(stepSeconds: 1, values: onsets))
    return try #require(ReviewedTrack(record))
  }

  private static func status(_ change: (inout ReviewScreen.Status) -> Void = { _ in }) -> ReviewScreen.Status {
    var status = ReviewScreen.Status(
      position: 2, count: 3, tally: TempoReview.Tally(), canUndo: false, canListen: false, activity: "", taps: 0,
      tapped: nil, message: "")
    change(&status)
    return status
  }

  private static func lines(
    _ track: ReviewedTrack, _ status: ReviewScreen.Status = status(), width: Int = 80, height: Int = 40,
    isUTF8: Bool = true
  ) -> [String] {
    ReviewScreen(width: width, height: height, style: TextStyle(), glyphs: TerminalGlyphs(isUTF8: isUTF8))
      .lines(for: track, status)
  }

  private static let top = [
    "Tempo review   2 of 3", "", "/m/a.wav", "A - T", "",
    "        120.00 BPM  uncertain, confidence 0.50  50% of the evidence", "",
    "  h      60.00 BPM  half  25% of the evidence", "  d     240.00 BPM  double",
    "  1      90.00 BPM  13% of the evidence",
  ]
  private static let bottom = [
    "", "", "", "", "enter is right   h half   d double   1 other   t tap   n no steady beat", "s skip   q quit",
  ]

  @Test func aTrackIsShownWithItsChoices() throws {
    #expect(try Self.lines(Self.track()) == Self.top + Self.bottom)
    // Sixteen steps of onset strength in eight heights; eight steps are too few, and equal ones say nothing.
    let onsets = (0..<16).map { Double($0) + 3 }
    #expect(try Self.lines(Self.track(onsets: onsets)) == Self.top + ["", "  ▁▁▂▂▃▃▄▄▅▅▆▆▇▇██"] + Self.bottom)
    #expect(try Self.lines(Self.track(onsets: Array(onsets[..<8]))) == Self.top + Self.bottom)
    #expect(try Self.lines(Self.track(onsets: Array(onsets[..<9]))).count == 18)
    #expect(try Self.lines(Self.track(onsets: Array(repeating: 4, count: 20))) == Self.top + Self.bottom)
    // Sixty values are averaged to what fits.
    let narrow = try Self.lines(Self.track(onsets: (0..<60).map { Double($0 / 5) }), width: 35)
    #expect(narrow.contains { $0.hasPrefix("  ▁") && $0.count == 32 })
  }

  @Test func doubtsAndLimitsAreSaid() throws {
    let doubtful = try Self.lines(Self.track(octave: 0.6))
    #expect(doubtful[6] == "  The pulse is clear; half or double tempo is in doubt." && doubtful.count == 17)
    let slow = try Self.lines(Self.track(bpm: 19, candidates: []))
    #expect(slow.contains("  h       9.50 BPM  half, out of range"))
    #expect(slow.contains("         19.00 BPM  uncertain, confidence 0.50"))
    #expect(slow.contains("  1     120.00 BPM  50% of the evidence"))
    #expect(slow.contains { $0.contains("1-2 others") })
    let fast = try Self.lines(Self.track(bpm: 501, candidates: []))
    #expect(fast.contains("  d    1002.00 BPM  double, out of range") && fast.contains("  h     250.50 BPM  half"))
  }

  @Test func theStateIsShown() throws {
    func line(_ index: Int, _ change: (inout ReviewScreen.Status) -> Void) throws -> String {
      try Self.lines(Self.track(), Self.status(change))[index]
    }
    #expect(try line(0) { $0.tally.confirmed = 1 } == "Tempo review   2 of 3   1 confirmed")
    #expect(try line(0) { $0.tally.changed = 2 } == "Tempo review   2 of 3   2 changed")
    #expect(
      try line(0) { ($0.tally.confirmed, $0.tally.changed, $0.tally.skipped) = (1, 2, 3) }
        == "Tempo review   2 of 3   1 confirmed, 2 changed, 3 skipped")
    #expect(try line(11) { $0.taps = 1 } == "  1 tap, at least 4")
    #expect(try line(11) { ($0.taps, $0.tapped) = (5, 123.456) } == "  5 taps: 123.46 BPM")
    #expect(try line(11) { $0.activity = "playing" } == "  playing" && line(12) { $0.message = "saved" } == "saved")
  }

  @Test func keysAreThoseThatDoSomething() throws {
    func keys(_ track: ReviewedTrack? = nil, _ change: (inout ReviewScreen.Status) -> Void) throws -> [String] {
      let track = try track ?? Self.track()
      let lines = Self.lines(track, Self.status(change))
      return lines[(track.others.isEmpty ? 13 : 13 + track.others.count)...].joined(separator: "   ")
        .components(separatedBy: "   ")
    }
    let end = ["n no steady beat", "s skip", "q quit"]
    #expect(try keys { _ in } == ["enter is right", "h half", "d double", "1 other", "t tap"] + end)
    #expect(
      try keys { ($0.taps, $0.tapped) = (4, 99.5) }
        == ["enter take 99.50", "del forget taps", "h half", "d double", "1 other", "t tap"] + end)
    #expect(
      try keys { ($0.canListen, $0.canUndo) = (true, true) }
        == ["enter is right", "h half", "d double", "1 other", "t tap", "space hear clicks", "m music"]
        + ["n no steady beat", "s skip", "u undo", "q quit"])
    #expect(try keys { ($0.canListen, $0.activity) = (true, "x") }.contains("space stop"))
    #expect(
      try keys(Self.track(candidates: [])) { _ in } == ["enter is right", "h half", "d double", "t tap"] + end)
    #expect(try keys(Self.track(candidates: [(90, 0.1), (77, 0.1)])) { _ in }.contains("1-2 others"))
  }

  /// The last column stays empty; keys are wrapped; less important lines are left out if there are too many.
  @Test func theScreenIsCutToTheTerminal() throws {
    let wide = try Self.lines(Self.track(), width: 81)
    #expect(wide.suffix(2) == [Self.bottom[4] + "   s skip", "q quit"])
    #expect(try Self.lines(Self.track(), width: 80).suffix(2) == Self.bottom.suffix(2))
    let path = FilePath("/" + String(repeating: "x", count: 150))
    for (width, shown) in [(60, 59), (101, 100), (150, 100), (21, 20), (5, 20)] {
      let lines = try Self.lines(Self.track(path: path), width: width, height: 90)
      #expect(lines[2] == "…" + String(repeating: "x", count: shown - 1), "\(width)")
      #expect(lines.allSatisfy { $0.count <= shown })
    }
    let track = try Self.track(onsets: (0..<16).map { Double($0) })
    for (height, count) in [(18, 18), (17, 16), (16, 16), (15, 13), (13, 13), (12, 12), (7, 7), (6, 6), (5, 5)] {
      let lines = Self.lines(track, height: height)
      #expect(lines.count == count && lines.suffix(2) == Self.bottom.suffix(2), "\(height): \(lines)")
      #expect(lines.contains { $0.contains("▁") } == (height == 18))
    }
    #expect(Self.lines(track, height: 13).prefix(4) == ["Tempo review   2 of 3", "/m/a.wav", "A - T", Self.top[5]])
  }
}

/// The answers of `analyze search` as text.
@Suite(.bounded) struct SearchTextTests {
  private static func lines(_ answer: SearchAnswer, width: Int? = nil) throws -> [String] {
    let window = try PseudoTerminal(width: width ?? 80, height: 20)
    defer { withExtendedLifetime(window) {} }
    let file = try FileDescriptor.open("/dev/null", .readWrite)
    defer { try? file.close() }
    let device = width == nil ? file : window.device
    let terminal = Terminal(device.rawValue, environment: ["TERM": "dumb"])
    return SearchText(of: "x", on: terminal, problems: [:]).lines(for: answer)
  }

  private static func names(_ names: (String, Int)..., count: Int? = nil, isExact: Bool = true)
    -> SearchHits<SearchAnswer.Name>
  {
    SearchHits(
      names.map { SearchAnswer.Name(name: $0.0, trackCount: $0.1) }, count: count ?? names.count, isCountExact: isExact)
  }

  @Test func sectionsAreTables() throws {
    var answer = SearchAnswer()
    #expect(try Self.lines(answer) == ["Nothing was found."])
    answer.artists = Self.names(("A", 1), ("Longer", 12))
    answer.genres = Self.names(("G", 3))
    answer.albums = SearchHits(
      [
        SearchAnswer.Album(title: "X", artist: "A", year: 1999, trackCount: 3),
        SearchAnswer.Album(title: "Y", artist: nil, year: nil, trackCount: 1),
      ], count: 2)
    #expect(
      try Self.lines(answer) == [
        "Albums (2)", "  X - A  1999, 3 tracks", "  Y      1 track", "", "Artists (2)", "  A       1 track",
        "  Longer  12 tracks", "", "Genres (1)", "  G  3 tracks",
      ])
  }

  @Test func countsSayWhetherThereAreMore() throws {
    for (count, isExact, title) in [
      (1, true, "Genres (1)"), (5, true, "Genres (1 of 5)"), (5, false, "Genres (1 of more than 5)"),
      (1, false, "Genres (more than 1)"),
    ] {
      var answer = SearchAnswer()
      answer.genres = Self.names(("G", 3), count: count, isExact: isExact)
      #expect(try Self.lines(answer).first == title)
    }
  }

  /// Names fill the width of a terminal, and 60 columns elsewhere.
  @Test func longNamesAreCut() throws {
    var answer = SearchAnswer()
    answer.genres = Self.names((String(repeating: "n", count: 200), 12), ("G", 1))
    for (width, shown) in [(nil, 60), (100, 87), (50, 37), (40, 27), (30, 27)] as [(Int?, Int)] {
      let lines = try Self.lines(answer, width: width)
      #expect(lines[1] == "  " + String(repeating: "n", count: shown - 1) + "…  12 tracks", "\(shown)")
      #expect(lines[2] == "  G" + String(repeating: " ", count: shown - 1) + "  1 track")
    }
  }
}

/// Messages in the formats of people, journals and programs.
@Suite(.bounded) struct MessageFormatTests {
  @Test func messagesAreRendered() throws {
    let line = Message(level: .warning, event: "e", text: "a b", fields: ["n": .integer(1)])
    let block = Message(level: .error, event: "f", text: "a\n\nb", isBlock: true)
    let time = Timestamp(nanoseconds: 0)
    for format in [LogFormat.auto, .text] {
      #expect(Log.rendered(line, as: format, at: time) == "analyze: a b\n")
      #expect(Log.rendered(block, as: format, at: time) == "a\n\nb\n")
    }
    #expect(Log.rendered(line, as: .journald, at: time) == "<4>a b\n")
    #expect(Log.rendered(block, as: .journald, at: time) == "<3>a\n<3>b\n")
    let json = Log.rendered(block, as: .json, at: time)
    #expect(json.hasSuffix("}\n"))
    #expect(
      try JSONValue(parsing: Array(json.utf8)) == [
        "time": "1970-01-01T00:00:00Z", "level": "error", "event": "f", "message": "a\n\nb",
      ])
    let fields = try JSONValue(parsing: Array(Log.rendered(line, as: .json, at: time).utf8))
    #expect(fields["n"] == 1 && fields["level"] == "warning")
    // A line break in a message does not begin another one.
    let broken = Message(level: .info, event: "g", text: "a\nb")
    #expect(Log.rendered(broken, as: .text, at: time).split(separator: "\n").count == 1)
  }

  @Test func matchesAreDescribed() {
    for (speed, text) in [
      (1.0, ""), (1.0004, ""), (0.9996, ""), (1.0006, "speed +0.1%, "), (0.9994, "speed -0.1%, "),
      (1.03, "speed +3.0%, "),
    ] {
      let details = MatchText.details(offset: 61, speed: speed, confidence: 0.875)
      #expect(details.hasSuffix(" of the track, \(text)confidence 0.88"), "\(details)")
    }
  }
}
