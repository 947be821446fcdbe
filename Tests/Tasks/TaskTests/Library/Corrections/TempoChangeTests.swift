import Analysis
import AnalysisEngine
import AnalysisTesting
import BuiltInAnalyzers
import Filters
import Foundation
import Library
import LibraryStore
import LibraryTesting
import Pipeline
import Platform
import Records
import ResultStore
import SystemPackage
import Testing

@testable import LibraryTasks

/// Changes of tempi, of single files and of many.
@Suite(.bounded) struct TempoChangeTests {
  private let folder: TemporaryDirectory
  private let store: ResultStore

  init() throws {
    folder = try TemporaryDirectory()
    store = try ResultStore(path: folder.file("library.sqlite"), findings: BuiltInAnalyzers.findings)
  }

  /// A file of 200 s; with two beats at least, the beats are even.
  private static func file(_ name: String, bpm: Double?, beats: Int = 100, metre: String? = nil) -> LibraryFile {
    let times = (0..<beats).map { 0.5 + Double($0) * 60 / (bpm ?? 60) }
    let tempo = TempoFinding(
      bpm: bpm, confidence: 0.5, candidates: [], isStable: true,
      map: bpm.map { [.init(startSeconds: 0, bpm: $0)] } ?? [],
      beats: times, metre: metre, downbeats: metre.map { _ in stride(from: 0, to: beats, by: 4).map { times[$0] } })
    return LibraryFile(path: FilePath("/music/\(name).flac"), tags: ["genre": ["Jazz"]], findings: [("tempo", tempo)])
  }

  private func change(_ request: TempoChange.Request) -> TempoChange {
    TempoChange(request, in: store, fitting: BeatFitting(by: SingleFileAnalysis(timeLimit: .standard)))
  }

  private func made(_ request: TempoChange.Request, _ file: LibraryFile) throws -> TempoChange.Change {
    try #require(try change(request).perform(on: [file.path]).first)
  }

  private func record(_ file: LibraryFile) throws -> FileRecord {
    try #require(try store.record(at: file.path, long: ["beats"]))
  }

  private func kind(_ request: TempoChange.Request, _ file: LibraryFile) -> String? {
    do {
      _ = try made(request, file)
      return nil
    } catch {
      return (error as? TempoChangeError)?.kind.code
    }
  }

  // MARK: One file

  @Test func tempiAtTheLimits() throws {
    let file = Self.file("a", bpm: 100)
    try LibraryFiles([file]).merge(into: store)
    #expect(try made(.set(.times(BeatRatio(1, 10)), nil), file).after == 10)
    #expect(try made(.unset, file).after == 100)
    #expect(kind(.set(.times(BeatRatio(1, 11)), nil), file) == "out_of_range")
    #expect(try made(.set(.times(BeatRatio(10)), nil), file).after == 1000)
    #expect(kind(.set(.times(BeatRatio(2)), nil), file) == "out_of_range")
    #expect(TempoChange.tempi == 10...1000)
  }

  @Test func confirmedTempiAreLocked() throws {
    let file = Self.file("a", bpm: 100, metre: "4/4")
    try LibraryFiles([file]).merge(into: store)
    let change = try made(.set(nil, nil), file)
    #expect(change.isLocked && change.before == 100 && change.after == 100 && change.note == "100 beats")
    #expect(change.copies == 0 && change.text == "/music/a.flac: 100.00 BPM → 100.00 BPM, locked; 100 beats")
    let record = try record(file)
    #expect(record.tempo?.beats.count == 100 && record.tempo?.metre == "4/4")
    #expect(record.tempoCorrection?.bpm == 100)
    let none = try made(.noTempo, file)
    #expect(none.isLocked && none.after == nil && none.note == "no steady beat")
    #expect(none.text.hasSuffix("100.00 BPM → no tempo, locked; no steady beat"))
    let back = try made(.unset, file)
    #expect(!back.isLocked && back.after == 100 && back.before == nil && back.note == "")
    #expect(back.text == "/music/a.flac: no tempo → 100.00 BPM, as found")
    #expect(try self.record(file).tempoCorrection == nil)
  }

  @Test func previewsChangeNothing() throws {
    let files = [Self.file("a", bpm: 100), Self.file("b", bpm: 90)]
    try LibraryFiles(files).merge(into: store)
    let double = change(.set(.times(BeatRatio(2)), nil))
    #expect(try double.perform(on: files.map(\.path), isDryRun: true).map(\.after) == [200, 180])
    #expect(try files.allSatisfy { try record($0).tempoCorrection == nil })
    // An unknown file stops the change of all.
    #expect(throws: UnknownFile.self) { try double.perform(on: [files[0].path, "/music/none.flac"]) }
    #expect(try record(files[0]).tempoCorrection == nil)
    #expect(try double.perform(on: files.map(\.path)).count == 2)
    #expect(try files.map { try record($0).tempo?.bpm } == [200, 180])
    let preview = TempoChange(.set(.beatsPerMinute(71), nil), in: store, fitting: nil)
    #expect(try preview.perform(on: [files[0].path], isDryRun: true)[0].note == "beats to be laid on the audio")
  }

