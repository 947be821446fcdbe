import AudioAnalysis
import Foundation
import Reporting
import SystemPackage
import Testing

@Suite struct CSVReportTests {
  /// Reads RFC 4180, strictly.
  static func parse(_ data: Data) throws -> [[String]] {
    struct Malformed: Error {}
    var rows: [[String]] = []
    var row: [String] = []
    var cell: [UInt8] = []
    let bytes = Array(data)
    var index = 0
    func end() -> Bool { index >= bytes.count }
    while !end() {
      cell = []
      if bytes[index] == UInt8(ascii: "\"") {
        index += 1
        while true {
          guard !end() else { throw Malformed() }
          if bytes[index] == UInt8(ascii: "\"") {
            index += 1
            guard !end(), bytes[index] == UInt8(ascii: "\"") else { break }
          }
          cell.append(bytes[index])
          index += 1
        }
      } else {
        while !end(), bytes[index] != UInt8(ascii: ","), bytes[index] != 0x0D {
          guard bytes[index] != UInt8(ascii: "\""), bytes[index] != 0x0A else { throw Malformed() }
          cell.append(bytes[index])
          index += 1
        }
      }
      row.append(try #require(String(validating: cell, as: UTF8.self)))
      guard !end() else { throw Malformed() }
      if bytes[index] == 0x0D {
        guard index + 1 < bytes.count, bytes[index + 1] == 0x0A else { throw Malformed() }
        index += 2
        rows.append(row)
        row = []
      } else if bytes[index] == UInt8(ascii: ",") {
        index += 1
      } else {
        throw Malformed()
      }
    }
    guard row.isEmpty else { throw Malformed() }
    return rows
  }

  static func table(
    _ records: [FileRecord], options: ReportOptions = Samples.everything
  ) throws -> [[String: String]] {
    let rows = try parse(Samples.report(.csv, records, options: options))
    let header = try #require(rows.first)
    return try rows.dropFirst().map { row in
      try #require(row.count == header.count)
      return Dictionary(uniqueKeysWithValues: zip(header, row))
    }
  }

  @Test func fullRecord() throws {
    let row = try #require(try Self.table([Samples.full]).first)
    #expect(row["path"] == Samples.full.path.string)
    #expect(row["format_sample_rate_hz"] == "44100" && row["format_lossless"] == "true")
    #expect(row["tags_artist"] == "Ä / B / C" && row["tags_genre"] == "Jazz")
    #expect(row["tags_comment"] == "two\nlines\u{0}\u{1F}")
    #expect(row["tags_album"] == "" && row["tags_tracktotal"] == "")
    #expect(row["tags_other"] == #"{"MOOD":["calm","late, \"blue\""]}"#)
    #expect(row["tempo_bpm"] == "126.0" && row["tempo_beats_s"] == "0.41 / 0.8862 / 0.0")
    #expect(row["tempo_map"] == #"[{"start_s":0.0,"bpm":126.0}]"#)
    #expect(row["error_code"] == "truncated")
    #expect(row["findings"] == #"{"mood":{"n":3,"tags":["<&>",null,true],"valence":0.25}}"#)
    #expect(row["analyzers"] == #"{"chromaprint":2,"key":1,"tempo":1}"#)
  }

  @Test func emptyCellsForWhatIsNotThere() throws {
    let row = try #require(try Self.table([Samples.bare]).first)
    #expect(row["tempo_bpm"] == "" && row["tags_has_lyrics"] == "" && row["id"] == "" && row["findings"] == "")
    #expect(row["status"] == "failed" && row["path"] == DisplayPath.text(of: Samples.bare.path))
  }

  /// Whatever a title is made of, a reader gets it back.
  @Test func anyTextComesBack() throws {
    let pieces = ["\"", ",", "\r", "\n", "\r\n", " ", ";", "'", "=", "a", "ü", "\t", "\u{0}", "🎵", "\"\""]
    var generator = SystemRandomNumberGenerator()
    var titles = pieces
    for _ in 0..<300 {
      titles.append(
        (0..<Int.random(in: 1...6, using: &generator)).map { _ in pieces.randomElement(using: &generator) ?? "" }
          .joined())
    }
    let records = titles.map { title in
      FileRecord(path: "/a", status: .ok, tags: TagFinding(fields: ["title": [title], "artist": [title, title]]))
    }
    let table = try Self.table(records)
    for (title, row) in zip(titles, table) {
      #expect(row["tags_title"]?.utf8.elementsEqual(title.utf8) == true)
      #expect(row["tags_artist"]?.utf8.elementsEqual("\(title) / \(title)".utf8) == true)
    }
  }

  @Test func formulasAreGuardedOnRequest() throws {
    let texts = ["=1+1", "+x", "-x", "@x", "\tx", "\rx"]
    let records = (texts + ["plain = text"]).map { text in
      FileRecord(path: "/a", status: .ok, tags: TagFinding(fields: ["title": [text], "artist": [text, "b"]]))
    }
    let guarded = try Self.table(records, options: ReportOptions(guardsFormulas: true))
    #expect(guarded.map { $0["tags_title"] } == texts.map { "'" + $0 } + ["plain = text"])
    #expect(guarded.map { $0["tags_artist"] } == texts.map { "'\($0) / b" } + ["plain = text / b"])
    #expect(try Self.table(records).map { $0["tags_title"] } == texts + ["plain = text"])
    let negative = FileRecord(
      path: "/a", status: .ok,
      tempo: TempoFinding(bpm: -3, confidence: 1, candidates: [], isStable: false, map: [], beats: []))
    #expect(try Self.table([negative], options: ReportOptions(guardsFormulas: true)).first?["tempo_bpm"] == "-3.0")
  }
}
