import Analysis
import AnalysisTesting
import Foundation
import Platform
import Records
import Reporting
import SystemPackage
import Testing
import Text

@Suite(.bounded) struct CSVReportTests {
  /// Strict RFC 4180 parser.
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
    #expect(row["tags_comment"] == #"two\x0Alines\x00\x1F"#)
    #expect(row["file_id"]?.count == 22 && row["fingerprint_track_duration_s"] == "391.72")
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
    #expect(row["status"] == "failed" && row["path"] == #"/music/bad\x0A\xE9\xFF\x5CxE9.mp3"#)
    #expect(DisplayPath.path(from: row["path"] ?? "") == Samples.bare.path)
  }

  private static func bytes(ofCell cell: String) -> [UInt8] {
    var bytes: [UInt8] = []
    var rest = Array(cell.utf8)[...]
    while let byte = rest.popFirst() {
      let digits = String(decoding: rest.dropFirst().prefix(2), as: UTF8.self)
      if byte == UInt8(ascii: "\\"), rest.first == UInt8(ascii: "x"), digits.wholeMatch(of: /[0-9A-F]{2}/) != nil,
        let escaped = UInt8(digits, radix: 16)
      {
        bytes.append(escaped)
        rest = rest.dropFirst(3)
      } else {
        bytes.append(byte)
      }
    }
    return bytes
  }

  /// Titles of any characters survive a round trip, and a row is one line for every program.
  @Test func anyTextComesBack() throws {
    let pieces = [
      "\"", ",", "\r", "\n", "\r\n", " ", ";", "'", "=", "a", "ü", "\t", "\u{0}", "🎵", "\"\"", "\u{B}", "\u{C}",
      "\u{1C}", "\u{7F}", "\u{85}", "\u{9B}", "\u{A0}", "\u{2028}", "\u{2029}", "’", "\\", #"\x0A"#, "x", "5C",
    ]
    var generator = SplitMix64.fresh()
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
      // Each \xHH stands for a byte, as in paths.
      func text(_ column: String) -> [UInt8] { Self.bytes(ofCell: FormulaGuard.removed(from: row[column] ?? "")) }
      #expect(text("tags_title").elementsEqual(title.utf8), "\(title.debugDescription)")
      #expect(text("tags_artist").elementsEqual("\(title) / \(title)".utf8))
    }
    let report = String(decoding: try Samples.report(.csv, records), as: UTF8.self)
    let lineEnds: Set<Unicode.Scalar> = [
      "\n", "\r", "\u{B}", "\u{C}", "\u{1C}", "\u{1D}", "\u{1E}", "\u{85}", "\u{2028}", "\u{2029}",
    ]
    #expect(report.unicodeScalars.count { lineEnds.contains($0) } == 2 * (records.count + 1))
  }

  @Test func formulasAreGuarded() throws {
    let texts = ["=1+1", "+x", "-x", "@x", "\tx", "-1e", "-7.20 dB", "+0x1p3", "-inf"]
    let records = (texts + ["plain = text"]).map { text in
      FileRecord(path: "/a", status: .ok, tags: TagFinding(fields: ["title": [text], "artist": [text, "b"]]))
    }
    let options = ReportOptions(findings: Samples.findings)
    let guarded = try Self.table(records, options: options)
    #expect(guarded.map { $0["tags_title"] } == texts.map { "'" + $0 } + ["plain = text"])
    #expect(guarded.map { $0["tags_artist"] } == texts.map { "'\($0) / b" } + ["plain = text / b"])
    let plain = ReportOptions(findings: Samples.findings, guardsFormulas: false)
    #expect(try Self.table(records, options: plain).map { $0["tags_title"] } == texts + ["plain = text"])
    let others = ["-12", "+3", "-7.20", "+.5e-3", "'=1"].map { text in
      FileRecord(path: "/a", status: .ok, tags: TagFinding(fields: ["title": [text]]))
    }
    let unguarded = try Self.table(others, options: options).map { $0["tags_title"] }
    #expect(unguarded == ["-12", "+3", "-7.20", "+.5e-3", "''=1"])
    let carriage = FileRecord(path: "/a", status: .ok, tags: TagFinding(fields: ["title": ["\rx"]]))
    let cell = try Self.table([carriage], options: options).first?["tags_title"]
    #expect(cell == #"'\x0Dx"#)
    var negative = FileRecord(path: "/a", status: .ok)
    negative.tempo = TempoFinding(bpm: -3, confidence: 1, candidates: [], isStable: false, map: [], beats: [])
    #expect(try Self.table([negative], options: options).first?["tempo_bpm"] == "-3.0")
  }
}
