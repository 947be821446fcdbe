import Analysis
import AnalysisTesting
import Foundation
import Platform
import Records
import SystemPackage
import Testing
import Text

@testable import Reporting

/// The first screen, without a page: the name of a run, what is new, and what needs attention.
@Suite(.bounded) struct RunNameTests {
  /// 2026-11-22T00:00:00Z.
  private static let midnight: Int64 = 1_795_305_600

  private static func time(_ hour: Double) -> Timestamp {
    Timestamp(nanoseconds: (midnight + Int64(hour * 3_600)) * 1_000_000_000)
  }

  private func run(
    _ id: Int64 = 2, from start: Double = 0, to end: Double? = 1, _ state: RunRecord.State = .finished,
    roots: [RunRecord.Root] = [.init(path: "/music", condition: .scanned)], totals: RunTotals = RunTotals(),
    pending: Int = 0
  ) -> RunRecord {
    RunRecord(
      id: id, started: Self.time(start), finished: end.map { Self.time($0) }, state: state, programVersion: "1.0",
      pipeline: "sound", configuration: .null, configurationDigest: "same", analyzers: [], roots: roots, totals: totals,
      pending: pending)
  }

  private func outline(_ id: Int64, _ state: RunRecord.State = .finished) -> RunOutline {
    RunOutline(id: id, started: Self.time(-48), finished: Self.time(-47), state: state, configurationDigest: "same")
  }

  private func news(_ run: RunRecord?, at hour: Double = 12, runs: [RunOutline]? = nil) -> PageNews {
    var source = PageInput(runs: runs ?? [outline(1)])
    source.timeZone = TimeZone(secondsFromGMT: 0) ?? .current
    return PageNews(run: run, generated: Self.time(hour), source: source)
  }

  @Test(
    arguments: [
      // Both on the day itself: the night ends at ten, and a run that began before six is of the night.
      (0, 5, 12, "last night"), (5.99, 9.99, 12, "last night"), (6, 9.99, 12, "this morning"),
      (-1, 9.99, 12, "last night"),
      (6, 10, 12, "today"), (1, 11, 12, "today"), (20, 21, 22, "today"),
      // The day before: from eight in the evening on, it was the night.
      (-12, -4.01, 12, "yesterday"), (-12, -4, 12, "last night"), (-30, -24, 12, "yesterday"),
      (-30, -24.01, 12, "on November 20"), (-30, -24.01, -20, "last night"), (-30, -5, -4, "today"),
    ] as [(Double, Double, Double, String)]) func names(start: Double, end: Double, now: Double, name: String)
  {
    #expect(news(run(from: start, to: end), at: now).runName == name)
  }

