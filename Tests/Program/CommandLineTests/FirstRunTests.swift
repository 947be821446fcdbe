import AnalysisTesting
import Foundation
import Platform
import SystemPackage
import Testing
import Text

@Suite(.bounded) struct FirstRunTests {
  private static let schemas = Repository.url("reports/schema")

  private static func schema(_ name: String) throws -> String {
    try String(contentsOf: schemas.appendingPathComponent(name), encoding: .utf8)
  }

  @Test func leavesDatabaseAndReportsThatFollowTheirSchemas() throws {
    let place = try Workplace()
    try place.put(Audio.wav(1, title: "Nocturne in E♭"), as: "b/one.wav")
    try place.put(Audio.wav(2), as: "a.wav")
    try place.put(Audio.wav(3), as: "b/two.WAV")
    try place.put([1, 2, 3], as: "b/cover.jpg")

    let outcome = try place.run("--report", "ndjson", "--report", "csv")
    #expect(outcome.status == 0)
    #expect(outcome.output.isEmpty)
    #expect(outcome.summary == ["seen": 4, "analyzed": 3, "skipped": 1])
    #expect(outcome.totals == outcome.summary)
    #expect(FileManager.default.fileExists(atPath: place.database.string))

    let report = try Data(contentsOf: URL(filePath: place.report.string))
    let reportSchema = try SchemaValidator(Self.schema("nocturne.report.v1.schema.json"))
    #expect(try reportSchema.complaints(about: JSONSerialization.jsonObject(with: report)) == [])
    #expect(outcome.report["run"]["exit_status"] == 0)
    #expect(outcome.report["run"]["state"] == "finished")
    #expect(outcome.names == ["a.wav", "cover.jpg", "one.wav", "two.WAV"])
    #expect(outcome.file("one.wav")["tags"]["title"] == "Nocturne in E♭")
    #expect(outcome.file("one.wav")["status"] == "ok")
    #expect(outcome.file("one.wav")["format"]["duration_s"] == 4.0)
    #expect(outcome.file("cover.jpg")["error"]["code"] == "not_audio")
    let fingerprints = Set(outcome.files.map { $0["fingerprint"]["value"].textValue }.filter { !$0.isEmpty })
    #expect(fingerprints.count == 3)

    // NDJSON is the files of the JSON report, line by line.
    let lines = try String(contentsOfFile: place.reports.appending("report.ndjson").string, encoding: .utf8)
      .split(separator: "\n")
    let fileSchema = try SchemaValidator(Self.schema("nocturne.file.v1.schema.json"))
    for line in lines {
      #expect(try fileSchema.complaints(about: JSONSerialization.jsonObject(with: Data(line.utf8))) == [])
    }
    #expect(try lines.map { try JSONValue(parsing: Array($0.utf8)) } == outcome.report["files"].elements)
    // Every file has a key of its own, and was analyzed unless it was skipped.
    #expect(Set(outcome.files.map(\.["file_id"].textValue)).count == 4)
    let analyzed = outcome.report["files"].elements.filter { $0["analyzed_at"] != .null }
    #expect(analyzed.map(\.["status"]) == ["ok", "ok", "ok"])

    let table = try JSONValue(parsing: Array(Self.schema("nocturne.csv.v1.table.json").utf8))
    let csv = try String(contentsOfFile: place.reports.appending("report.csv").string, encoding: .utf8)
    let rows = csv.components(separatedBy: "\r\n").filter { !$0.isEmpty }.map {
      $0.split(separator: ",", omittingEmptySubsequences: false)
    }
    #expect(rows.count == 5)
    #expect(rows.first?.map(String.init) == table["fields"].elements.map(\.["name"].textValue))
    #expect(rows.dropFirst().map { $0.dropFirst(4).first.map(String.init) } == outcome.files.map(\.["path"].textValue))
  }

  @Test func withoutATerminalItIsSilent() throws {
    let place = try Workplace()
    try place.put(Audio.wav(1), as: "a.wav")
    for _ in 0..<2 {
      let outcome = try place.start([Argument(place.library)] + place.runArguments() + ["--report", "json"]).end()
      #expect(outcome.status == 0)
      #expect(outcome.text == "")
      #expect(outcome.errors == "")
    }
  }

