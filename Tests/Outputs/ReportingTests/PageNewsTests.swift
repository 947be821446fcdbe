import Analysis
import AnalysisTesting
import Foundation
import Platform
import Records
import Reporting
import SystemPackage
import Testing
import Text

/// First screen: one sentence, problems, new tracks.
@Suite(.bounded) struct PageNewsTests {
  private static let day: Int64 = 86_400
  /// 2026-11-22T05:02:00Z, a Sunday.
  private static let end: Int64 = 1_795_323_720

  private static func time(_ seconds: Int64) -> Timestamp { Timestamp(nanoseconds: seconds * 1_000_000_000) }

  private static func outline(
    _ id: Int64, _ state: RunRecord.State = .finished, digest: String = "same"
  ) -> RunOutline {
    let finished = end - (20 - id) * day
    return RunOutline(
      id: id, started: time(finished - 27), finished: time(finished), state: state, configurationDigest: digest)
  }

  private static func run(
    _ id: Int64, _ state: RunRecord.State = .finished, roots: [RunRecord.Root]? = nil, totals: RunTotals = RunTotals(),
    pending: Int = 0
  ) -> RunRecord {
    let outline = outline(id)
    return RunRecord(
      id: id, started: outline.started, finished: state == .died ? nil : outline.finished, state: state,
      programVersion: "1.0", pipeline: "sound", configuration: .null, configurationDigest: "same", analyzers: [],
      roots: roots ?? [RunRecord.Root(path: "/music", condition: .scanned)], totals: totals, pending: pending)
  }

  private static func track(
    _ path: String, seconds: Int64 = 120, seen: Int64, analyzed: Int64? = nil, status: FileRecord.Status = .ok,
    code: String? = nil, failed: Int64? = nil, vanished: Int64? = nil
  ) -> FileRecord {
    var record = FileRecord(
      path: FilePath(path), status: status,
      problem: code.map { Problem(stage: .decode, code: $0, message: "Reason of \($0).") },
      format: status == .failed
        ? nil
        : AudioFormat(
          container: "flac", codec: "flac", sampleRate: 1000, channelCount: 2, isLossless: true,
          frameCount: seconds * 1000),
      isVanished: vanished != nil)
    record.runs = .init(firstSeen: seen, analyzed: analyzed ?? seen, vanished: vanished, firstFailed: failed)
    return record
  }

  private static func page(
    _ records: [FileRecord], run: RunRecord?, runs: [RunOutline]? = nil, at seconds: Int64 = end + 2 * 3600
  ) throws -> DecodedPage {
    let runs = runs ?? (run.map { run in (1...run.id).map { outline($0, $0 == run.id ? run.state : .finished) } } ?? [])
    return try HTMLReportTests.page(records, run: run, source: PageInput(runs: runs), at: seconds)
  }

  private static let known = (0..<5).map { track("/music/a/\($0).flac", seconds: 600, seen: 3) }

