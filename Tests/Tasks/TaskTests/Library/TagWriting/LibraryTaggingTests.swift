import Analysis
import AnalysisTesting
import AudioDecoding
import BuiltInAnalyzers
import Foundation
import LibraryTesting
import Platform
import Records
import ResultStore
import SystemPackage
import TagWriting
import Testing

@testable import LibraryTasks

/// Findings are written to tags, and taken out again.
@Suite(.bounded) struct LibraryTaggingTests {
  private let place: Workplace

  init() throws {
    place = try Workplace()
  }

  // MARK: Files

  private static func frame(_ id: String, flags: UInt8 = 0, _ body: [UInt8]) -> [UInt8] {
    Array(id.utf8) + [0, 0, 0, UInt8(body.count), 0, flags] + body
  }

  private static func text(_ id: String, _ text: String) -> [UInt8] { frame(id, [0] + Array(text.utf8)) }

  /// A second of noise, with an ID3v2.3 tag if there are frames.
  private static func wav(_ frames: [UInt8]..., seed: UInt64 = 1) -> [UInt8] {
    var bytes = WAVFile(.noise(seed: seed, sampleRate: 8_000, seconds: 1)).bytes
    var body = frames.flatMap(\.self)
    if body.count % 2 == 1 { body.append(0) }
    if !body.isEmpty {
      let tag = Array("ID3".utf8) + [3, 0, 0, 0, 0, 0, UInt8(body.count)] + body
      bytes += Array("id3 ".utf8) + [UInt8(tag.count), 0, 0, 0] + tag
      for shift in 0..<4 { bytes[4 + shift] = UInt8(truncatingIfNeeded: (bytes.count - 8) >> (8 * shift)) }
    }
    return bytes
  }

  private func contents(_ path: FilePath) throws -> [UInt8] { Array(try Data(contentsOf: URL(filePath: path.string))) }

  private static func tempo(_ bpm: Double) -> (analyzer: String, finding: any AnalysisFinding) {
    ("tempo", TempoFinding(bpm: bpm, confidence: 1, candidates: [], isStable: true, map: [], beats: []))
  }

  private static let key: (analyzer: String, finding: any AnalysisFinding) = (
    "key", KeyFinding(key: MusicalKey(pitchClass: 9, mode: .minor), confidence: 1, candidates: [], map: [])
  )
  private static let fingerprint: (analyzer: String, finding: any AnalysisFinding) = (
    "chromaprint", FingerprintFinding(algorithm: "chromaprint-2", duration: 1, value: "AQ")
  )
  private static let loudness: (analyzer: String, finding: any AnalysisFinding) = (
    "loudness", LoudnessFinding(integrated: -10, trackGain: -8, trackPeak: 0.5)
  )

  /// A file as it was analyzed.
  private func file(
    _ path: FilePath, _ findings: (analyzer: String, finding: any AnalysisFinding)...
  ) throws -> LibraryFile {
    var file = LibraryFile(path: path, tags: [:], findings: findings)
    let identity = try #require(FileIdentity(path))
    (file.sizeBytes, file.modified) = (identity.size, identity.modified)
    file.contentID = try AudioContent(path: path).id
    return file
  }

  private func store(_ files: LibraryFile..., name: String = "library") throws -> ResultStore {
    let store = try ResultStore(
      path: place.folder.file("results/\(name).sqlite"), findings: BuiltInAnalyzers.findings)
    try LibraryFiles(files).merge(into: store)
    return store
  }

  // MARK: Writing

  @discardableResult
  private func write(
    _ fields: [WritableField], _ store: ResultStore, on paths: [FilePath],
    _ change: (inout LibraryTagging.Options) -> Void = { _ in }
  ) throws -> (results: [TaggingResult], journal: FilePath?) {
    var options = LibraryTagging.Options(fields)
    change(&options)
    let tagging = LibraryTagging(store, options)
    var results: [TaggingResult] = []
    try tagging.perform(on: paths) {
      results.append($0)
      return true
    }
    return (results, tagging.journalPath)
  }

  /// Returns the result of a dry run.
  private func plan(
    _ fields: [WritableField], _ store: ResultStore, on path: FilePath, overwrites: Bool = false
  ) throws -> TaggingResult {
    let results = try write(fields, store, on: [path]) { ($0.isDryRun, $0.overwrites) = (true, overwrites) }.results
    #expect(results.count == 1)
    return try #require(results.first)
  }

