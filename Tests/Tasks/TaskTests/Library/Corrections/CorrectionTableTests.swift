import Analysis
import AnalysisTesting
import BuiltInAnalyzers
import Foundation
import LibraryTesting
import Platform
import ResultStore
import SystemPackage
import Testing
import Text

@testable import LibraryTasks

/// Tables of corrections, and mistakes in them.
@Suite(.bounded) struct CorrectionTableTests {
  private static let audio = ContentID(hashing: [1])
  private static let now = Timestamp(nanoseconds: 1_800_000_000_000_000_000)
  private static let header = [
    "content_id", "bpm", "metre", "beats", "downbeats", "tempo_map", "stable", "corrected_at",
  ]

  /// Reads a row that has these cells.
  private static func read(_ cells: [String: String]) throws -> TempoCorrection {
    let cells = ["content_id": audio.description].merging(cells) { $1 }
    let layout = try CorrectionTable.Layout(header: header)
    let (id, correction) = try CorrectionTable.correction(header.map { cells[$0] ?? "" }, layout, now: now)
    #expect(id == audio)
    return correction
  }

  private static func complaint(_ cells: [String: String]) -> String? {
    do {
      _ = try read(cells)
      return nil
    } catch {
      return (error as? CorrectionTable.RowError)?.reason
    }
  }

  // MARK: Rows

  @Test func correctionsComeBack() throws {
    let section = TempoFinding.Section(startSeconds: 0, bpm: 126)
    let grids: [TempoCorrection.Grid] = [
      .init(isStable: true, map: [section], beats: []), .init(isStable: false, map: [section], beats: [0.5, 1, 1.5]),
      .init(
        isStable: true, map: [section, .init(startSeconds: 61.25, bpm: 128.125)], beats: [0.5, 1.25], metre: "6/8",
        downbeats: [0.5]),
    ]
    var corrections = grids.map { TempoCorrection(bpm: 126.5, grid: $0, corrected: Self.now) }
    corrections.append(TempoCorrection(bpm: nil, grid: nil, corrected: Self.now))
    corrections.append(TempoCorrection(bpm: 128, grid: nil, corrected: Self.now))
    let layout = try CorrectionTable.Layout(header: CSVReader.cells(Self.line(CorrectionTable.header())))
    for correction in corrections {
      let row = Self.line(CorrectionTable.row(.init(audio: Self.audio, correction: correction)))
      let (id, read) = try CorrectionTable.correction(CSVReader.cells(row), layout, now: .now)
      #expect(id == Self.audio && read == correction)
    }
  }

  /// The bytes without the line break at the end.
  private static func line(_ bytes: [UInt8]) -> [UInt8] {
    #expect(bytes.suffix(2) == [13, 10])
    return Array(bytes.dropLast(2))
  }

  private static func cells(_ change: (inout ResultStore.ListedTempoCorrection) -> Void) throws -> [String: String] {
    var listed = ResultStore.ListedTempoCorrection(
      audio: audio, correction: TempoCorrection(bpm: 128, grid: nil, corrected: now))
    change(&listed)
    let names = CSVReader.cells(line(CorrectionTable.header()))
    return Dictionary(uniqueKeysWithValues: zip(names, CSVReader.cells(line(CorrectionTable.row(listed)))))
  }

  @Test func cellsAsTheyAreWritten() throws {
    let plain = try Self.cells { ($0.path, $0.title, $0.artist) = ("/a", "=1+1", "A") }
    #expect(plain["bpm"] == "128" && plain["beats"] == "found" && plain["stable"] == "" && plain["tempo_map"] == "")
    #expect(plain["title"] == "'=1+1" && plain["artist"] == "A" && plain["path"] == "/a")
    #expect(try Self.cells { $0.correction.bpm = 127.25 }["bpm"] == "127.25")
    let none = try Self.cells { $0.correction.bpm = nil }
    #expect(none["bpm"] == "none" && none["beats"] == "none")
    let map = [TempoFinding.Section(startSeconds: 0, bpm: 126), .init(startSeconds: 61.5, bpm: 128.5)]
    let grid = try Self.cells {
      $0.correction.grid = .init(isStable: false, map: map, beats: [0.5, 1, 1.5], metre: "4/4", downbeats: [0.5])
    }
    #expect(grid["tempo_map"] == "0=126 61.5=128.5" && grid["beats"] == "0.5+0.5*3" && grid["stable"] == "false")
    #expect(grid["downbeats"] == "0.5" && grid["first_beat_s"] == "0.5" && grid["metre"] == "4/4")
    #expect(try Self.cells { $0.correction.grid = .init(isStable: true, map: [], beats: []) }["beats"] == "none")
  }

