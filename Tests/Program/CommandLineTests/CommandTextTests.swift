import Analysis
import AnalysisTesting
import ArgumentParser
import Foundation
import Records
import ResultStore
import SystemPackage
import Testing

@testable import Commands
@testable import LibraryTasks
@testable import Pipeline

/// The results of commands as text for people.
@Suite(.bounded) struct CommandTextTests {
  // MARK: Corrections

  private static func change(_ name: String) -> TempoChange.Change {
    TempoChange.Change(
      path: FilePath("/m/\(name).wav"), audio: ContentID(high: 0, low: 1), before: 120, after: nil, isLocked: false,
      note: "", copies: 0)
  }

  private static func lines(
    isDryRun: Bool = false, _ change: (inout LibraryTempoChange.Outcome) -> Void = { _ in }
  ) -> [String] {
    var outcome = LibraryTempoChange.Outcome(of: [], isDryRun: isDryRun)
    change(&outcome)
    return TempoChangeText.lines(for: outcome)
  }

  @Test func changesOfManyTracksAreCounted() {
    #expect(Self.lines() == ["0 tracks matched, 0 recordings were changed"])
    for (matched, changed, isDryRun, text) in [
      (1, 1, false, "1 track matched, 1 recording was changed"),
      (3, 2, false, "3 tracks matched, 2 recordings were changed"),
      (1, 1, true, "1 track matched, 1 recording would be changed"),
      (2, 2, true, "2 tracks matched, 2 recordings would be changed"),
    ] {
      let found = Self.lines(isDryRun: isDryRun) {
        ($0.matchedCount, $0.changedCount) = (matched, changed)
        $0.examples = (0..<changed).map { Self.change("\($0)") }
      }
      #expect(found == [text] + (0..<changed).map { "  " + Self.change("\($0)").text })
    }
    // The first changes are shown.
    let some = Self.lines {
      ($0.matchedCount, $0.changedCount) = (5, 4)
      $0.examples = [Self.change("a"), Self.change("b"), Self.change("c")]
    }
    #expect(some.count == 5 && some.last == "  and 1 more")
  }

