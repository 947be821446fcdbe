import Analysis
import AnalysisTesting
import Foundation
import GRDB
import LibraryStore
import LibraryTesting
import Platform
import SystemPackage
import Testing

@testable import ResultStore

/// Decisions of people that belong to audio: tempi, and duplicates.
@Suite(.bounded) struct StoredDecisionTests {
  private struct Stop: Error {}

  private static let second: Int64 = 1_000_000_000

  private static func audio(_ name: String) -> ContentID { ScannedLibrary.contentID(name) }

  private static func time(_ seconds: Int64, _ nanoseconds: Int64 = 0) -> Timestamp {
    Timestamp(nanoseconds: seconds * second + nanoseconds)
  }

  private static let grid = TempoCorrection.Grid(
    isStable: true,
    map: [.init(startSeconds: 0.25, bpm: 126.5), .init(startSeconds: 30, bpm: 63), .init(startSeconds: 60.5, bpm: 90)],
    beats: [0.25, 0.75, 1.25], metre: "3/4", downbeats: [0.25])

  private static func correction(
    _ bpm: Double? = 126.5, at time: Timestamp = time(7), _ change: (inout TempoCorrection.Grid) -> Void = { _ in }
  ) -> TempoCorrection {
    var grid = grid
    change(&grid)
    return TempoCorrection(bpm: bpm, grid: grid, corrected: time)
  }

  // MARK: - Tempi

  @Test(arguments: [
    correction(), correction { $0.isStable = false }, correction { $0.metre = nil }, correction { $0.downbeats = nil },
    correction { $0.downbeats = [] }, correction { ($0.map, $0.beats) = ([], []) },
    TempoCorrection(bpm: 90, grid: nil, corrected: time(8, 9)),
    TempoCorrection(bpm: nil, grid: nil, corrected: time(-1)),
  ])
  func correctionsComeBack(correction: TempoCorrection) throws {
    let library = try ScannedLibrary()
    let audio = Self.audio("a")
    #expect(try library.store.tempoCorrection(of: audio) == nil)
    try library.store.correctTempo([audio: correction])
    #expect(try library.store.tempoCorrection(of: audio) == correction)
    #expect(try library.store.tempoCorrection(of: Self.audio("b")) == nil)
    try library.store.correctTempo([audio: nil])
    #expect(try library.store.tempoCorrection(of: audio) == nil)
    let former = try library.store.formerTempi(of: audio)
    #expect(former.map(\.correction) == [correction, nil])
    #expect(try #require(former.first).replaced >= #require(former.last).replaced)
  }

  /// Any difference makes a new state, and the same again makes none.
  @Test func statesOfATempo() throws {
    let library = try ScannedLibrary()
    let audio = Self.audio("a")
    let states: [TempoCorrection?] = [
      Self.correction(), Self.correction(127), Self.correction(127) { $0.beats[2] = 1.5 },
      Self.correction(127) { ($0.beats[2], $0.isStable) = (1.5, false) },
      TempoCorrection(bpm: 127, grid: nil, corrected: Self.time(7)),
      TempoCorrection(bpm: nil, grid: nil, corrected: Self.time(7)), nil,
      TempoCorrection(bpm: nil, grid: nil, corrected: Self.time(7)),
    ]
    try library.store.correctTempo([audio: nil])
    #expect(try library.store.formerTempi(of: audio).isEmpty)
    for (number, state) in states.enumerated() {
      for _ in 1...2 {
        try library.store.correctTempo([audio: state])
        #expect(try library.store.formerTempi(of: audio).count == number + 1)
      }
    }
    #expect(try library.store.formerTempi(of: audio).map(\.correction) == ([nil] + states.dropLast()).reversed())
    // A state that there is not.
    #expect(try !library.store.restoreTempo(of: audio, to: 9_999))
    #expect(try !library.store.restoreTempo(of: Self.audio("b")))
    #expect(try library.store.formerTempi(of: audio).count == states.count)
  }