  @Test func headers() throws {
    func reason(_ header: [String]) -> String? {
      do {
        _ = try CorrectionTable.Layout(header: header)
        return nil
      } catch {
        return error.reason
      }
    }
    #expect(reason([" BPM ", "\tContent_ID", "x"]) == nil)
    #expect(reason(["bpm"]) == "its first line has no column content_id")
    #expect(reason(["content_id", "path"]) == "its first line has no column bpm")
    #expect(reason(["content_id;bpm"]) == "its columns are separated by semicolons; save it with commas")
    #expect(reason(["content_id;bpm", "x"]) == "its first line has no column content_id")
    // The first of two columns of one name counts.
    let layout = try CorrectionTable.Layout(header: ["bpm", "content_id", "bpm"])
    let row = ["120", Self.audio.description, "90"]
    #expect(try CorrectionTable.correction(row, layout, now: Self.now).1.bpm == 120)
    // Cells may be missing at the end, and have spaces around them.
    #expect(throws: CorrectionTable.RowError.self) { try CorrectionTable.correction(["120"], layout, now: Self.now) }
    let spaced = [" 120\t", " \(Self.audio) "]
    #expect(try CorrectionTable.correction(spaced, layout, now: Self.now).1.bpm == 120)
  }

  @Test func tempi() throws {
    for text in ["10", "1000", "126.5"] {
      let correction = try Self.read(["bpm": text])
      #expect(correction.bpm == Double(text) && correction.grid == nil && correction.corrected == Self.now)
    }
    for text in ["9.99", "1000.01", "x", "nan", "-120", "None"] {
      #expect(Self.complaint(["bpm": text]) == "bpm is not a number from 10 to 1000, or none: \(text)")
    }
    #expect(try Self.read(["bpm": "none", "beats": "1"]) == TempoCorrection(bpm: nil, grid: nil, corrected: Self.now))
    #expect(Self.complaint([:]) == "it has no bpm" && Self.complaint(["bpm": " "]) == "it has no bpm")
    #expect(Self.complaint(["bpm": "1", "content_id": ""]) == "it has no content_id")
    #expect(
      Self.complaint(["bpm": "1", "content_id": "short"]) == "the content_id is not 22 letters and digits: short")
    let dated = try Self.read(["bpm": "120", "corrected_at": "1970-01-01T00:00:05Z"])
    #expect(dated.corrected.seconds == 5)
    #expect(
      Self.complaint(["bpm": "120", "corrected_at": "5"])
        == "corrected_at is not a time such as 2026-11-21T04:15:04Z: 5")
  }

  @Test func longCellsAreShortened() {
    let text = String(repeating: "x", count: 40)
    #expect(Self.complaint(["bpm": text])?.hasSuffix(": \(text)") == true)
    #expect(Self.complaint(["bpm": text + "x"])?.hasSuffix(": \(text)…") == true)
  }

  @Test func grids() throws {
    #expect(try Self.read(["bpm": "120", "beats": "found", "metre": "4/4"]).grid == nil)
    let zero = TempoFinding.Section(startSeconds: 0, bpm: 120)
    #expect(
      try Self.read(["bpm": "120", "beats": "none"]).grid
        == TempoCorrection.Grid(isStable: true, map: [zero], beats: []))
    let whole = try Self.read([
      "bpm": "120", "beats": "0.5+0.5*4", "downbeats": "0.5", "metre": "4/4", "tempo_map": "0=120 60=122",
    ]).grid
    #expect(
      whole
        == TempoCorrection.Grid(
          isStable: false, map: [zero, .init(startSeconds: 60, bpm: 122)], beats: [0.5, 1, 1.5, 2], metre: "4/4",
          downbeats: [0.5]))
    for (text, isStable) in [("true", true), ("FALSE", false)] {
      #expect(try Self.read(["bpm": "120", "beats": "none", "stable": text]).grid?.isStable == isStable)
    }
    #expect(
      try Self.read(["bpm": "120", "beats": "1", "tempo_map": "0=1", "stable": "false"]).grid?.isStable == false)
    func complaint(_ name: String, _ text: String) -> String? {
      Self.complaint(["bpm": "120", "beats": "1"].merging([name: text]) { $1 })
    }
    #expect(complaint("stable", "yes") == "stable is not true or false: yes")
    #expect(complaint("metre", "4") == "metre is not a meter such as 4/4 or 6/8: 4")
    #expect(complaint("beats", "2 1") == "beats are not ascending times such as 0.41+0.4762*830: 2 1")
    #expect(complaint("downbeats", "x") == "downbeats are not ascending times such as 0.41+0.4762*830: x")
  }

  @Test func tempoMaps() throws {
    func map(_ text: String) throws -> [TempoFinding.Section]? {
      try Self.read(["bpm": "120", "beats": "none", "tempo_map": text]).grid?.map
    }
    #expect(try map("0=1") == [.init(startSeconds: 0, bpm: 1)])
    #expect(try map("0.5=126 61.5=128")?.map(\.bpm) == [126, 128])
    for text in [
      "0", "0=", "=120", "0==120", "0=120=1", "x=120", "0=x", "-1=120", "0=0", "0=-1", "0=inf", "inf=120",
      "1=120 1=121",
      "2=120 1=120",
    ] {
      let reason = Self.complaint(["bpm": "120", "beats": "none", "tempo_map": text])
      #expect(reason == "tempo_map is not of the form 0=126 61.5=128: \(text)", "\(text)")
    }
  }

  // MARK: Files

  private func store() throws -> (ResultStore, TemporaryDirectory) {
    let folder = try TemporaryDirectory()
    let store = try ResultStore(path: folder.file("library.sqlite"), findings: BuiltInAnalyzers.findings)
    return (store, folder)
  }

  private func read(
    _ text: String, into store: ResultStore, overwritesNewer: Bool? = nil, isDryRun: Bool? = nil,
    progress: (Double) -> Void = { _ in }
  ) throws -> CorrectionImport.Outcome {
    let folder = try TemporaryDirectory()
    let path = try folder.write(Array(text.utf8), as: "table.csv")
    let file = try FileDescriptor.open(path, .readOnly)
    defer { try? file.close() }
    var reading = CorrectionImport(into: store)
    if let overwritesNewer { reading.overwritesNewer = overwritesNewer }
    if let isDryRun { reading.isDryRun = isDryRun }
    return try reading.read(file, path: path, progress: progress)
  }

  private static let id = audio.description

  @Test func rowsAndLines() throws {
    let (store, folder) = try store()
    defer { withExtendedLifetime(folder) {} }
    let text =
      "\r\n  \ncontent_id,bpm,path\n\n\(Self.id),9\n \r\n\(Self.id),\"120\",\"a\nb\"\n\(Self.id),8,\"a\nb\nc\"\n7\n"
    var steps: [Double] = []
    let outcome = try read(text, into: store) { steps.append($0) }
    #expect(outcome.corrections.newCount == 1 && outcome.unreadableCount == 3)
    #expect(outcome.unreadable.map(\.line) == [5, 9, 12])
    #expect(steps.last == 1 && steps == steps.sorted() && steps.count == 4 && steps[0] < 0.5)
    let again = try read("content_id,bpm\n\(Self.id),120", into: store)
    #expect(again.corrections.sameCount == 1 && again.unreadableCount == 0 && again.unreadable.isEmpty)
  }

  @Test func quotationMarksThatAreNeverClosed() throws {
    let (store, folder) = try store()
    defer { withExtendedLifetime(folder) {} }
    for (count, isWhole) in [(100, true), (101, false)] {
      let lines = String(repeating: "x\n", count: count - 1)
      let text = "content_id,bpm,path\n\(Self.id),120,\"\n\(lines)\"\n\(Self.id),121\n"
      let outcome = try read(text, into: store, isDryRun: true)
      #expect(outcome.corrections.newCount == (isWhole ? 2 : 1))
      #expect(outcome.unreadableCount == (isWhole ? 0 : count + 1))
      guard !isWhole else { continue }
      #expect(outcome.unreadable.first?.reason == "a quotation mark in it is never closed")
      #expect(outcome.unreadable.map(\.line).prefix(3) == [2, 3, 4])
    }
  }

  @Test func manyUnreadableLines() throws {
    let (store, folder) = try store()
    defer { withExtendedLifetime(folder) {} }
    let text = "content_id,bpm\n" + String(repeating: "x,120\n", count: 1_001) + "\(Self.id),120\n"
    let outcome = try read(text, into: store)
    #expect(outcome.unreadableCount == 1_001 && outcome.unreadable.count == 1_000)
    #expect(outcome.unreadable.last?.line == 1_001 && outcome.corrections.newCount == 1)
    let long = "content_id,bpm,path\n\(Self.id),120," + String(repeating: "x", count: 8 << 20) + "\n\(Self.id),90\n"
    let other = try read(long, into: store, isDryRun: true)
    #expect(other.unreadable.map(\.reason) == ["it is longer than 8 MB"] && other.unreadable[0].line == 2)
    #expect(other.corrections.olderCount + other.corrections.replacedCount == 1)
  }

  @Test func newerCorrectionsCount() throws {
    let (store, folder) = try store()
    defer { withExtendedLifetime(folder) {} }
    func table(_ bpm: Int, _ second: Int) -> String {
      "content_id,bpm,corrected_at\n\(Self.id),\(bpm),2026-01-01T00:00:0\(second)Z\n"
    }
    #expect(try read(table(120, 5), into: store, isDryRun: true).corrections.newCount == 1)
    #expect(try read(table(120, 5), into: store).corrections.newCount == 1)
    #expect(try read(table(90, 4), into: store).corrections.olderCount == 1)
    #expect(try read(table(90, 4), into: store, overwritesNewer: true).corrections.replacedCount == 1)
    #expect(try read(table(90, 4), into: store).corrections.sameCount == 1)
    #expect(try read(table(95, 6), into: store).corrections.replacedCount == 1)
  }

  @Test func nothingIsSetDuringARun() throws {
    let (store, folder) = try store()
    defer { withExtendedLifetime(folder) {} }
    let text = "content_id,bpm\n\(Self.id),120\n"
    let lock = try RunLock.acquire(forDatabase: store.path)
    #expect(throws: StoreError.self) { try read(text, into: store) }
    #expect(try read(text, into: store, isDryRun: true).corrections.newCount == 1)
    lock.release()
    for _ in 0..<2 { _ = try read(text, into: store) }
    try RunLock.acquire(forDatabase: store.path).release()
  }

  @Test func filesThatAreNoTables() throws {
    let (store, folder) = try store()
    defer { withExtendedLifetime(folder) {} }
    for (text, reason) in [("", "it is empty"), ("\n\n", "it is empty"), ("a,b\n", "its first line has no column")] {
      #expect { try read(text, into: store) } throws: { error in
        "\(error)".contains("is not a table of corrections: \(reason)") && "\(error)".contains("Nothing was set.")
      }
    }
    let directory = try FileDescriptor.open(folder.path, .readOnly)
    defer { try? directory.close() }
    #expect { try CorrectionImport(into: store).read(directory, path: "/a") } throws: {
      "\($0)".hasPrefix("/a cannot be read: ")
    }
  }

  @Test func exportsAndImports() throws {
    let (store, folder) = try store()
    defer { withExtendedLifetime(folder) {} }
    let ids = (1...3).map { ContentID(hashing: [UInt8($0)]) }
    for (number, id) in ids.enumerated() {
      let correction = TempoCorrection(bpm: Double(100 + number), grid: nil, corrected: Self.now)
      try store.correctTempo([id: correction])
    }
    let path = folder.file("table.csv")
    #expect(try CorrectionExport(store).write(to: path) == 3)
    let text = try String(contentsOfFile: path.string, encoding: .utf8)
    #expect(text.hasPrefix("content_id,path,artist,title,bpm,") && text.split(separator: "\r\n").count == 4)
    let (other, otherFolder) = try self.store()
    defer { withExtendedLifetime(otherFolder) {} }
    let outcome = try read(text, into: other)
    #expect(outcome.corrections.newCount == 3 && outcome.corrections.waitingCount == 3)
    #expect(try read(text, into: store).corrections.sameCount == 3)
    #expect { try CorrectionExport(store).write(to: folder.file("none/table.csv")) } throws: {
      "\($0)".hasPrefix("The corrections cannot be written to \(folder.file("none/table.csv")): ")
    }
  }
}