  private func undo(
    _ journal: FilePath?, database: FilePath? = nil, isDryRun: Bool = false
  ) throws -> [TaggingResult] {
    var undo = try TagUndo(journal: #require(journal))
    undo.isDryRun = isDryRun
    var results: [TaggingResult] = []
    try undo.perform(database: database) {
      results.append($0)
      return true
    }
    return results
  }

  @Test func nothingIsOverwrittenUnlessAsked() {
    let options = LibraryTagging.Options([.bpm])
    #expect(!options.overwrites && !options.isDryRun && options.journal == nil)
    #expect(!options.replacement.preservesTimes && !options.replacement.splitsHardLinks)
  }

  @Test func valuesAreWrittenAndTakenOut() throws {
    let fields: [WritableField] = [.bpm, .initialkey, .acoustIDFingerprint]
    let path = try place.put(Self.wav(), as: "a.wav")
    let other = try place.put(Self.wav(seed: 2), as: "b.wav")
    let store = try store(
      file(path, Self.tempo(127.5), Self.key, Self.fingerprint), file(other, Self.tempo(90), Self.fingerprint))
    let plan = try write(fields, store, on: [other, path]) { $0.isDryRun = true }
    #expect(plan.results.map(\.path) == [other, path] && plan.results.map(\.status) == [.planned, .planned])
    #expect(try plan.journal == nil && contents(path) == Self.wav() && contents(other) == Self.wav(seed: 2))

    let written = try write(fields, store, on: [path, other])
    #expect(written.results.map(\.status) == [.written, .written])
    let first = written.results[0]
    #expect(first.path == path && first.kept.isEmpty && first.gaps.isEmpty && first.problem == nil)
    #expect(first.changes.map(\.field) == fields.map(\.rawValue) && first.changes.allSatisfy { $0.tag == "id3v2" })
    #expect(first.changes.map(\.key) == ["TBPM", "TKEY", "TXXX:Acoustid Fingerprint"])
    #expect(first.changes.map(\.before) == [[], [], []] && first.changes.map(\.after) == [["127.5"], ["Am"], ["AQ"]])
    #expect(written.results[1].gaps == [TaggingResult.Gap(field: "initialkey", reason: "The key was not analyzed.")])
    let name = try #require(written.journal?.lastComponent?.string)
    #expect(name.hasPrefix("library-tags-") && written.journal?.removingLastComponent() == place.folder.file("results"))

    // The audio is the same, so no analysis is needed in between.
    let new = try contents(path)
    let again = try write(fields, store, on: [path])
    #expect(again.results.map(\.status) == [.unchanged] && again.journal == nil)

    let (journal, lines) = (try TagUndo(journal: #require(written.journal)), try #require(written.journal))
    #expect(journal.count == 2 && !journal.isEmpty && !journal.isDryRun)
    #expect(try undo(lines, isDryRun: true).map(\.status) == [.planned, .planned])
    #expect(try contents(path) == new)
    let undone = try undo(lines, database: store.path)
    #expect(undone.map(\.status) == [.written, .written] && undone.map(\.path) == [other, path])
    #expect(undone[1].changes.map(\.before) == [["127.5"], ["Am"], ["AQ"]])
    #expect(undone[1].changes.map(\.after) == [[], [], []])
    #expect(try contents(path) == Self.wav() && contents(other) == Self.wav(seed: 2))
    #expect(try undo(lines).map(\.status) == [.unchanged, .unchanged])
    // The rest is left out if the one who asked wants no more.
    var count = 0
    try journal.perform(database: nil) { _ in
      count += 1
      return false
    }
    #expect(count == 1)
    try FileManager.default.removeItem(atPath: path.string)
    let failed = try undo(lines)
    #expect(failed.map(\.status) == [.unchanged, .failed] && failed[1].problem?.code == .inputOutput)
  }

  /// The journal restores values if the file has changed otherwise, and leaves values that others have set.
  @Test func laterChangesStay() throws {
    let path = try place.put(Self.wav(), as: "a.wav")
    let (one, two) = (
      try store(file(path, Self.tempo(128), Self.key)), try store(file(path, Self.tempo(100)), name: "other")
    )
    let journals = ["a", "b", "c"].map { place.folder.file("\($0).ndjson") }
    try write([.bpm], one, on: [path]) { $0.journal = journals[0] }
    try write([.initialkey], one, on: [path]) { $0.journal = journals[1] }
    let tagged = try contents(path)
    let changed = try write([.bpm], two, on: [path]) { ($0.journal, $0.overwrites) = (journals[2], true) }
    #expect(changed.journal == journals[2] && changed.results[0].changes.map(\.before) == [["128"]])

    let kept = try undo(journals[0])
    #expect(kept.map(\.status) == [.kept] && kept[0].changes.isEmpty)
    #expect(kept[0].kept.map(\.before) == [["100"]] && kept[0].kept.map(\.after) == [[]])
    #expect(try undo(journals[2]).map(\.status) == [.written])
    #expect(try contents(path) == tagged)
    #expect(try undo(journals[0]).map(\.status) == [.written])
    #expect(try plan([.bpm], one, on: path).status == .planned)
    #expect(try plan([.initialkey], one, on: path).status == .unchanged)
  }

  // MARK: Values that are there already

  @Test func otherValuesAreKept() throws {
    let cases = [
      ("128", false, false), ("128.00", false, false), ("100", true, false), ("128\u{0}129", true, false),
      ("0", false, true), (" ", false, true), ("0\u{0}128", false, false),
    ]
    for (number, (text, kept, changed)) in cases.enumerated() {
      let path = try place.put(Self.wav(Self.text("TBPM", text)), as: "a.wav")
      let store = try store(file(path, Self.tempo(128)), name: "\(number)")
      let result = try plan([.bpm], store, on: path)
      #expect(result.status == (changed ? .planned : kept ? .kept : .unchanged), "\(text)")
      #expect(result.kept.map(\.after) == (kept ? [["128"]] : []) && result.changes.isEmpty == !changed, "\(text)")
      let other = try plan([.bpm], store, on: path, overwrites: true)
      #expect(other.status == (changed || kept ? .planned : .unchanged), "\(text)")
      #expect(other.kept.isEmpty && other.changes.map(\.after) == (changed || kept ? [["128"]] : []), "\(text)")
    }
  }

  /// Readers find the value, but it cannot be replaced: its frame belongs to a group.
  @Test(arguments: [(128, TaggingResult.Status.unchanged), (100, .kept)])
  func valuesThatCannotBeReplaced(bpm: Double, status: TaggingResult.Status) throws {
    let path = try place.put(
      Self.wav(Self.frame("TBPM", flags: 0x20, [1, 0] + Array("128".utf8)), Self.text("TIT2", "x")), as: "a.wav")
    let store = try store(file(path, Self.tempo(bpm)))
    for overwrites in [false, true] {
      let result = try plan([.bpm], store, on: path, overwrites: overwrites)
      #expect(result.status == status && result.changes.isEmpty)
      let change = TagChange(field: "bpm", tag: "other", key: "bpm", before: ["128"], after: ["100"])
      #expect(result.kept == (status == .kept ? [change] : []))
    }
  }

  /// A reader may prefer the key that has the value already.
  @Test func oneOfTwoKeysHasTheValue() throws {
    let path = try place.put(
      Self.wav(Self.text("TKEY", "8A"), Self.text("TXXX", "KEY\u{0}C")), as: "a.wav")
    let store = try store(file(path, Self.key))
    #expect(try plan([.initialkey], store, on: path).kept.map(\.key) == ["TXXX:KEY"])
    let results = try write([.initialkey], store, on: [path]) { $0.overwrites = true }.results
    #expect(results.map(\.status) == [.written] && results[0].problem == nil)
    #expect(results[0].changes.map(\.key) == ["TXXX:KEY"] && results[0].changes.map(\.before) == [["C"]])
    #expect(try plan([.initialkey], store, on: path).status == .unchanged)
  }

  @Test func findingsThatAreMissing() throws {
    let path = try place.put(Self.wav(), as: "a.wav")
    let store = try store(file(path, Self.key))
    let none = try plan([.bpm, .acoustIDFingerprint], store, on: path)
    #expect(none.status == .nothing && none.gaps.map(\.field) == ["bpm", "acoustid_fingerprint"])
    let some = try plan([.bpm, .initialkey], store, on: path)
    #expect(some.status == .planned && some.gaps.map(\.field) == ["bpm"])
    #expect(try write([.bpm], store, on: []).results.isEmpty)
    #expect(try write([.bpm], store, on: [place.library.appending("unknown.wav")]).results.isEmpty)
  }

  /// Opus has fields of its own for gain.
  @Test func gainOfOpus() throws {
    let path = place.library.appending("a.opus")
    try ExternalProgram.ffmpeg.run(["-f", "lavfi", "-i", "sine=d=1:r=48000", "-b:a", "32k", path.string])
    let other = try place.put(Self.wav(), as: "a.wav")
    let store = try store(
      file(path, Self.tempo(90), Self.loudness), file(other, Self.tempo(90), Self.loudness))
    #expect(try plan([.replaygain, .bpm], store, on: path).changes.map(\.field) == ["bpm", "r128_track_gain"])
    #expect(try plan([.bpm], store, on: path).changes.map(\.field) == ["bpm"])
    #expect(
      try plan([.replaygain, .bpm], store, on: other).changes.map(\.field)
        == ["replaygain_track_gain", "replaygain_track_peak", "bpm"])
  }

  // MARK: Files that are left alone

  @Test func damagedFiles() throws {
    let path = try place.put(Self.wav(), as: "a.wav")
    func remark(_ stage: Problem.Stage, _ code: String) -> Problem {
      Problem(stage: stage, code: code, message: "It is so.")
    }
    let unusual = "The structure of the file is unusual (odd); its tags were not changed."
    let cases: [(Problem?, [Problem], String?)] = [
      (remark(.decode, "truncated"), [], "The file is damaged (truncated); its tags were not changed."),
      (nil, [remark(.open, "odd")], unusual), (nil, [remark(.decode, "odd")], unusual),
      (nil, [remark(.open, "very_short")], nil), (nil, [remark(.analyze, "odd")], nil), (nil, [], nil),
      (nil, [remark(.decode, "very_short"), remark(.decode, "odd")], unusual),
    ]
    for (number, (damage, remarks, message)) in cases.enumerated() {
      var file = try file(path, Self.tempo(128))
      (file.damage, file.remarks) = (damage, remarks)
      let result = try plan([.bpm], store(file, name: "\(number)"), on: path)
      #expect(result.status == (message == nil ? .planned : .failed), "\(number)")
      #expect(result.problem?.message == message && (message == nil || result.problem?.code == .oddStructure))
    }
  }

  /// Size and time show that a file is as it was analyzed; otherwise its audio must be.
  @Test func filesThatChanged() throws {
    let path = try place.put(Self.wav(), as: "a.wav")
    let wrong = ContentID(hashing: [1])
    let cases: [(Int64, Int64, ContentID?, Bool)] = [
      (0, 0, nil, true), (0, 0, wrong, true), (1, 0, wrong, false), (0, 1, wrong, false), (1, 1, wrong, false),
      (1, 0, nil, true), (0, 1, nil, true), (1, 1, nil, true),
    ]
    for (number, (size, time, id, isPlanned)) in cases.enumerated() {
      var file = try file(path, Self.tempo(128))
      file.sizeBytes += size
      file.modified = Timestamp(nanoseconds: file.modified.nanoseconds + time)
      if let id { file.contentID = id }
      let result = try plan([.bpm], store(file, name: "\(number)"), on: path)
      #expect(result.status == (isPlanned ? .planned : .failed), "\(number)")
      #expect(result.problem?.code == (isPlanned ? nil : .changed), "\(number)")
    }
  }

  @Test func theOneWhoAskedMayStop() throws {
    let path = try place.put(Self.wav(), as: "a.wav")
    let other = try place.put(Self.wav(seed: 2), as: "b.wav")
    let store = try store(file(path, Self.tempo(128)), file(other, Self.tempo(90)))
    var options = LibraryTagging.Options([.bpm])
    options.isDryRun = true
    var results: [TaggingResult] = []
    try LibraryTagging(store, options).perform(on: [path, other]) {
      results.append($0)
      return false
    }
    #expect(results.map(\.path) == [path])
  }

  /// A run and a change of tags exclude each other, but not plans.
  @Test func onlyOneMayWrite() throws {
    let path = try place.put(Self.wav(), as: "a.wav")
    let store = try store(file(path, Self.tempo(128)))
    let journal = try write([.bpm], store, on: [path]).journal
    let lock = try RunLock.acquire(forDatabase: store.path)
    #expect(throws: StoreError.self) { try write([.bpm], store, on: [path]) }
    #expect(try plan([.bpm], store, on: path).status == .unchanged)
    #expect(throws: StoreError.self) { try undo(journal, database: store.path) }
    #expect(try undo(journal, database: store.path, isDryRun: true).map(\.status) == [.planned])
    lock.release()
    #expect(try write([.bpm], store, on: [path]).results.map(\.status) == [.unchanged])
    #expect(try undo(journal, database: store.path).map(\.status) == [.written])
    // Each of them gives the lock back.
    try RunLock.acquire(forDatabase: store.path).release()
  }

  // MARK: Repetition

  @Test func changesByOthersAreRetried() {
    let cases: [(TagWriteError.Code, Bool, Int)] = [(.changed, true, 5), (.changed, false, 1), (.inUse, false, 1)]
    for (code, canBeRetried, count) in cases {
      var calls = 0
      let error = #expect(throws: TagWriteError.self) {
        try TagWriteError.retrying(LibraryTagging.maxAttempts) {
          calls += 1
          var error = TagWriteError(code, "It is so.")
          error.canBeRetried = canBeRetried
          throw error
        }
      }
      #expect(calls == count && error?.code == code)
    }
  }
}