  @Test func tracksThatStayAsTheyAreAreCounted() {
    let first = "0 tracks matched, 0 recordings were changed"
    #expect(Self.lines { $0.copyCount = 1 } == [first, "1 track: copies of the same audio"])
    #expect(Self.lines { $0.unchangedCount = 2 } == [first, "2 tracks: not corrected before"])
    #expect(
      Self.lines {
        ($0.copyCount, $0.unchangedCount) = (2, 1)
        $0.refusals = [
          LibraryTempoChange.Refusal(code: "x", text: "they have no beats", count: 2),
          LibraryTempoChange.Refusal(code: "y", text: "it is gone", count: 1),
        ]
      } == [
        first, "2 tracks: copies of the same audio", "1 track: not corrected before",
        "2 tracks left as they are: they have no beats", "1 track left as it is: it is gone",
      ])
  }

  private static func imported(
    isDryRun: Bool = false, unreadable: Int = 0, listed: Int = 0,
    _ change: (inout CorrectionImport.Outcome) -> Void = { _ in }
  ) -> [String] {
    var outcome = CorrectionImport.Outcome()
    outcome.unreadableCount = unreadable
    outcome.unreadable = (0..<listed).map { CorrectionImport.UnreadableLine(line: $0 + 2, reason: "odd") }
    change(&outcome)
    return CorrectionImportText.lines(for: outcome, isDryRun: isDryRun)
  }

  @Test func importedCorrectionsAreCounted() {
    #expect(Self.imported() == ["0 corrections read: 0 new, 0 as they were"])
    #expect(
      Self.imported(isDryRun: true) { $0.corrections.newCount = 1 }
        == ["1 correction read, nothing set: 1 new, 0 as they were"])
    #expect(
      Self.imported { $0.corrections.replacedCount = 1 } == ["1 correction read: 0 new, 1 replaced, 0 as they were"])
    let all = Self.imported {
      ($0.corrections.newCount, $0.corrections.waitingCount, $0.corrections.replacedCount) = (3, 1, 20)
      ($0.corrections.sameCount, $0.corrections.olderCount) = (400, 1)
    }
    #expect(
      all == [
        "424 corrections read: 3 new (1 for audio that is not in the library yet), 20 replaced, 400 as they were, "
          + "1 older than what was set here and left out (--force takes them)"
      ])
  }

  /// The first twenty lines that cannot be read are shown.
  @Test func unreadableLinesAreShown() {
    let last = "0 corrections read: 0 new, 0 as they were"
    func shown(_ count: Int) -> [String] { (0..<count).map { "line \($0 + 2) was left out: odd" } }
    #expect(Self.imported(unreadable: 1, listed: 1) == shown(1) + [last])
    #expect(Self.imported(unreadable: 20, listed: 20) == shown(20) + [last])
    #expect(Self.imported(unreadable: 21, listed: 21) == shown(20) + ["1 more line was left out", last])
    #expect(Self.imported(unreadable: 5_000, listed: 1_000) == shown(20) + ["4980 more lines were left out", last])
  }

  // MARK: Broken files

  private static func broken(_ reasons: [BrokenTracks.Reason]) -> BrokenTracks.Track {
    let record = FileRecord(path: "/m/a.wav", status: .ok, tags: TagFinding(fields: ["title": ["T"]]))
    return BrokenTracks.Track(record: record, severity: 0.9, reasons: reasons)
  }

  @Test func faultsHaveTheirPlaces() {
    let reasons = [
      BrokenTracks.Reason(kind: "a", message: "One."),
      BrokenTracks.Reason(kind: "b", message: "Two", startSeconds: 61.5, endSeconds: 66.25),
      BrokenTracks.Reason(kind: "c", message: "Three", startSeconds: 61.5, endSeconds: 66.5, channel: 1),
      BrokenTracks.Reason(kind: "d", message: "Four", startSeconds: 1.5, endSeconds: 1.5, channel: 0),
    ]
    #expect(
      BrokenText.lines(for: Self.broken(reasons)) == [
        "0.90  /m/a.wav", "      One.", "      Two at 1:01.50", "      Three, channel 1",
        "      Four at 0:01.50, channel 0",
      ])
  }

  @Test func threeFaultsOfAKindAreShown() {
    func lines(_ first: Int, _ second: Int) -> [String] {
      let kinds = Array(repeating: "b", count: first) + Array(repeating: "a", count: second)
      return BrokenText.lines(for: Self.broken(kinds.map { BrokenTracks.Reason(kind: $0, message: "is \($0)") }))
    }
    let (title, b, a) = ("0.90  /m/a.wav", "      is b", "      is a")
    #expect(lines(3, 0) == [title, b, b, b])
    #expect(lines(4, 1) == [title, b, b, b, a, "      and 1 more: b"])
    #expect(lines(5, 9) == [title, b, b, b, a, a, a, "      and 6 more: a", "      and 2 more: b"])
  }

  @Test func brokenFilesAreCounted() {
    func summary(_ broken: Int, shown: Int, of count: Int, unjudged: Int = 0) -> String {
      let tracks = (0..<broken).map { _ in Self.broken([]) }
      return BrokenText.summary(
        BrokenTracks.Answer(tracks: tracks, count: count, unjudgedCount: unjudged), shown: shown)
    }
    #expect(summary(0, shown: 0, of: 1) == "Nothing is known to be wrong with 1 file.")
    #expect(
      summary(0, shown: 0, of: 7, unjudged: 1)
        == "Nothing is known to be wrong with 7 files. The audio of 1 file was not checked: "
        + "analyze run --pipeline health.")
    #expect(summary(1, shown: 1, of: 1) == "1 of 1 broken file, of 1 file in all.")
    #expect(
      summary(4, shown: 2, of: 9, unjudged: 3)
        == "2 of 4 broken files, of 9 files in all. The audio of 3 files was not checked: "
        + "analyze run --pipeline health.")
  }

  // MARK: Exports and tags

  @Test func exportsAreCounted() {
    func lines(
      _ count: Int, gone: Int = 0, isIncremental: Bool = false, files: [FilePath] = [], skipped: Int = 0
    ) -> [String] {
      var outcome = LibraryExport.Outcome(
        files: files, recordCount: count, removalCount: gone, isIncremental: isIncremental)
      outcome.skippedCount = skipped
      return ExportText.lines(for: outcome)
    }
    #expect(lines(1, gone: 4) == ["1 track"])
    #expect(lines(2, files: ["/x/a", "/x/b"]) == ["2 tracks", "  /x/a", "  /x/b"])
    #expect(lines(1, isIncremental: true) == ["1 changed track, 0 gone"])
    #expect(lines(0, gone: 4, isIncremental: true, files: ["/x"]) == ["0 changed tracks, 4 gone", "  /x"])
    #expect(lines(3, skipped: 1) == ["3 tracks", "not listed: 1 skipped file, such as pictures and links"])
    #expect(lines(3, skipped: 2) == ["3 tracks", "not listed: 2 skipped files, such as pictures and links"])
  }

  @Test func changesOfTagsAreShown() {
    func change(_ key: String, _ before: [String], _ after: [String]) -> TagChange {
      TagChange(field: "bpm", tag: "id3v2", key: key, before: before, after: after)
    }
    var result = TaggingResult("/m/a.mp3", .written)
    #expect(TaggingText.lines(for: result).isEmpty)
    result.changes = [change("TBPM", ["1", "2"], ["3"]), change("BPM", [], ["4"]), change("bpm", ["5"], [])]
    #expect(
      TaggingText.lines(for: result) == [
        "/m/a.mp3", "  - bpm (TBPM): 1", "  - bpm (TBPM): 2", "  + bpm (TBPM): 3", "  + bpm: 4", "  - bpm: 5",
      ])
    result.kept = [change("TBPM", ["1", "2"], ["3"])]
    #expect(TaggingText.lines(for: result).last == "    bpm (TBPM): 1 / 2 is kept, not 3")
    #expect(TaggingText.lines(for: result).count == 7)
    result.changes = []
    #expect(TaggingText.lines(for: result).count == 2 && TaggingText.lines(for: result).first == "/m/a.mp3")
  }

  @Test func filesWithTagsAreCounted() {
    #expect(TaggingText.summary([:]).isEmpty)
    var counts: [TaggingResult.Status: Int] = [:]
    for (number, status) in TaggingResult.Status.allCases.enumerated() { counts[status] = number + 1 }
    let found = TaggingText.summary(counts)
    #expect(
      found == [
        "1 file changed", "2 files would be changed", "3 files with these values already",
        "4 files with other values, which were kept (--overwrite replaces them)", "5 files with nothing to write",
        "6 files left unchanged, as reported above",
      ])
    for (status, line) in zip(TaggingResult.Status.allCases, found) {
      #expect(TaggingText.summary([status: counts[status] ?? 0]) == [line])
    }
  }

  // MARK: Clicks and workers

  private static func clicks(
    bpm: Double? = 128.126, downbeats: [Double]? = [0], loudness: LoudnessFinding? = nil, clicksOnly: Bool = false,
    level: Double? = nil, clicks: Int = 2, accents: Int = 1, clipped: Int64 = 0
  ) -> (text: String, track: ClickedTrack) {
    let tempo = TempoFinding(
      bpm: bpm, confidence: 1, candidates: [], isStable: true, map: [], beats: [0, 0.5], downbeats: downbeats)
    var track = ClickedTrack(of: "/m/a.wav", tempo, loudness: loudness)
    track.isClicksOnly = clicksOnly
    track.level = level
    let outcome = ClickedTrack.Outcome(
      sampleRate: 44_100, channelCount: 2, duration: 1, clickCount: clicks, accentCount: accents,
      clippedSampleCount: clipped)
    return (ClickText.line(for: track, outcome, in: "/x/a.flac"), track)
  }

  @Test func clicksAreDescribed() {
    #expect(Self.clicks(clicksOnly: true).text == "/x/a.flac: 2 clicks, 1 accent, 128.13 BPM")
    #expect(Self.clicks(clicksOnly: true, clicks: 1, accents: 3).text == "/x/a.flac: 1 click, 3 accents, 128.13 BPM")
    let unknown = "no accents (the start of bars is unknown)"
    #expect(Self.clicks(bpm: nil, downbeats: nil, clicksOnly: true).text == "/x/a.flac: 2 clicks, \(unknown)")
    #expect(Self.clicks(bpm: nil, downbeats: [], clicksOnly: true).text == "/x/a.flac: 2 clicks, \(unknown)")
    for (count, text) in [(Int64(1), "1 sample clipped"), (3, "3 samples clipped")] {
      #expect(Self.clicks(clicksOnly: true, clipped: count).text.hasSuffix("128.13 BPM, \(text)"))
    }
  }

  @Test func levelsOfMusicAreDescribed() {
    let start = "/x/a.flac: 2 clicks, 1 accent, 128.13 BPM, "
    let unknown = Self.clicks()
    #expect(unknown.track.levels.music < 0)
    let quieter = String(format: "music %.1f dB quieter", -unknown.track.levels.music)
    #expect(unknown.text == start + quieter + " (its loudness is unknown)")
    // Quiet music with quiet clicks is not turned down.
    let quiet = Self.clicks(loudness: LoudnessFinding(integrated: -40, truePeak: -30))
    #expect(quiet.track.levels.music == 0 && quiet.text == start + "music at its original level")
  }

  @Test func linesOfWorkersAreCounted() {
    var counts = StreamingWorker.Counts()
    #expect(WorkerCommand.text(counts) == "0 lines answered: 0 ok, 0 partial, 0 failed, 0 timeout, 0 skipped")
    counts.answered = [.ok: 5, .failed: 2, .skipped: 1]
    #expect(WorkerCommand.text(counts) == "8 lines answered: 5 ok, 0 partial, 2 failed, 0 timeout, 1 skipped")
    counts.others = 1
    #expect(WorkerCommand.text(counts).hasSuffix("1 skipped, 1 of other shards"))
    counts.unanswered = 1
    #expect(WorkerCommand.text(counts).hasSuffix("1 skipped, 1 of other shards, 1 given up"))
    counts.others = 0
    #expect(WorkerCommand.text(counts).hasSuffix("1 skipped, 1 given up"))
  }
}

