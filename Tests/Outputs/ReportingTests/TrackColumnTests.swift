import Analysis
import AnalysisTesting
import Foundation
import Platform
import Records
import SystemPackage
import Testing

@testable import Reporting

/// The columns of a page's table, before they are on the page.
@Suite(.bounded) struct TrackColumnTests {
  private static func record(_ path: FilePath = "/music/a.flac", change: (inout FileRecord) -> Void = { _ in })
    -> FileRecord
  {
    var record = FileRecord(path: path, status: .ok)
    change(&record)
    return record
  }

  private func columns(_ records: [FileRecord], isNew: Bool = false, day: Int? = nil) -> TrackColumns {
    var columns = TrackColumns(soundWidth: 0)
    for record in records {
      columns.append(record, status: .healthy, problem: nil, isNew: isNew, added: day, sound: nil)
    }
    return columns
  }

  private func written(_ columns: TrackColumns) throws -> [String: Any] {
    var bytes: [UInt8] = []
    try columns.write { bytes += $0 }
    return try #require(try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any])
  }

  /// Raw values of a column; `nil` for no value. Empty if the column is missing.
  private func raw(_ name: String, in page: [String: Any]) throws -> [Int?] {
    let lists = try #require(page["columns"] as? [String: Any])
    guard let column = lists[name] as? [String: Any] else { return [] }
    let width = try #require(column["bytes"] as? Int)
    let data = try #require((column["data"] as? String).flatMap { Data(base64Encoded: $0) })
    return stride(from: 0, to: data.count, by: width).map { start in
      let value = (0..<width).reduce(0) { $0 | Int(data[start + $1]) << (8 * $1) }
      return value == 1 << (8 * width) - 1 ? nil : value
    }
  }

  // MARK: - Flags

  private static func format(isLossless: Bool, estimated: Int64? = nil) -> AudioFormat {
    AudioFormat(
      container: "x", codec: "x", sampleRate: 1_000, channelCount: 2, isLossless: isLossless,
      estimatedFrameCount: estimated, frameCount: estimated == nil ? 1_000 : nil)
  }

  private static func tempo(_ bpm: Double?, isStable: Bool = true, confidence: Double = 1) -> TempoFinding {
    TempoFinding(bpm: bpm, confidence: confidence, candidates: [], isStable: isStable, map: [], beats: [])
  }