  /// The beats are those found if the tempo fits them, and otherwise only if the audio cannot be read.
  @Test func beatsWithoutTheAudio() throws {
    let file = Self.file("a", bpm: 100)
    let bare = Self.file("bare", bpm: 100, beats: 1)
    let unknown = Self.file("unknown", bpm: nil, beats: 0)
    let two = Self.file("two", bpm: 100, beats: 2)
    try LibraryFiles([file, bare, unknown, two]).merge(into: store)
    let exact = try made(.set(.beatsPerMinute(200), nil), file)
    #expect(exact.after == 200 && exact.note == "199 beats" && exact.text.hasSuffix("locked; 199 beats"))
    _ = try made(.unset, file)
    #expect(try made(.set(.beatsPerMinute(100), nil), two).note == "2 beats")
    let rough = try made(.set(.beatsPerMinute(103), nil), file)
    #expect(rough.note == "the beats are those found, since the file is missing" && rough.after == 103)
    #expect(try record(file).tempo?.beats.count == 100)
    for other in [bare, unknown] {
      let change = try made(.set(.beatsPerMinute(103), nil), other)
      #expect(change.note == "no beats, since the file is missing" && change.after == 103)
      let tempo = try record(other).tempo
      #expect(tempo?.beats == [] && tempo?.map == [.init(startSeconds: 0, bpm: 103)])
    }
    _ = try made(.unset, file)
    #expect(try made(.set(.beatsPerMinute(71), nil), file).note == "no beats, since the file is missing")
  }

  @Test func shiftsAndBars() throws {
    let file = Self.file("a", bpm: 100, metre: "4/4")
    let bare = Self.file("bare", bpm: 100, beats: 1)
    let two = Self.file("two", bpm: 100, beats: 2)
    let none = Self.file("none", bpm: nil, beats: 0)
    var failed = Self.file("failed", bpm: nil)
    failed.failure = Problem(stage: .open, code: "empty", message: "Empty.")
    try LibraryFiles([file, bare, two, none, failed]).merge(into: store)
    func beats(_ file: LibraryFile) throws -> [Double] { try record(file).tempo?.beats ?? [] }
    _ = try made(.set(nil, .seconds(0.125)), file)
    #expect(try beats(file).prefix(2).map { ($0 * 1000).rounded() } == [625, 1225])
    _ = try made(.set(nil, .beats(0.25)), file)
    #expect(try beats(file).prefix(2).map { ($0 * 1000).rounded() } == [775, 1375])
    _ = try made(.set(nil, .firstBeat(0.9)), file)
    #expect(try beats(file).contains { abs($0 - 0.9) < 1e-3 })
    // The file is 200 s long.
    #expect(kind(.set(nil, .firstBeat(200)), file) == nil && kind(.set(nil, .firstBeat(200.01)), file) == "too_short")
    for shift in [TempoChange.Shift.beats(0.5), .seconds(0.1), .firstBeat(1)] {
      #expect(kind(.set(nil, shift), bare) == "no_beats" && kind(.set(nil, shift), two) == nil)
      _ = try made(.unset, two)
    }
    #expect(kind(.set(nil, nil, .ofBeats(3)), bare) == "no_beats" && kind(.set(nil, nil, .ofBeats(3)), two) == nil)
    #expect(kind(.set(nil, nil, .laterByBeats(1)), bare) == "no_bars")
    #expect(kind(.set(nil, nil), none) == "no_tempo" && kind(.set(.times(BeatRatio(2)), nil), none) == "no_tempo")
    #expect(kind(.noTempo, failed) == "no_audio")
    _ = try made(.unset, file)
    _ = try made(.set(nil, nil, .ofBeats(3)), file)
    #expect(try record(file).tempo?.metre == "3/4" && record(file).tempo?.downbeats?.count == 34)
    _ = try made(.set(nil, nil, .laterByBeats(1)), file)
    let tempo = try #require(try record(file).tempo)
    #expect(tempo.downbeats?.first == tempo.beats[1])
  }

  @Test func copiesAreCounted() throws {
    var files = ["a", "b", "c"].map { Self.file($0, bpm: 100) }
    try LibraryFiles([files[0]]).merge(into: store)
    #expect(try made(.set(nil, nil), files[0]).copies == 0)
    for count in 1...2 {
      files[count].contentID = files[0].contentID
      try LibraryFiles(Array(files[...count])).merge(into: store)
      let change = try made(.set(nil, nil), files[0])
      #expect(change.copies == count)
      #expect(change.text.hasSuffix(" (as well as \(count == 1 ? "1 copy" : "2 copies") of the same audio)"))
    }
  }

