import Analysis
import AnalysisTesting
import Foundation
import Platform
import Records
import Reporting
import SystemPackage
import Testing

@Suite(.bounded) struct JSONReportTests {
  private func object(_ record: FileRecord, beats: Bool = true) throws -> [String: Any] {
    try object(record, ReportOptions(findings: Samples.findings, long: beats ? ["beats"] : []))
  }

  private func object(_ record: FileRecord, _ options: ReportOptions) throws -> [String: Any] {
    let line = ReportWriter.ndjsonLine(for: record, options: options)
    return try #require(try JSONSerialization.jsonObject(with: Data(line)) as? [String: Any])
  }

  @Test func fullRecord() throws {
    let file = try object(Samples.full)
    #expect(file["id"] as? String == Samples.full.contentID?.description)
    // Computed independently of this program, as described in docs/reports.md.
    #expect(file["file_id"] as? String == "67Pi6IltXE01wPuSh0iCRQ")
    #expect(file["analyzed_at"] as? String == "2023-11-14T22:15:00Z")
    let fingerprint = try #require(file["fingerprint"] as? [String: Any])
    // The file is damaged, so its claimed length counts.
    #expect(fingerprint["duration_s"] as? Double == 120 && fingerprint["track_duration_s"] as? Double == 391.72)
    #expect(fingerprint["track_duration_claimed"] as? Bool == true)
    #expect(file["path"] as? String == Samples.full.path.string)
    #expect(
      file["uri"] as? String == "file:///music/%C3%84rger%20%26%20S%C3%B6hne/01%20%22Go%22%2C%20she%20said.flac")
    #expect(
      file["error"] as? [String: String] == [
        "stage": "decode", "code": "truncated", "message": "The stream ends 3 s early.",
      ])
    let format = try #require(file["format"] as? [String: Any])
    #expect(format["duration_s"] as? Double == 388.7200)
    #expect(format["claimed_duration_s"] as? Double == 391.72)
    #expect(format["modified_at"] as? String == "2023-11-14T22:13:20Z")
    let tags = try #require(file["tags"] as? [String: Any])
    #expect(tags["title"] as? String == "Go")
    #expect(tags["artist"] as? [String] == ["Ä", "B / C"])
    #expect(tags["track"] as? Int == 3)
    #expect(tags["tracktotal"] is NSNull && tags["album"] is NSNull && tags["isrc"] is NSNull)
    #expect(tags["genre"] as? [String] == ["Jazz"])
    #expect(tags["compilation"] as? Bool == true && tags["has_lyrics"] as? Bool == true)
    #expect(tags["comment"] as? [String] == ["two\nlines\u{0}\u{1F}"])
    #expect(tags["other"] as? [String: [String]] == ["MOOD": ["calm", "late, \"blue\""]])
    let tempo = try #require(file["tempo"] as? [String: Any])
    #expect(tempo["confidence"] as? Double == 0.9313)
    #expect((tempo["candidates"] as? [[String: Double]])?.map { $0["bpm"] } == [126, 63])
    #expect(tempo["beats_s"] as? [Double] == [0.41, 0.8862, 0])
    #expect(tempo["downbeats_s"] as? [Double] == [0.41] && tempo["metre"] as? String == "4/4")
    #expect((tempo["onsets"] as? [String: Any])?["values"] as? [Double] == [0, 0.1235])
    #expect((file["findings"] as? [String: Any])?.keys.sorted() == ["mood"])
    #expect(file["analyzers"] as? [String: Int] == ["chromaprint": 2, "key": 1, "tempo": 1])
    let short = try #require(try object(Samples.full, beats: false)["tempo"] as? [String: Any])
    #expect(["beats_s", "downbeats_s", "onsets"].allSatisfy { short[$0] is NSNull })
  }

  @Test func lyricsAndChaptersOnlyWhereAskedFor() throws {
    let short = try #require(try object(Samples.full)["tags"] as? [String: Any])
    #expect(short["lyrics"] is NSNull && short["chapters"] is NSNull && short["has_lyrics"] as? Bool == true)
    let tags = try #require(try object(Samples.full, Samples.everything)["tags"] as? [String: Any])
    let lyrics = try #require(tags["lyrics"] as? [[String: Any]])
    #expect(lyrics.map { $0["language"] as? String } == ["deu", nil])
    #expect(lyrics.map { $0["text"] as? String } == ["[00:01]Ä\n\u{85}", "la"])
    let line = try #require((lyrics[0]["lines"] as? [[String: Any]])?.first)
    #expect(line["time_s"] as? Double == 1 && line["text"] as? String == "Ä")
    #expect(lyrics[1]["lines"] is NSNull)
    let chapters = try #require(tags["chapters"] as? [[String: Any]])
    #expect(chapters.map { $0["start_s"] as? Double } == [0, 62.5])
    #expect(chapters[0]["end_s"] as? Double == 62.5 && chapters[1]["end_s"] is NSNull && chapters[1]["title"] is NSNull)
    #expect(tags["rating"] as? Double == 3.5 && tags["conductor"] as? [String] == ["K"])
    #expect(tags["r128_track_gain"] as? Int == -512 && tags["performer"] is NSNull)
  }

  @Test func pathsOfAnyBytesAreToldWithoutLoss() throws {
    let file = try object(Samples.bare)
    #expect(file["path"] as? String == "/music/bad\n\\xE9\\xFF\\x5CxE9.mp3")
    #expect(file["uri"] as? String == "file:///music/bad%0A%E9%FF%5CxE9.mp3")
    #expect(DisplayPath.path(from: try #require(file["path"] as? String)) == Samples.bare.path)
    #expect(file["file_id"] as? String == "5FABOJiQ1kNCeueLMGx8a0" && file["analyzed_at"] is NSNull)
    #expect(file["tempo"] is NSNull && file["tags"] is NSNull && file["id"] is NSNull)
  }

  @Test func tracksAreAsLongAsTheyWereDecoded() throws {
    func length(_ status: FileRecord.Status, claimed: Int64?, decoded: Int64?) throws -> [NSObject?] {
      var record = Samples.full
      record.status = status
      record.format?.claimedFrameCount = claimed
      record.format?.frameCount = decoded
      let fingerprint = try #require(try object(record)["fingerprint"] as? [String: Any])
      return [fingerprint["track_duration_s"] as? NSObject, fingerprint["track_duration_claimed"] as? NSObject]
    }
    #expect(try length(.ok, claimed: 88_200, decoded: 44_100) == [1 as NSNumber, false as NSNumber])
    #expect(try length(.ok, claimed: 88_200, decoded: nil) == [2 as NSNumber, true as NSNumber])
    #expect(try length(.partial, claimed: 88_200, decoded: 44_100) == [2 as NSNumber, true as NSNumber])
    #expect(try length(.partial, claimed: nil, decoded: 44_100) == [1 as NSNumber, false as NSNumber])
    #expect(try length(.ok, claimed: nil, decoded: nil) == [NSNull(), NSNull()])
  }

  @Test func numbersWithoutMeaningAreNullOrZero() throws {
    let tempo = try #require(try object(Samples.noTempo)["tempo"] as? [String: Any])
    #expect(tempo["bpm"] is NSNull && tempo["candidates"] is NSNull)
    #expect(tempo["confidence"] as? Double == 0)
    #expect(tempo["reason"] as? String == "silence")
  }

  @Test func wholeReport() throws {
    let report = try #require(try JSONSerialization.jsonObject(with: Samples.report(.json)) as? [String: Any])
    #expect(report["schema"] as? String == "nocturne.report" && report["version"] as? Int == 1)
    #expect(report["generated_at"] as? String == "1970-01-01T00:00:00Z")
    let run = try #require(report["run"] as? [String: Any])
    #expect(
      run["totals"] as? [String: Int] == [
        "seen": 21, "analyzed": 1, "partial": 6, "cached": 2, "failed": 3, "skipped": 4, "vanished": 5,
      ])
    #expect(run["finished_at"] is NSNull)
    #expect((report["files"] as? [Any])?.count == Samples.all.count)
    // The same record has the same text in both formats.
    let lines = String(decoding: try Samples.report(.ndjson), as: UTF8.self).split(separator: "\n")
    let reportText = String(decoding: try Samples.report(.json), as: UTF8.self)
    #expect(lines.count == Samples.all.count)
    for line in lines { #expect(reportText.contains(line)) }
    let empty = try JSONSerialization.jsonObject(with: Samples.report(.json, [])) as? [String: Any]
    #expect((empty?["files"] as? [Any])?.isEmpty == true)
  }

  @Test func longReportsAreWrittenWhole() throws {
    let records = (0..<400).map { index in
      var record = Samples.full
      record.path = FilePath("/music/\(index).flac")
      record.fingerprint?.value = String(repeating: "A", count: 3000)
      return record
    }
    let report = try JSONSerialization.jsonObject(with: Samples.report(.json, records)) as? [String: Any]
    let paths = (report?["files"] as? [[String: Any]])?.map { $0["path"] as? String }
    #expect(paths == records.map { $0.path.string })
  }

  @Test func reportIsThereWholeOrNotAtAll() throws {
    let folder = NSTemporaryDirectory() + "/nocturne-report-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let path = FilePath(folder).appending("report.json")
    try Data("old".utf8).write(to: URL(fileURLWithPath: path.string))
    do {
      let writer = try ReportWriter(.json, to: .file(path), options: Samples.everything, run: nil)
      try writer.append(Samples.full)
      try writer.flush()
      #expect(try String(contentsOfFile: path.string, encoding: .utf8) == "old")
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["report.json"])
    let writer = try ReportWriter(.json, to: .file(path), options: Samples.everything, run: nil)
    try writer.finish()
    #expect(try String(contentsOfFile: path.string, encoding: .utf8) != "old")
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["report.json"])
    #expect(throws: ReportError.self) {
      try ReportWriter(.csv, to: .file("/nowhere/at/all.csv"), options: Samples.everything, run: nil)
    }
  }

  @Test func devicesAreWrittenAndNotReplaced() throws {
    let writer = try ReportWriter(.csv, to: .file("/dev/null"), options: Samples.everything, run: nil)
    try writer.append(Samples.full)
    try writer.finish()
    let attributes = try FileManager.default.attributesOfItem(atPath: "/dev/null")
    #expect(attributes[.type] as? FileAttributeType == .typeCharacterSpecial)
  }
}
