import AnalysisTesting
import Foundation
import SystemPackage
import Testing
import Text

/// Files dated before 1970 and after 2262, where nanoseconds since 1970 do not fit into 64 bits.
@Suite(.bounded) struct FileTimeTests {
  static let times = [
    "1901": -2_147_483_648, "1969": -1, "2262": 9_223_372_037, "2300": 10_413_792_000, "2446": 15_032_385_535,
  ]

  @Test func everyCommandTakesThem() throws {
    let place = try Workplace()
    for (year, seconds) in Self.times {
      let click = Signal.clickTrack(bpm: 120, amplitude: 0.5, sampleRate: 11_025, seconds: 8)
      try place.put(WAVFile(click).bytes, as: "\(year).wav", modified: seconds)
    }
    let names = Self.times.keys.sorted().map { "\($0).wav" }
    let pipeline = try place.makePipeline(script: "echo {}", analyzers: "  tags:\n  chromaprint:\n  tempo:\n")
    let first = try place.run(pipeline: pipeline)
    #expect(first.status == 0 && first.totals == ["seen": 5, "analyzed": 5], "\(first.errors)")
    #expect(first.file("1969.wav")["format"]["modified_at"] == "1969-12-31T23:59:59Z")
    #expect(first.file("2300.wav")["format"]["modified_at"].textValue.hasPrefix("2262-04-11T23:47:16"))
    #expect(try place.run(pipeline: pipeline).totals == ["seen": 5, "cached": 5])

    let database: [Argument] = ["--database", Argument(place.database)]
    func expectFine(_ arguments: [Argument], environment: [String: String] = [:]) throws {
      let outcome = try place.start(arguments, environment: environment, in: place.library).end()
      #expect(outcome.status == 0, "\(arguments.map { String(decoding: $0.bytes, as: UTF8.self) }): \(outcome.errors)")
    }
    try expectFine(
      ["fpcalc"] + names.map { "\($0)" }, environment: ["NOCTURNE_DATABASE": place.database.string])
    for format in ["csv", "ndjson"] { try expectFine(["report", "--report", "\(format)", "--output", "-"] + database) }
    try expectFine(["report", "--report", "html", "--output", Argument(place.reports)] + database)
    for format in ["m3u8", "parquet", "traktor", "rekordbox", "meilisearch"] {
      try expectFine(["export", "\(format)", "--output", Argument(place.folder.file(format))] + database)
    }
    let worker = try place.start(
      ["worker", "--pipeline", "tags-only"], in: place.library, input: Array(names.joined(separator: "\n").utf8)
    ).end()
    let answers = try worker.lines.map { try JSONValue(parsing: Array($0.utf8)) }
    #expect(worker.status == 0 && answers.map(\.["status"]) == Array(repeating: "ok", count: 5))
    for name in names {
      try expectFine(
        ["click", "\(name)", "--output", Argument(place.folder.file("\(name).clicks.wav"))] + database)
    }
    let tags = try place.start(
      ["write-tags", "acoustid_fingerprint", "--preserve-mtimes", "--all", "--yes"] + database
    ).end()
    #expect(tags.status == 0, "\(tags.errors)")
    // Writing tags has changed the sizes, but not the times.
    let last = try place.run(pipeline: pipeline)
    #expect(last.status == 0 && last.totals["seen"] == 5, "\(last.errors)")
  }
}