  @Test func withoutOptionsItKeepsEverythingInTheHomeFolder() throws {
    let place = try Workplace()
    try place.put(Audio.wav(1), as: "a.wav")
    let outcome = try place.analyze(Argument(place.library), "--pipeline", "tags-only", "--report", "ndjson")
    #expect(outcome.status == 0)
    let data = place.home.appending(".local/share/nocturne")
    #expect(FileManager.default.fileExists(atPath: data.appending("library.sqlite").string))
    #expect(FileManager.default.fileExists(atPath: data.appending("reports/report.ndjson").string))
  }

  @Test func findsTempoAndBeatsByDefault() throws {
    let place = try Workplace()
    let clicks = Signal.clickTrack(bpm: 120, start: 0.25, sampleRate: 22_050, seconds: 10)
    try place.put(WAVFile(clicks).bytes, as: "clicks.wav")
    let outcome = try place.run("--include", "beats", pipeline: "default")
    #expect(outcome.status == 0)
    let tempo = outcome.file("clicks.wav")["tempo"]
    guard case .number(let bpm) = tempo["bpm"] else {
      Issue.record("no tempo but \(tempo)")
      return
    }
    #expect(abs(bpm - 120) < 0.1, "\(bpm)")
    #expect(abs(Double(tempo["beats_s"].elements.count) - 10 * bpm / 60) < 3)
    #expect(try place.run(pipeline: "default").file("clicks.wav")["tempo"]["beats_s"] == .null)
  }

  /// The name of the current folder may not be UTF-8.
  @Test func theCurrentFolderMayHaveAnyName() throws {
    let place = try Workplace()
    let odd = place.library.pushing(FilePath(bytes: [0xE9, 0xFF]))
    try odd.makeFolder()
    try place.write(Audio.wav(1), to: odd.appending("a.wav"))
    let database: [Argument] = ["--database", Argument(place.database)]
    let run = try place.start([".", "--pipeline", "tags-only", "--output", "-", "--report", "csv"] + database, in: odd)
    #expect(run.end().status == 0)
    #expect(try place.start(["show", "a.wav"] + database, in: odd).end().status == 0)
  }

  /// Formats that need FFmpeg to be made; all others of the decoder are tested with it.
  @Test func takesManyFormats() throws {
    let place = try Workplace()
    try place.put(Audio.wav(1), as: "a.wav")
    let codecs = ["mp3": "mp3", "flac": "flac", "ogg": "vorbis", "opus": "opus", "m4a": "aac"]
    for name in codecs.keys {
      try ExternalProgram.ffmpeg.run([
        "-i", place.library.appending("a.wav").string, "-metadata", "title=In \(name)",
        place.library.appending("a.\(name)").string,
      ])
    }
    let outcome = try place.run()
    #expect(outcome.status == 0)
    #expect(outcome.totals == ["seen": 6, "analyzed": 6])
    for (name, codec) in codecs {
      let file = outcome.file("a.\(name)")
      #expect(file["status"] == "ok", "\(name)")
      #expect(file["format"]["codec"].textValue == codec)
      #expect(file["tags"]["title"].textValue == "In \(name)")
      #expect(file["fingerprint"]["value"] != .null, "\(name)")
    }
  }

  /// The definitions of pipelines are in the executable: it needs nothing of the folder it was built in.
  @Test func runsFromAnyPlace() throws {
    let place = try Workplace()
    try place.put(Audio.wav(1), as: "a.wav")
    let copy = place.folder.file("elsewhere/analyze-copy")
    try place.makeFolder(copy.removingLastComponent())
    try RunningProgram.copyExecutable(to: copy)
    let outcome = try RunningProgram(
      ["library/a.wav"] + place.runArguments(pipeline: "tags-only") + ["--output", "-", "--report", "ndjson"], of: copy,
      environment: place.environment, workingFolder: place.folder.path
    ).end()
    #expect(outcome.status == 0)
    #expect(outcome.errors == "")
    #expect(try JSONValue(parsing: outcome.output)["path"].textValue == place.library.appending("a.wav").string)
  }
}