  @Test func newsAndFailures() throws {
    let news = [
      Self.track("/music/b/1.flac", seen: 20), Self.track("/music/b/2.flac", seen: 20),
      Self.track("/music/b/3.flac", seen: 20, status: .partial, code: "truncated", failed: 20),
      Self.track("/music/c/4.flac", seen: 20, status: .failed, code: "empty", failed: 20),
      Self.track("/music/c/5.flac", seen: 4, analyzed: 4, status: .failed, code: "empty", failed: 4),
      Self.track("/music/c/6.flac", seen: 4, vanished: 20), Self.track("/music/c/7.flac", seen: 4, vanished: 19),
    ]
    let page = try Self.page(Self.known + news, run: Self.run(20))
    #expect(page.headline == "Last night: 3 new, 1 gone, 1 damaged, 1 failed — 6 min of music in 27 s.")
    #expect(
      page.subtitle == "1 file is gone; known results are kept. The other 5 tracks are unchanged. "
        + "Your library holds 8 tracks, 56 min of music, and 2 files that failed.")
    #expect(page.html.contains("<title>3 files need attention · Nocturne, November 22, 2026</title>"))
    #expect(page.html.contains("Run 20 · finished Sunday, November 22 at 5:02 AM · /music"))
    #expect(page.html.contains("2 files are empty.</span> <span class=\"do\">1 is new. The copies or downloads never"))
    #expect(page.html.contains("1 file is cut off.</span>"))
    #expect(page.library["run_name"] as? String == "last night")
    #expect(page.library["first_run"] as? Bool == false)
    // Vanished files have no rows, but count in the history.
    #expect(page.rows == 10)
    let points = try #require(page.library["runs"] as? [[Any]])
    #expect(points.compactMap { $0[1] as? Int } == [0, 0, 5] + [Int](repeating: 7, count: 15) + [6, 8])
    #expect(points.last?[0] as? String == "2026-11-22")
    let flags = try page.numbers("flags").compactMap { $0.map { Int($0) & 1 } }
    #expect(flags == [0, 0, 0, 0, 0, 1, 1, 1, 0, 0])
  }

  @Test func nothingNew() throws {
    let page = try Self.page(Self.known, run: Self.run(20))
    #expect(page.headline == "Last night: nothing new. 5 tracks, all fine.")
    #expect(page.html.contains("Nothing needs your attention."))
    #expect(page.html.contains("<title>All fine"))
    let failing = Self.track("/music/x.mp3", seen: 2, status: .failed, code: "corrupt", failed: 2)
    let other = try Self.page(Self.known + [failing], run: Self.run(20))
    #expect(other.headline == "Last night: nothing new. 5 tracks, 1 still with problems.")
  }

  @Test func theFirstRun() throws {
    let page = try Self.page([Self.track("/music/1.flac", seen: 1)], run: Self.run(1))
    #expect(page.headline == "First run: 1 track analyzed — 2 min of music in 27 s.")
    #expect(!page.html.contains("id=\"new\""))
    #expect(page.library["first_run"] as? Bool == true)
    let empty = try Self.page([], run: Self.run(1))
    #expect(empty.headline == "First run: no music was found.")
  }

  /// A track found by an interrupted run and analyzed by the next is as new as tracks found by the latter.
  @Test func afterAnInterruption() throws {
    let stopped = try Self.page(
      Self.known, run: Self.run(20, .interrupted, totals: RunTotals(analyzed: 1204), pending: 18_796))
    #expect(
      stopped.headline == "Last night’s run stopped early: 1,204 of 20,000 files done. The next run continues.")
    let runs = [Self.outline(18), Self.outline(19, .interrupted), Self.outline(20)]
    let page = try Self.page(
      [
        Self.track("/music/a.flac", seen: 19, analyzed: 20), Self.track("/music/b.flac", seen: 19, analyzed: 19),
        Self.track("/music/c.flac", seen: 18, analyzed: 20),
      ], run: Self.run(20), runs: runs)
    #expect(page.headline == "Last night: 1 new, 1 updated — 4 min of music in 27 s.")
    let died = try Self.page(Self.known, run: Self.run(20, .died))
    #expect(died.headline == "Last night’s run stopped early. The next run continues.")
    let running = try Self.page(Self.known, run: Self.run(20, .running))
    #expect(running.headline == "A run is under way. So far: 5 tracks.")
  }

  @Test func withoutAnyRun() throws {
    let page = try Self.page(Self.known, run: nil)
    #expect(page.headline == "5 tracks, 50 min of music.")
    #expect(page.html.contains("No run yet"))
  }

  @Test func foldersThatAreNotThere() throws {
    let page = try Self.page(
      Self.known,
      run: Self.run(20, roots: [.init(path: "/music", condition: .scanned), .init(path: "/nas", condition: .missing)]))
    #expect(page.html.contains("A folder is missing.</span> <span class=\"do\">Is the drive mounted?"))
    #expect(page.html.contains("<code>/nas</code>"))
    #expect(page.html.contains("/music and 1 more"))
    #expect(page.headline == "Last night: 1 folder not found.")
    #expect(page.html.contains("<title>1 folder needs attention"))
  }

  @Test func foldersWithoutAudioAreThere() throws {
    let roots: [RunRecord.Root] = [
      .init(path: "/a", condition: .empty), .init(path: "/b", condition: .missing),
      .init(path: "/c", condition: .empty),
      .init(path: "/d", condition: .unreadable),
    ]
    let page = try Self.page(Self.known, run: Self.run(20, roots: roots))
    #expect(
      page.headline
        == "Last night: 1 folder not found, 2 folders without audio, 1 folder not read to the end.")
  }

  /// The sentence is omitted if the units differ from those of the claimed length, or if both lengths read alike.
  @Test(arguments: [
    (134.8, 135.2, "All but the last 0.4 s could be read."), (135, 135.01, "All but the last 0.1 s could be read."),
    (8.26, 14, "Only the first 8.3 s of 14.0 s could be read."),
    (8.26, 135, "Only the first 8.3 s of 2:15 could be read."),
    (80, 135, "Only the first 1:20 of 2:15 could be read."),
  ]) func howMuchOfACutFileCouldBeRead(found: Double, claimed: Double, sentence: String) {
    let format = AudioFormat(
      container: "mp3", codec: "mp3", sampleRate: 1000, channelCount: 2, isLossless: false,
      claimedFrameCount: Int64(claimed * 1000), frameCount: Int64(found * 1000))
    let problem = Problem(stage: .decode, code: "truncated", message: "Cut.")
    #expect(ProblemSentence.text(of: problem, format) == sentence)
  }

  @Test func spellingsOfOneGenreAreOne() throws {
    let records = ["Soundtrack", "soundtrack ", "SOUNDTRACK"].enumerated().map { number, genre in
      var record = Self.track("/music/\(number).flac", seen: 3)
      record.tags = TagFinding(fields: ["genre": [genre]])
      return record
    }
    let page = try Self.page(records, run: Self.run(20))
    #expect(page.dictionary("genre") == ["Soundtrack"])
  }

  @Test func whyTracksWereAnalyzedAgain() throws {
    let records = Self.known + [Self.track("/music/z.flac", seen: 3, analyzed: 20)]
    let page = try Self.page(records, run: Self.run(20))
    #expect(page.subtitle.hasPrefix("1 track was analyzed again: its file or its tags changed."))
    let other = try Self.page(records, run: Self.run(20), runs: [Self.outline(19, digest: "old"), Self.outline(20)])
    #expect(other.subtitle.hasPrefix("1 track was analyzed again, because the analyzers or their settings changed."))
  }

  @Test(arguments: [
    (end + 2 * 3600, "last night"), (end + 16 * 3600, "last night"), (end + day, "yesterday"),
    (end + 3 * day, "on November 22"),
  ])
  func theNameOfTheRun(seconds: Int64, name: String) throws {
    let page = try Self.page(Self.known, run: Self.run(20), at: seconds)
    #expect(page.library["run_name"] as? String == name)
  }

  @Test func newTracksAreListedByFolder() throws {
    var records = Self.known
    for folder in 0..<10 {
      for index in 0...folder {
        var record = Self.track("/music/n\(folder)/& \(index).flac", seen: 20)
        record.tags = TagFinding(fields: ["artist": ["Artist \(index)"]])
        record.tempo = TempoFinding(
          bpm: 100 + Double(index), confidence: 0.9, candidates: [], isStable: true, map: [], beats: [])
        records.append(record)
      }
    }
    let page = try Self.page(records, run: Self.run(20))
    #expect(page.html.contains("And 2 more folders."))
    #expect(page.html.contains("Show all 55 in the table"))
    #expect(page.html.contains("10 tracks · 20 min"))
    #expect(page.html.contains("Artist 0, Artist 1, Artist 2 and 7 more · 100–109 BPM"))
    #expect(page.html.contains("status=new&amp;folder=/music/n9"))
    #expect(page.html.contains("n9/"))
  }

  /// Simulates a damaged database.
  @Test func numbersThatCannotBe() throws {
    var record = Self.track("/music/new/1.flac", seconds: .max / 1000, seen: 20)
    record.tempo = TempoFinding(
      bpm: 1e300, confidence: .infinity, candidates: [], isStable: true, map: [], beats: [])
    var unsure = Self.track("/music/new/2.flac", seen: -5, analyzed: .min, vanished: nil)
    unsure.tempo = TempoFinding(
      bpm: -1e300, confidence: -.infinity, candidates: [], isStable: true, map: [], beats: [])
    var run = Self.run(20, totals: RunTotals(analyzed: 1 << 48))
    run.started = Timestamp(nanoseconds: .min)
    run.finished = Timestamp(nanoseconds: .max)
    let page = try Self.page([record, unsure], run: run)
    #expect(page.rows == 2 && page.headline.hasPrefix("On "))
  }

  @Test func unsureTemposAreListedFromTheLeastSure() throws {
    let records = (0..<150).map { index in
      var record = Self.track("/music/\(1000 + index).flac", seen: 3)
      record.tempo = TempoFinding(
        bpm: 62.84, confidence: Double(index) / 200, candidates: [], isStable: true, map: [], beats: [])
      return record
    }
    let page = try Self.page(records, run: Self.run(20))
    #expect(page.html.contains("100 tracks have an uncertain tempo."))
    #expect(page.html.contains("Show all 100 in the table"))
    #expect(page.html.contains("62.8 BPM, 9% confidence") && !page.html.contains("62.8 BPM, 10% confidence"))
  }

  @Test func ofManyFailuresOnlySomeAreListed() throws {
    let records = (0..<1200).map { number in
      Self.track(
        "/music/\(number).mp3", seen: 20, status: .failed, code: number % 3 == 0 ? "empty" : "corrupt", failed: 20)
    }
    let page = try Self.page(records, run: Self.run(20))
    #expect(page.html.contains("800 files are damaged.") && page.html.contains("400 files are empty."))
    #expect(page.html.contains("Show all 800 in the table"))
    #expect(page.html.components(separatedBy: "<li><code>").count == 41)
    #expect(try page.numbers("problem").compactMap(\.self).count == 1200)
  }
}