  /// A corrected tempo needs no review; without the correction, its review is due as if it had not been put off.
  @Test func correctionEndsAReview() throws {
    let library = try ScannedLibrary()
    library.put("/music/a")
    try library.night { ScannedLibrary.analysis(of: $0, audio: "a") }
    func doubtful() throws -> [Bool] { try library.store.doubtfulTempi(below: 1).map(\.wasSkipped) }
    let audio = Self.audio("a")
    #expect(try doubtful() == [false])
    try library.store.skipTempo(of: audio)
    #expect(try doubtful() == [true])
    try library.store.correctTempo([audio: Self.correction()])
    #expect(try doubtful() == [])
    try library.store.correctTempo([audio: nil])
    #expect(try doubtful() == [false])
    try library.store.skipTempo(of: audio)
    try library.store.skipTempo(of: audio, false)
    #expect(try doubtful() == [false])
    #expect(
      try library.store.doubtfulTempi(below: 0.93).isEmpty && library.store.doubtfulTempi(below: 0.931).count == 1)
  }

  @Test func correctionsAreSetTogether() throws {
    let library = try ScannedLibrary()
    var rest = ["a", "b"]
    #expect(throws: StoreError.self) {
      try library.store.correctTempo {
        if rest.isEmpty { throw Stop() }
        return (Self.audio(rest.removeFirst()), Self.correction())
      }
    }
    #expect(try library.store.tempoCorrection(of: Self.audio("a")) == nil)
    try library.store.correctTempo([Self.audio("a"): Self.correction(), Self.audio("b"): Self.correction(90)])
    #expect(try library.store.tempoCorrection(of: Self.audio("b"))?.bpm == 90)
    #expect(try library.store.tempoCorrection(of: Self.audio("a"))?.bpm == 126.5)
  }

  private static func counts(
    new: Int = 0, same: Int = 0, replaced: Int = 0, older: Int = 0, waiting: Int = 0
  ) -> ResultStore.TempoCorrectionImport {
    var counts = ResultStore.TempoCorrectionImport()
    (counts.newCount, counts.sameCount, counts.replacedCount) = (new, same, replaced)
    (counts.olderCount, counts.waitingCount) = (older, waiting)
    return counts
  }

  struct Import: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var correction: TempoCorrection
    var overwrites = false
    var expected: ResultStore.TempoCorrectionImport
    var isTaken: Bool
  }

  /// Imports over a correction of second 7.
  @Test(arguments: [
    Import(
      testDescription: "the same", correction: correction(at: time(99)), expected: counts(same: 1), isTaken: false),
    Import(
      testDescription: "a second later", correction: correction(90, at: time(8)), expected: counts(replaced: 1),
      isTaken: true),
    Import(
      testDescription: "another grid, later", correction: correction(at: time(8)) { $0.metre = nil },
      expected: counts(replaced: 1), isTaken: true),
    Import(
      testDescription: "in the same second", correction: correction(90, at: time(7, 999_999_999)),
      expected: counts(older: 1), isTaken: false),
    Import(
      testDescription: "earlier", correction: correction(90, at: time(6)), expected: counts(older: 1), isTaken: false),
    Import(
      testDescription: "earlier, on request", correction: correction(90, at: time(6)), overwrites: true,
      expected: counts(replaced: 1), isTaken: true),
    Import(
      testDescription: "the same, on request", correction: correction(at: time(99)), overwrites: true,
      expected: counts(same: 1), isTaken: false),
  ])
  func importsOverACorrection(test: Import) throws {
    let library = try ScannedLibrary()
    let audio = Self.audio("a")
    try library.store.correctTempo([audio: Self.correction()])
    for isDryRun in [true, false] {
      var list = [(audio, test.correction)]
      let counts = try library.store.importTempoCorrections(
        overwritesNewer: test.overwrites, isDryRun: isDryRun
      ) { list.popLast() }
      #expect(counts == test.expected)
      let expected = test.isTaken && !isDryRun ? test.correction : Self.correction()
      #expect(try library.store.tempoCorrection(of: audio) == expected)
    }
  }

  /// New corrections are taken, even for audio of which there is no file.
  @Test func newImports() throws {
    let library = try ScannedLibrary()
    for name in ["here", "gone"] { library.put(FilePath("/music/\(name)")) }
    try library.night { ScannedLibrary.analysis(of: $0, audio: $0.path.lastComponent?.string) }
    library.remove("/music/gone")
    try library.night()
    var list = ["here", "gone", "never"].map { (Self.audio($0), Self.correction()) }
    let counts = try library.store.importTempoCorrections { list.popLast() }
    #expect(counts == Self.counts(new: 3, waiting: 2))
    for name in ["here", "gone", "never"] {
      #expect(try library.store.tempoCorrection(of: Self.audio(name)) == Self.correction())
    }
    #expect(try library.store.fileCount(withAudio: Self.audio("here")) == 1)
    #expect(try library.store.fileCount(withAudio: Self.audio("gone")) == 0)
    #expect(try library.store.fileCount(withAudio: Self.audio("never")) == 0)
  }

  @Test func correctionsAreListedByPath() throws {
    let library = try ScannedLibrary()
    for name in ["z", "b", "copy of b", "a"] { library.put(FilePath("/music/\(name)")) }
    try library.night { file in
      let name = file.path.lastComponent?.string ?? ""
      var analysis = ScannedLibrary.analysis(
        of: file, title: "Title of \(name)", audio: name.hasSuffix("b") ? "b" : name)
      if name == "z" { analysis.outcomes[0].result = .finding(TagFinding()) }
      if name == "a" { analysis.outcomes[1].result = .notApplicable("Too short.") }
      return analysis
    }
    // The first existing file of those with the same audio counts.
    library.remove("/music/b")
    try library.night()
    for name in ["z", "b", "a", "nowhere"] {
      try library.store.correctTempo([Self.audio(name): Self.correction(Double(name.utf8.count))])
    }
    var listed: [ResultStore.ListedTempoCorrection] = []
    try library.store.forEachTempoCorrection { listed.append($0) }
    #expect(listed.map(\.path) == ["/music/a", "/music/copy of b", "/music/z", nil])
    #expect(listed.map(\.audio) == ["a", "b", "z", "nowhere"].map(Self.audio))
    #expect(listed.map(\.artist) == ["Someone", "Someone", nil, nil])
    #expect(listed.map(\.title) == ["Title of a", "Title of copy of b", nil, nil])
    #expect(listed.map(\.foundBPM) == [nil, 126, 126, nil] && listed.map(\.correction.bpm) == [1, 1, 1, 7])
    #expect(listed.allSatisfy { $0.correction.grid == Self.grid })
    var count = 0
    #expect(throws: Stop.self) {
      try library.store.forEachTempoCorrection { _ in
        count += 1
        throw Stop()
      }
    }
    #expect(count == 1)
  }

  // MARK: - Duplicates

  @Test func laterDecisionsCount() throws {
    let library = try ScannedLibrary()
    let ids = ["a", "b", "c"].map(Self.audio).sorted { $0.description < $1.description }
    let (a, b, c) = (ids[0], ids[1], ids[2])
    #expect(DuplicateDecision.Subject.distinctPair(b, a) == .distinct(a, b))
    #expect(DuplicateDecision.Subject.distinctPair(a, b) == .distinct(a, b))
    func decide(_ subject: DuplicateDecision.Subject, at seconds: Int64) -> DuplicateDecision {
      DuplicateDecision(subject, decided: Self.time(seconds))
    }
    let first = [decide(.keep(b), at: 5), decide(.distinct(a, b), at: 6), decide(.distinct(b, c), at: 7)]
    #expect(try library.store.decideDuplicates(first) == 3)
    let listed = [first[1], first[0], first[2]]
    #expect(try library.store.duplicateDecisions() == listed)
    #expect(try library.store.decideDuplicates(first) == 0)
    #expect(try library.store.decideDuplicates([decide(.keep(b), at: 4), decide(.distinct(a, b), at: 6)]) == 0)
    #expect(try library.store.duplicateDecisions() == listed)
    #expect(try library.store.decideDuplicates([decide(.keep(b), at: 8), decide(.keep(c), at: 1)]) == 2)
    #expect(
      try library.store.duplicateDecisions() == [first[1], decide(.keep(b), at: 8), first[2], decide(.keep(c), at: 1)])
    // A decision about two sounds is forgotten with either of them, and counted once.
    #expect(try library.store.forgetDuplicateDecisions(about: [Self.audio("nobody")]) == 0)
    #expect(try library.store.forgetDuplicateDecisions(about: [a, b]) == 3)
    #expect(try library.store.duplicateDecisions() == [decide(.keep(c), at: 1)])
    #expect(try library.store.forgetDuplicateDecisions(about: [a, b]) == 0)
  }

  @Test func pairsComeBackUntilTheyAreComparedAgain() throws {
    let library = try ScannedLibrary()
    let ids = ["a", "b", "c", "d"].map(Self.audio).sorted { $0.description < $1.description }
    func pair(_ first: Int, _ second: Int, stretches: [[Double]]) -> StoredPair {
      StoredPair(
        first: ids[first], second: ids[second], relation: "same", basis: "fingerprint", coverage: 0.75, agreement: 0.5,
        speed: 1.25, stretches: stretches)
    }
    let pairs = [
      pair(0, 1, stretches: [[0, 1, 2, 3], [4, 5.5, 6, 7.125]]), pair(0, 2, stretches: []),
      pair(2, 3, stretches: [[1, 2, 3, 4]]),
    ]
    func compared() throws -> [String: Int] {
      try DatabaseQueue(path: library.database.string).read { db in
        let rows = try Row.fetchAll(db, sql: "SELECT content_id, method FROM compared_sound")
        return Dictionary(uniqueKeysWithValues: rows.map { ($0[0] as String, $0[1] as Int) })
      }
    }
    #expect(try library.store.duplicatePairs() == [])
    try library.store.storeDuplicates(pairs.reversed(), methods: [ids[0]: 1, ids[1]: 2, ids[2]: 3, ids[3]: 4])
    #expect(try library.store.duplicatePairs() == pairs)
    #expect(
      try compared() == [ids[0].description: 1, ids[1].description: 2, ids[2].description: 3, ids[3].description: 4])
    // One is compared again, and has no pair any more, whether it came first or second.
    try library.store.storeDuplicates([], methods: [ids[1]: 9], forgetting: [ids[3]])
    #expect(try library.store.duplicatePairs() == [pairs[1], pairs[2]])
    #expect(try compared() == [ids[0].description: 1, ids[1].description: 9, ids[2].description: 3])
    try library.store.storeDuplicates([], methods: [ids[2]: 3])
    #expect(try library.store.duplicatePairs() == [])
  }

  @Test func sketchesReplaceEachOther() throws {
    let library = try ScannedLibrary()
    func sketch(_ name: String, _ method: Int) -> SketchRow {
      SketchRow(content: Self.audio(name), method: method, fingerprint: [1, 2], signature: [])
    }
    let ids = try library.store.storeSketches([sketch("a", 1), sketch("b", 2)])
    let later = try library.store.storeSketches([sketch("a", 3)])
    #expect(Set(ids).count == 2 && later.count == 1)
    let rows = try DatabaseQueue(path: library.database.string).read { db in
      try Row.fetchAll(
        db, sql: "SELECT id, content_id, method, fingerprint, signature FROM sound_sketch ORDER BY method")
    }
    #expect(rows.map { $0[0] as Int64 } == [ids[1], later[0]])
    #expect(rows.map { $0[1] as String } == ["b", "a"].map { Self.audio($0).description })
    #expect(rows.map { $0[2] as Int } == [2, 3] && rows.allSatisfy { ($0[3] as Data) == Data([1, 2]) })
    #expect(rows.allSatisfy { ($0[4] as Data).isEmpty })
  }

  @Test func signaturesAreWhole() throws {
    let library = try ScannedLibrary()
    let analyzer = AnalyzerIdentity(id: "signature", version: 1, digest: "")
    library.wanted = ScannedLibrary.wanted(extra: [analyzer])
    for name in ["damaged", "old", "whole"] { library.put(FilePath("/music/\(name)")) }
    try library.night { file in
      let name = file.path.lastComponent?.string ?? ""
      var analysis = ScannedLibrary.analysis(of: file, audio: "sound")
      if name == "damaged" {
        analysis.status = .partial
        analysis.problem = Problem(stage: .decode, code: "corrupt", message: "Damaged.")
      }
      let data: [UInt8] = name == "damaged" ? [1] : name == "old" ? [2, 2] : [3, 3, 3]
      analysis.outcomes.append(
        AnalyzerOutcome(
          analyzer: analyzer,
          result: .finding(SignatureFinding(version: name == "whole" ? 2 : 1, landmarkCount: data.count, data: data))))
      return analysis
    }
    #expect(try library.store.signature(of: Self.audio("sound"))?.data == [3, 3, 3])
    #expect(try library.store.signature(decodingID: ScannedLibrary.decodingID("sound"))?.landmarkCount == 3)
    #expect(try library.store.signature(of: Self.audio("other")) == nil)
  }
}