  @Test func messages() {
    #expect(
      "\(TempoChangeError.outOfRange("/a", bpm: 1200))" == "The tempo of /a would become 1200.00 BPM. Nothing was set.")
    #expect("\(TempoChangeError.noBeats("/a", reason: nil))" == "/a has no beats to move. Nothing was set.")
    #expect("\(TempoChangeError.noBeats("/a", reason: "x"))" == "/a has no beats to move: x. Nothing was set.")
    #expect(
      TempoChangeError.outOfRange("/a", bpm: 1).kind.text == "with a tempo that would not be from 10 to 1000 BPM")
  }

  // MARK: Many files

  private func perform(
    _ request: TempoChange.Request, on files: [LibraryFile], isDryRun: Bool = false, progress: (Int) -> Void = { _ in }
  ) throws -> LibraryTempoChange.Outcome {
    try LibraryTempoChange(change(request), isDryRun: isDryRun, scratchFolder: folder.path)
      .perform(on: files.map(\.path), progress: progress)
  }

  @Test func manyFiles() throws {
    var files = (0..<102).map { Self.file(String(1000 + $0), bpm: 60 + Double($0), beats: 10) }
    files[1].contentID = files[0].contentID
    try LibraryFiles(files).merge(into: store)
    var steps: [Int] = []
    let double = TempoChange.Request.set(.times(BeatRatio(2)), nil)
    let dry = try perform(double, on: files, isDryRun: true) { steps.append($0) }
    #expect(dry.isDryRun && dry.matchedCount == 102 && dry.changedCount == 101 && dry.copyCount == 1)
    #expect(dry.unchangedCount == 0 && dry.refusals.isEmpty && dry.examples.count == 10)
    #expect(steps == Array(1...102))
    #expect(try files.allSatisfy { try record($0).tempoCorrection == nil })

    let outcome = try perform(double, on: files)
    #expect(!outcome.isDryRun && outcome.changedCount == 101 && outcome.copyCount == 1)
    #expect(outcome.examples.map(\.path) == [0, 2, 3, 4, 5, 6, 7, 8, 9, 10].map { files[$0].path })
    for (index, file) in files.enumerated() where index != 1 {
      let tempo = try #require(try record(file).tempo)
      #expect(tempo.bpm == 2 * (60 + Double(index)) && tempo.beats.count == 19)
    }

    _ = try made(.unset, files[7])
    let back = try perform(.unset, on: files, isDryRun: true)
    #expect(back.unchangedCount == 1 && back.changedCount == 100 && back.copyCount == 1)
    #expect(try record(files[5]).tempoCorrection != nil)
    #expect(try perform(.unset, on: files).changedCount == 100)
    #expect(try files.allSatisfy { try record($0).tempoCorrection == nil })
    #expect(try perform(.unset, on: files).unchangedCount == 102)
  }

  @Test func refusalsByReason() throws {
    let files =
      (0..<3).map { Self.file("fast \($0)", bpm: 600) } + (0..<2).map { Self.file("none \($0)", bpm: nil, beats: 0) }
      + [Self.file("fine", bpm: 100)]
    try LibraryFiles(files).merge(into: store)
    let change = LibraryTempoChange(
      change(.set(.times(BeatRatio(2)), nil)), isDryRun: false, scratchFolder: folder.path)
    #expect(try change.files(matching: TrackFilter(parsing: "genre:jazz")).count == 6)
    let outcome = try change.perform(on: files.reversed().map(\.path))
    #expect(outcome.refusals.map(\.code) == ["out_of_range", "no_tempo"] && outcome.refusals.map(\.count) == [3, 2])
    #expect(outcome.changedCount == 1 && outcome.matchedCount == 6)
    let json = try #require(JSONSerialization.jsonObject(with: Data(outcome.ndjsonLine)) as? [String: Any])
    #expect(json["changed"] as? Int == 1 && (json["refused"] as? [Any])?.count == 2)
    // Equally frequent reasons are sorted by their codes.
    let same = try perform(.set(.times(BeatRatio(2)), nil), on: [files[3], files[0]])
    #expect(same.refusals.map(\.code) == ["no_tempo", "out_of_range"])
  }

  @Test func filesNamedOneByOne() {
    let audio = ContentID(hashing: [1])
    func change(_ path: FilePath, _ audio: ContentID) -> TempoChange.Change {
      TempoChange.Change(path: path, audio: audio, before: 1, after: 2, isLocked: true, note: "", copies: 0)
    }
    let changes = [change("/a", audio), change("/b", audio), change("/c", ContentID(hashing: [2]))]
    let outcome = LibraryTempoChange.Outcome(of: changes, isDryRun: true)
    #expect(outcome.matchedCount == 3 && outcome.changedCount == 2 && outcome.copyCount == 1 && outcome.isDryRun)
    #expect(outcome.unchangedCount == 0 && outcome.examples.count == 3)
  }

  @Test func nothingIsSetDuringARun() throws {
    let file = Self.file("a", bpm: 100)
    try LibraryFiles([file]).merge(into: store)
    let lock = try RunLock.acquire(forDatabase: store.path)
    #expect(throws: StoreError.self) { try perform(.noTempo, on: [file]) }
    #expect(try perform(.noTempo, on: [file], isDryRun: true).changedCount == 1)
    lock.release()
    for _ in 0..<2 { #expect(try perform(.noTempo, on: [file]).changedCount == 1) }
    #expect {
      try LibraryTempoChange(change(.noTempo), isDryRun: false, scratchFolder: "/none/there").perform(on: [file.path])
    } throws: { error in "\(error)".hasPrefix("Corrections cannot be written to the temporary folder /none/there: ") }
  }
}
