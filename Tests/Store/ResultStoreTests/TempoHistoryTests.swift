import Analysis
import AnalysisTesting
import Library
import LibraryStore
import LibraryTesting
import Platform
import Records
import SystemPackage
import Testing

@testable import ResultStore

@Suite(.bounded) struct TempoHistoryTests {
  private let audio = ScannedLibrary.contentID("sound")

  private func library() throws -> ScannedLibrary {
    let library = try ScannedLibrary()
    library.put("/music/a.flac", modified: 5_000_000_123)
    try library.night { ScannedLibrary.analysis(of: $0, audio: "sound") }
    return library
  }

  private func set(_ bpm: Double, in library: ScannedLibrary) throws {
    let tempo = ScannedLibrary.tempoFinding().multiplied(by: BeatRatio(1, 2)).locked(at: bpm)
    try library.store.correctTempo([audio: TempoCorrection(tempo, corrected: Timestamp(nanoseconds: 7))])
  }

  private func bpm(in library: ScannedLibrary) throws -> Double? {
    try library.store.record(at: "/music/a.flac")?.tempo?.bpm
  }

  @Test func eachChangeCanBeTakenBackInTurn() throws {
    let library = try library()
    #expect(try library.store.formerTempi(of: audio).isEmpty)
    try set(63, in: library)
    try set(64, in: library)
    try library.store.correctTempo([audio: nil])
    #expect(try library.store.formerTempi(of: audio).map(\.correction?.bpm) == [64, 63, nil])
    #expect(try library.store.restoreTempo(of: audio))
    #expect(try bpm(in: library) == 64)
    #expect(try library.store.restoreTempo(of: audio))
    #expect(try bpm(in: library) == 63)
    #expect(try library.store.record(at: "/music/a.flac", long: ["beats"])?.tempo?.beats.isEmpty == false)
    #expect(try library.store.restoreTempo(of: audio))
    #expect(try bpm(in: library) == 126)
    #expect(try library.store.record(at: "/music/a.flac")?.tempoCorrection == nil)
    #expect(try !library.store.restoreTempo(of: audio))
  }

  @Test func anEarlierStateCountsAndThoseAfterItAreGone() throws {
    let library = try library()
    for bpm in [63.0, 64, 65] { try set(bpm, in: library) }
    let first = try #require(try library.store.formerTempi(of: audio).last)
    #expect(first.correction == nil)
    #expect(try library.store.restoreTempo(of: audio, to: first.id))
    #expect(try bpm(in: library) == 126)
    #expect(try library.store.formerTempi(of: audio).isEmpty)
    #expect(try !library.store.restoreTempo(of: audio, to: first.id))
  }

  @Test func whatChangesNothingIsNoState() throws {
    let library = try library()
    try set(63, in: library)
    try set(63, in: library)
    #expect(try library.store.formerTempi(of: audio).count == 1)
  }

  @Test func onlyTheLastStatesAreKept() throws {
    let library = try library()
    for number in 0..<30 { try set(60 + Double(number), in: library) }
    let former = try library.store.formerTempi(of: audio)
    #expect(former.count == 20)
    #expect(former.first?.correction?.bpm == 88)
  }

  @Test func anotherConnectionSeesCommits() throws {
    let library = try library()
    let revision = try StoreRevision(of: library.store)
    let before = try #require(revision.current())
    #expect(revision.current() == before)
    try set(63, in: library)
    #expect(revision.current() != before)
  }
}