/// Requests that follow from the options of commands.
@Suite(.bounded) struct RequestTests {
  private static func words(_ text: String) -> [String] { text.split(separator: " ").map(String.init) }

  private static func correction(_ text: String) throws -> [String] {
    switch try SetCommand.parse(words(text)).request {
    case .unset: return ["unset"]
    case .noTempo: return ["no tempo"]
    case .set(let tempo, let shift, let bars):
      let first =
        switch tempo {
        case .beatsPerMinute(let bpm)?: "\(bpm) BPM"
        case .times(let ratio)?: "times \(ratio)"
        case nil: "-"
        }
      let second =
        switch shift {
        case .beats(let count)?: "\(count) beats"
        case .seconds(let seconds)?: "\(seconds) s"
        case .firstBeat(let seconds)?: "at \(seconds) s"
        case nil: "-"
        }
      return [first, second] + (bars == nil ? [] : ["bars"])
    }
  }

  @Test func corrections() throws {
    for (text, expected) in [
      ("a --unset bpm", ["unset"]), ("a --no-tempo", ["no tempo"]), ("a --bpm 128.5", ["128.5 BPM", "-"]),
      ("a --half", ["times 1/2", "-"]), ("a --double", ["times 2", "-"]), ("a --times 2/3", ["times 2/3", "-"]),
      ("a --times 3", ["times 3", "-"]), ("a --shift-beats 0.5", ["-", "0.5 beats"]),
      ("a --shift-beats -1/4", ["-", "-0.25 beats"]), ("a --shift-beats 3/2", ["-", "1.5 beats"]),
      ("a --first-beat 0.25", ["-", "at 0.25 s"]), ("a --bpm 90 --first-beat 2", ["90.0 BPM", "at 2.0 s"]),
      ("a --half --shift-beats 1", ["times 1/2", "1.0 beats"]),
    ] {
      #expect(try Self.correction(text) == expected, "\(text)")
    }
  }

