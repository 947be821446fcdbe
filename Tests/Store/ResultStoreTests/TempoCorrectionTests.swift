import Analysis
import AnalysisTesting
import Library
import LibraryTesting
import Platform
import Records
import SystemPackage
import Testing

@testable import ResultStore

@Suite(.bounded) struct StoredCorrectionTests {
  private let audio = ScannedLibrary.contentID("sound")

  private let half = ScannedLibrary.tempoFinding().multiplied(by: BeatRatio(1, 2)).locked(at: 63)

  private func analyze(_ file: PendingFile) -> FileAnalysis { ScannedLibrary.analysis(of: file, audio: "sound") }

  /// Library with one file whose tempo was found as 126 and set to 63.
  private func library() throws -> ScannedLibrary {
    let library = try ScannedLibrary()
    library.put("/music/a.flac", modified: 5_000_000_123)
    try library.night(analyze: analyze)
    try library.store.correctTempo([audio: TempoCorrection(half, corrected: Timestamp(nanoseconds: 7))])
    return library
  }

  private func expectLocked(_ path: FilePath, _ library: ScannedLibrary, found: Double? = 126) throws {
    let record = try #require(try library.store.record(at: path, long: ["beats"]))
    #expect(record.tempo?.bpm == 63 && record.tempoCorrection?.corrected == Timestamp(nanoseconds: 7))
    #expect(record.tempoCorrection?.found?.bpm == found)
  }

  @Test func correctionCountsAndTheFindingStays() throws {
    let library = try library()
    try expectLocked("/music/a.flac", library)
    let record = try #require(try library.store.record(at: "/music/a.flac", long: ["beats"]))
    #expect(record.tempo?.beats == [0.41, 1.3624])
    #expect(record.tempoCorrection?.found == ScannedLibrary.tempoFinding())
    #expect(try library.store.record(at: "/music/a.flac")?.tempo?.beats == [])
    #expect(try library.store.record(at: "/music/a.flac")?.tempo?.map == half.map)
    try library.store.correctTempo([audio: nil])
    let back = try #require(try library.store.record(at: "/music/a.flac", long: ["beats"]))
    #expect(back.tempo == ScannedLibrary.tempoFinding() && back.tempoCorrection == nil)
  }

  @Test func nothingOverwritesIt() throws {
    let library = try library()
    try library.night(ScanOptions(force: true), analyze: analyze)
    try expectLocked("/music/a.flac", library)
    let tempo2 = AnalyzerIdentity(id: "tempo", version: 2, digest: "o1")
    library.wanted = ScannedLibrary.wanted(tempo: tempo2)
    try library.night { file in
      var analysis = ScannedLibrary.analysis(of: file, audio: "sound", tempo: tempo2)
      analysis.outcomes[1].result = .finding(ScannedLibrary.tempoFinding(127))
      return analysis
    }
    try expectLocked("/music/a.flac", library, found: 127)
    // New tags, another name, a copy, removed and restored.
    library.put("/music/a.flac", size: 1001, modified: 5_000_000_123)
    try library.night(analyze: analyze)
    library.move("/music/a.flac", to: "/music/b.flac")
    library.put("/music/copy.flac")
    try library.night(analyze: analyze)
    try expectLocked("/music/b.flac", library, found: 126)
    try expectLocked("/music/copy.flac", library, found: 126)
    #expect(try library.store.fileCount(withAudio: audio) == 2)
    library.remove("/music/b.flac")
    library.remove("/music/copy.flac")
    try library.night()
    #expect(try library.store.pruneVanished(in: nil, isDryRun: false) == 2)
    library.put("/music/again.flac")
    try library.night(analyze: analyze)
    try expectLocked("/music/again.flac", library)
  }

  /// A later version may compute content ids differently.
  @Test func itFollowsTheContentIDOfAnUnchangedFile() throws {
    let library = try library()
    try library.night(ScanOptions(force: true)) { ScannedLibrary.analysis(of: $0, audio: "sound, hashed better") }
    try expectLocked("/music/a.flac", library)
    // Another song in its place does not inherit the correction.
    library.put("/music/a.flac", size: 5)
    try library.night { ScannedLibrary.analysis(of: $0, audio: "another song") }
    #expect(try library.store.record(at: "/music/a.flac")?.tempoCorrection == nil)
  }

  @Test func tempoThatWasNotLookedForCanBeSet() throws {
    let library = try ScannedLibrary()
    library.put("/music/a.flac")
    try library.night { file in
      var analysis = self.analyze(file)
      analysis.outcomes[1].result = .notApplicable("Too short.")
      return analysis
    }
    try library.store.correctTempo([audio: TempoCorrection(half, corrected: Timestamp(nanoseconds: 7))])
    try expectLocked("/music/a.flac", library, found: nil)
    #expect(try library.store.check() == [])
  }
}