  @Test func runsWithoutAnEnd() {
    #expect(news(nil).runName == "in the last run" && news(run(from: 11, to: nil)).runName == "today")
    #expect(news(nil).report(below: "/").when == "No run yet")
    let when: [(RunRecord, String)] = [
      (run(from: 8, to: nil), "Run 2 · started Sunday, November 22 at 8:00 AM · /music"),
      (run(from: 8, to: 9), "Run 2 · finished Sunday, November 22 at 9:00 AM · /music"),
      (run(from: 8, to: 9, .interrupted), "Run 2 · stopped Sunday, November 22 at 9:00 AM · /music"),
      (run(from: 8, to: 9, roots: []), "Run 2 · finished Sunday, November 22 at 9:00 AM"),
    ]
    for (run, text) in when { #expect(news(run).report(below: "/").when == text) }
    let roots = ["/a", "/b", "/c"].map { RunRecord.Root(path: FilePath($0), condition: .scanned) }
    #expect(news(run(roots: roots)).report(below: "/").when.hasSuffix("/a and 2 more"))
    #expect(news(run(roots: Array(roots.prefix(2)))).report(below: "/").when.hasSuffix("/a and 1 more"))
  }

  private func text(_ news: PageNews) -> String { news.report(below: "/").sentence.map(\.text).joined() }

  @Test func runsThatStopped() {
    for (seen, pending, progress) in [(5, 7, ": 5 of 12 files done"), (1, 0, ""), (0, 7, "")] {
      let totals = RunTotals(analyzed: seen)
      for state in [RunRecord.State.interrupted, .died] {
        #expect(
          text(news(run(to: 5, state, totals: totals, pending: pending)))
            == "Last night’s run stopped early\(progress). The next run continues.")
      }
      #expect(
        text(news(run(to: 5, .failed, totals: totals, pending: pending)))
          == "Last night’s run stopped early\(progress). Finished work is stored; the next run continues.")
    }
    #expect(text(news(run(from: -40, to: -39, .died))) == "November 20’s run stopped early. The next run continues.")
    #expect(text(news(nil)) == "No tracks yet.")
  }

  // MARK: Tracks

  private func track(
    _ path: String, seen: Int64 = 1, analyzed: Int64? = 1, seconds: Int64 = 60, status: FileRecord.Status = .ok,
    vanished: Int64? = nil
  ) -> FileRecord {
    let format = AudioFormat(
      container: "flac", codec: "flac", sampleRate: 1_000, channelCount: 2, isLossless: true,
      frameCount: seconds * 1_000)
    var record = FileRecord(path: FilePath(path), status: status, format: format, isVanished: vanished != nil)
    record.runs = .init(firstSeen: seen, analyzed: analyzed, vanished: vanished, firstFailed: nil)
    return record
  }

  private func counted(_ news: PageNews, _ records: [FileRecord]) -> MorningReport {
    for (row, record) in records.enumerated() {
      news.countHistory(record)
      if !record.isVanished { news.count(record, status: TrackColumns.Status(of: record), row: row) }
    }
    return news.report(below: "/music/")
  }

  @Test func whichTracksAreNew() {
    let news = news(run(3), runs: [outline(1), outline(2, .interrupted)])
    for (seen, analyzed, isNew) in [
      (3, 3, true), (2, 3, true), (1, 3, false), (2, 2, false), (3, nil, true), (2, nil, false),
    ] as [(Int64, Int64?, Bool)] {
      #expect(news.isNew(track("/music/a.flac", seen: seen, analyzed: analyzed)) == isNew, "\(seen)")
    }
    #expect(news.isNew(track("/music/a.flac", seen: 3, analyzed: 3, status: .partial)))
    #expect(!news.isNew(track("/music/a.flac", seen: 3, analyzed: 3, status: .failed)))
    #expect(!news.isNew(track("/music/a.flac", seen: 3, analyzed: 3, vanished: 3)))
    // In the first run, everything is.
    #expect(!self.news(run(1), runs: [outline(1)]).isNew(track("/music/a.flac", seen: 1, analyzed: 1)))
    #expect(!self.news(run(2), runs: [outline(1, .interrupted)]).isNew(track("/music/a.flac", seen: 2, analyzed: 2)))
  }

  @Test func countsInSentences() {
    func subtitle(_ records: [FileRecord], _ run: RunRecord? = nil) -> String {
      counted(news(run ?? self.run()), records).subtitle ?? ""
    }
    let (old, new) = (track("/music/o.flac"), track("/music/n/n.flac", seen: 2, analyzed: 2))
    let again = track("/music/u.flac", seen: 1, analyzed: 2)
    #expect(subtitle([]) == "To analyze music, run: analyze run FOLDER")
    #expect(subtitle([old]) == "Your library holds 1 track, 1 min of music.")
    #expect(subtitle([old, new]) == "The other track is unchanged. Your library holds 2 tracks, 2 min of music.")
    #expect(
      subtitle([old, old, again])
        == "1 track was analyzed again: its file or its tags changed. The other 2 tracks are unchanged. "
        + "Your library holds 3 tracks, 3 min of music.")
    #expect(
      subtitle([again, again])
        == "2 tracks were analyzed again: the files or their tags changed. Your library holds 2 tracks, 2 min of music."
    )
    let gone = track("/music/g.flac", vanished: 2)
    #expect(subtitle([old, gone]).hasPrefix("1 file is gone; known results are kept. Your library"))
    #expect(subtitle([old, gone, gone]).hasPrefix("2 files are gone; known results are kept. Your library"))
    #expect(subtitle([old, track("/music/g.flac", vanished: 1)]) == "Your library holds 1 track, 1 min of music.")
    #expect(
      subtitle([new], run(2, .interrupted)) == "So far: 1 new. Your library holds 1 track, 1 min of music.")
    let report = counted(news(run(from: 0, to: 1)), [old, new, again])
    #expect(report.sentence.map(\.text).joined() == "Last night: 1 new, 1 updated — 2 min of music in 1 h.")
    #expect(report.sentence.map(\.link) == [nil, "new", nil, nil, nil] && report.title == "1 new track")
    #expect(
      report.canHaveNew && report.newCount == 1 && report.footer.contains("pipeline sound · made November 22, 2026"))
    #expect(report.newFolders.map(\.name) == ["n/"] && report.newFolders.map(\.text) == ["1 track · 1 min"])
    #expect(counted(news(run()), []).title == "No tracks yet" && counted(news(run()), [old]).title == "All fine")
  }

  @Test func foldersOfNewTracks() {
    var folders = NewFolders()
    func record(_ path: String, artist: String? = nil, bpm: Double? = nil, confidence: Double = 0.5) -> FileRecord {
      var record = track(path)
      if let artist { record.tags = TagFinding(fields: ["artist": [artist]]) }
      if let bpm {
        record.tempo = TempoFinding(
          bpm: bpm, confidence: confidence, candidates: [], isStable: true, map: [], beats: [])
      }
      return record
    }
    for index in 0..<25 { folders.count(record("/music/a/\(index).flac"), row: index, 60) }
    for (index, artist) in ["x", "z", "z", "y"].enumerated() {
      folders.count(record("/music/b/\(index).flac", artist: artist, bpm: 99.6 + Double(index)), row: 30 + index, 30)
    }
    folders.count(record("/music/b/9.flac", bpm: 300, confidence: 0.49), row: 39, 0)
    folders.count(record("/music/b/10.flac", bpm: 1e6), row: 40, 0)
    folders.count(record("/music/c.flac", artist: "one", bpm: 120.4), row: 41, 30)
    folders.count(record("/music/d.flac", artist: "one", bpm: 119.6), row: 42, 30)
    let found = folders.folders(below: "/music/")
    #expect(found.map(\.name) == ["a/", "b/", "music/"] && folders.trackCount == 33 && folders.restCount == 0)
    #expect(found.map(\.text) == ["25 tracks · 25 min", "6 tracks · 2 min", "2 tracks · 1 min"])
    #expect(found.map(\.about) == ["No artist in tags", "z, x, y · 100–103 BPM", "one · 120 BPM"])
    #expect(found[0].tracks.map(\.row) == Array(0..<24) && found[1].tracks.count == 6)
    for index in 0..<6 { folders.count(record("/music/e\(index)/1.flac", artist: "\(index)"), row: 50, 1) }
    #expect(folders.restCount == 1 && folders.folders(below: "/music/").count == 8)
    // Folders with as many tracks are in order of their names.
    #expect(folders.folders(below: "/music/").suffix(5).map(\.name) == ["e0/", "e1/", "e2/", "e3/", "e4/"])
  }

  @Test func causesInOrder() {
    var causes = PageCauses()
    func problem(_ code: String) -> Problem { Problem(stage: .decode, code: code, message: "m") }
    func count(_ code: String, _ number: Int, news: Int = 0, isFailure: Bool) {
      for index in 0..<number {
        causes.count(
          track("/music/\(code)\(index).mp3"), problem(code), isFailure: isFailure, isNews: index >= number - news)
      }
    }
    count("corrupt", 3, isFailure: true)
    count("empty", 21, news: 2, isFailure: true)
    count("unknown_format", 3, isFailure: true)
    count("truncated", 40, news: 1, isFailure: false)
    #expect(causes.fileCount == 67)
    let found = causes.causes(of: nil, isFirstRun: false)
    #expect(found.map(\.tableState) == ["empty", "corrupt", "unknown_format", "truncated"].map { "status=\($0)" })
    #expect(found.map(\.count) == [21, 3, 3, 40] && found.map(\.kind) == [.failed, .failed, .failed, .damaged])
    // New ones come first, and twenty are listed.
    #expect(
      found[0].files.count == 20 && found[0].files.prefix(3).map(\.path) == [19, 20, 0].map { "/music/empty\($0).mp3" })
    #expect(found[0].advice.hasPrefix("2 are new. ") && found[3].advice.hasPrefix("1 is new. "))
    #expect(!found[1].advice.hasPrefix("0 are new"))
    #expect(
      causes.causes(of: nil, isFirstRun: true).allSatisfy {
        !$0.advice.hasPrefix("2 are new") && !$0.advice.hasPrefix("1 is new")
      })
    var tempos = PageCauses()
    func tempo(_ confidence: Double, bpm: Double? = 120) -> FileRecord {
      var record = track("/music/t.flac")
      record.tempo = TempoFinding(
        bpm: bpm ?? 1, confidence: confidence, candidates: [], isStable: true, map: [], beats: [])
      record.tempo?.bpm = bpm
      return record
    }
    for record in [tempo(0.5), tempo(0.2, bpm: nil), tempo(0.2, bpm: .infinity)] { tempos.countTempo(of: record) }
    #expect(tempos.causes(of: nil, isFirstRun: false).isEmpty)
    tempos.countTempo(of: tempo(0.499))
    #expect(tempos.causes(of: nil, isFirstRun: false).first?.what == "1 track has an uncertain tempo.")
    tempos.countTempo(of: tempo(0.1))
    let unsure = tempos.causes(of: nil, isFirstRun: false)
    #expect(unsure.first?.what == "2 tracks have an uncertain tempo." && unsure.first?.kind == .unsure)
    #expect(unsure.first?.files.map(\.text) == ["120.0 BPM, 10% confidence", "120.0 BPM, 49% confidence"])
    #expect(unsure.first?.tableState == "confidence=guess" && tempos.fileCount == 0)
  }
}