  @Test func partsOfTracks() throws {
    func part(_ text: String) throws -> Range<Double>? { try ClickCommand.parse(Self.words(text)).part }
    #expect(try part("a") == nil)
    #expect(try part("a --to 5") == 0..<5 && part("a --from 1:30") == 90..<Double.infinity)
    #expect(try part("a --from 2 --to 5") == 2..<5)
    for text in ["a --from 5 --to 5", "a --from 6 --to 5"] { #expect(throws: (any Error).self) { try part(text) } }
  }

  @Test func playlists() throws {
    func request(_ text: String) throws -> PlaylistProposal.Request {
      try PlaylistCommand.parse(Self.words("--genre x " + text)).request()
    }
    let standard = try request("")
    #expect("\(standard.order)" == "mix" && standard.spacing == 3 && standard.seed == 0 && standard.like == nil)
    #expect("\(standard.length)" == "all")
    // Only mixes keep the tracks of an artist apart by themselves.
    for (text, spacing) in [
      ("--order mix", 3), ("--order tempo", 0), ("--order path", 0), ("--order tempo --no-repeat-artist 2", 2),
      ("--no-repeat-artist 0", 0), ("--output a.m3u8", 3), ("--output a.nsp", 0), ("--output a.NSP", 0),
      ("--format nsp", 0), ("--output a.nsp --format m3u8", 3),
    ] {
      #expect(try request(text).spacing == spacing, "\(text)")
    }
    let chosen = try request("--like /m/a.wav --seed 7 --tracks 9 --order energy")
    #expect(chosen.like == "/m/a.wav" && chosen.seed == 7 && "\(chosen.order)" == "energy")
    #expect("\(chosen.length)" == "tracks(9)")
    let timed = try request("--length 1:30")
    #expect("\(timed.length)" == "seconds(90.0)" && timed.seed == 0)
    let other = try PlaylistCommand.parse(Self.words("--genre y")).request()
    #expect("\(standard.filter)" == "\(timed.filter)" && "\(standard.filter)" != "\(other.filter)")
  }

  @Test func tagsToWrite() throws {
    func command(_ text: String) throws -> WriteTagsCommand { try WriteTagsCommand.parse(Self.words(text)) }
    let named = try command("bpm initialkey / /tmp")
    #expect(named.fields == [.bpm, .initialkey] && named.paths == ["/", "/tmp"])
    #expect(try command("bpm --all").paths.isEmpty)
    // Only --yes changes files, except that --undo does unless it is told otherwise.
    for (text, isPlan) in [
      ("bpm --all", true), ("bpm --all --yes", false), ("bpm --all --dry-run", true), ("--undo /x", false),
      ("--undo /x --dry-run", true),
    ] {
      #expect(try command(text).isPlan == isPlan, "\(text)")
    }
    for (text, times, links) in [
      ("", false, false), (" --preserve-mtimes", true, false), (" --split-hard-links", false, true),
    ] {
      let options = "\(try command("bpm --all" + text).replacementOptions)"
      #expect(options.contains("preservesTimes: \(times)") && options.contains("splitsHardLinks: \(links)"))
    }
  }
}