  /// The page's script tests these bits.
  @Test func eachFactIsABit() {
    func flags(isNew: Bool = false, _ change: (inout FileRecord) -> Void = { _ in }) -> Int? {
      let columns = columns([Self.record(change: change)], isNew: isNew)
      #expect(columns.isNew(0) == isNew)
      return columns.flags[0]
    }
    #expect(flags() == 0 && flags(isNew: true) == 1)
    #expect(flags { $0.tempoCorrection = TempoCorrection(bpm: nil, grid: nil, corrected: .now, found: nil) } == 2)
    #expect(flags { $0.tempo = Self.tempo(120) } == 4 && flags { $0.tempo = Self.tempo(120, isStable: false) } == 8)
    #expect(flags { $0.tempo = Self.tempo(nil) } == 0)
    #expect(flags { $0.format = Self.format(isLossless: true) } == 16)
    #expect(flags { $0.format = Self.format(isLossless: false) } == 32)
    #expect(flags { $0.format = Self.format(isLossless: false, estimated: 9) } == 32 + 64)
    #expect(flags { $0.remarks = [Problem(stage: .decode, code: "x", message: "X.")] } == 128)
    #expect(
      flags {
        $0.tags = TagFinding()
        $0.tags?.remarks = ["X."]
      } == 128)
    #expect(flags { $0.tags = TagFinding() } == 0)
    #expect(
      flags(isNew: true) {
        $0.tempoCorrection = TempoCorrection(bpm: nil, grid: nil, corrected: .now, found: nil)
        $0.tempo = Self.tempo(120)
        $0.format = Self.format(isLossless: true)
      } == 1 + 2 + 4 + 16)
  }

  @Test func propertiesOfRows() {
    let records = [nil, 0.25, 0.49, 0.5, 1].map { confidence in
      Self.record { record in record.tempo = confidence.map { Self.tempo(120, confidence: $0) } }
    }
    var columns = columns(records)
    #expect(records.indices.map { columns.isUnsure($0) } == [false, true, true, false, false])
    #expect(records.indices.allSatisfy { !columns.isNew($0) && !columns.isCorrected($0) })
    let corrected = Self.record { record in
      record.tempoCorrection = TempoCorrection(bpm: nil, grid: nil, corrected: .now, found: nil)
    }
    columns.append(corrected, status: .damaged, problem: "truncated", isNew: true, added: nil, sound: nil)
    #expect(columns.isNew(5) && columns.isCorrected(5) && columns.status(5) == .damaged)
    #expect(columns.status(0) == .healthy && columns.count == 6)
  }

  // MARK: - Values

  /// Tempi that are not positive are no tempi. Another candidate is one that differs by more than 1 BPM.
  @Test func tempi() throws {
    let values: [Double?] = [nil, -1, 0, .infinity, 0.5, 120]
    let page = try written(columns(values.map { bpm in Self.record { $0.tempo = Self.tempo(bpm) } }))
    #expect(try raw("bpm", in: page) == [nil, nil, nil, nil, 5, 1_200])
    #expect(try raw("confidence", in: page) == [nil, nil, nil, nil, 200, 200])
    let others = [119, 121, 118.5, 121.5].map { other in
      Self.record { record in
        record.tempo = Self.tempo(120)
        record.tempo?.candidates = [.init(bpm: 120, weight: 0.75), .init(bpm: other, weight: 0.25)]
      }
    }
    let found = try written(columns(others))
    #expect(try raw("alternative", in: found) == [nil, nil, 1_185, 1_215])
    #expect(try raw("alternative_share", in: found) == [nil, nil, 50, 50])
  }

  /// Codes of problems are counted from zero in the order in which they appear; a code is one of a failure if any file
  /// with it has failed.
  @Test func problems() throws {
    var columns = TrackColumns(soundWidth: 0)
    let rows: [(String?, TrackColumns.Status)] = [
      ("b", .damaged), (nil, .healthy), ("a", .failed), ("b", .failed), ("a", .damaged), ("c", .notAnalyzed),
    ]
    for (code, status) in rows {
      columns.append(Self.record(), status: status, problem: code, isNew: false, added: nil, sound: nil)
    }
    #expect(columns.problems.map(\.code) == ["b", "a", "c"])
    #expect(columns.problems.map(\.isFailure) == [true, true, false])
    #expect(try raw("problem", in: written(columns)) == [0, nil, 1, 0, 1, 2])
    #expect(try raw("status", in: written(columns)) == [1, 0, 2, 2, 1, 3])
  }

  @Test func sizesAndDays() throws {
    let day: Int64 = 86_400_000_000_000
    let records = [(Int64(0), Int64(-1)), (1, 0), (1_000, day - 1), (1_001, day), (2_000, 2 * day)].map { size, time in
      Self.record { record in
        record.sizeBytes = size
        record.modified = Timestamp(nanoseconds: time)
      }
    }
    let page = try written(columns(records, day: 7))
    #expect(try raw("size", in: page) == [0, 1, 1, 2, 2] && raw("modified", in: page) == [0, 0, 0, 1, 2])
    #expect(try raw("added", in: page) == [7, 7, 7, 7, 7])
    #expect(page["rows"] as? Int == 5)
  }

  /// Titles of up to 300 characters are kept.
  @Test(arguments: [299, 300, 301]) func longTitles(length: Int) throws {
    let title = String(repeating: "ä", count: length)
    let page = try written(columns([Self.record { $0.tags = TagFinding(fields: ["title": [title]]) }]))
    let titles = try #require((page["columns"] as? [String: Any])?["title"] as? [String])
    #expect(titles.map(\.count) == [min(length, 300)])
  }

  // MARK: - Paths

  @Test(
    arguments: [
      (["/a.flac"], "/"), (["/music/a.flac"], "/music/"), (["/music/x/a", "/music/x/b"], "/music/x/"),
      (["/music/x/a", "/music/y/b"], "/music/"), (["/music/x/y/a", "/music/x/b"], "/music/x/"),
      (["/music/x/b", "/music/x/y/a"], "/music/x/"), (["/music/ab/a", "/music/abc/a"], "/music/"),
      (["/music/a", "/other/b"], "/"), (["/a", "/music/b"], "/"), ([], "/"),
    ] as [([String], String)])
  func rootIsTheDeepestCommonFolder(paths: [String], root: String) {
    let columns = columns(paths.map { Self.record(FilePath($0)) })
    #expect(columns.root == root && paths.indices.map { columns.path($0).string } == paths)
  }

  /// A file name that contains the title is written without it; titles of one byte are not worth it.
  @Test(arguments: [
    ("01 - Song.flac", "Song", "01 - /.flac"), ("Song", "Song", "/"), ("Song Song", "Song", "/ Song"),
    ("SSong", "Song", "S/"), ("Son", "Song", "Son"), ("Song", "ng", "So/"), ("x.flac", "x", "x.flac"),
    ("ab.flac", "ab", "/.flac"), ("other.flac", "Song", "other.flac"), ("SoSong", "Song", "So/"),
  ])
  func titlesInFileNames(file: String, title: String, written expected: String) throws {
    let record = Self.record(FilePath("/music/\(file)")) { $0.tags = TagFinding(fields: ["title": [title]]) }
    let page = try written(columns([record]))
    #expect((page["columns"] as? [String: Any])?["file"] as? [String] == [expected])
  }

  /// Tracks without a title are sorted by their file names without extension.
  @Test func ranksOfTitles() throws {
    let records = [("c.flac", "b"), ("b.flac", nil), ("a.b.flac", nil), (".hidden", nil), ("x", nil), ("y.flac", "z")]
      .map { file, title in
        Self.record(FilePath("/music/\(file)")) { record in
          if let title { record.tags = TagFinding(fields: ["title": [title]]) }
        }
      }
    #expect(try raw("title_rank", in: written(columns(records))) == [2, 2, 1, 0, 3, 4])
  }
}
