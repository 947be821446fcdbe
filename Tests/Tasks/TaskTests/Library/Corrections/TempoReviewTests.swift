import Analysis
import AnalysisEngine
import AnalysisTesting
import BuiltInAnalyzers
import Filters
import Foundation
import LibraryStore
import LibraryTesting
import Pipeline
import Platform
import Records
import ResultStore
import SystemPackage
import Testing

@testable import LibraryTasks

/// Reviews of doubtful tempi, and what they show of a track.
@Suite(.bounded) struct TempoReviewTests {
  private let folder: TemporaryDirectory
  private let store: ResultStore

  init() throws {
    folder = try TemporaryDirectory()
    store = try ResultStore(path: folder.file("library.sqlite"), findings: BuiltInAnalyzers.findings)
  }

  private func finding(_ bpm: Double?, confidence: Double) -> TempoFinding {
    TempoFinding(
      bpm: bpm, confidence: confidence, candidates: [], isStable: true, map: [],
      beats: (0..<20).map { Double($0) * 60 / (bpm ?? 60) })
  }

  /// Tracks a, b, c and d with rising confidence.
  private func fill() throws -> [LibraryFile] {
    let files = ["a", "b", "c", "d"].enumerated().map { index, name in
      LibraryFile(
        path: FilePath("/music/\(name).flac"), tags: ["genre": [index < 2 ? "Jazz" : "Rock"], "title": [name]],
        findings: [("tempo", finding(100 + Double(index), confidence: 0.1 * Double(index + 1)))])
    }
    try LibraryFiles(files).merge(into: store)
    return files
  }

  private func review() throws -> TempoReview {
    let tracks = try TempoReview.tracks(in: store, below: 0.6, matching: nil, limit: nil)
    return TempoReview(of: tracks, in: store, fitting: BeatFitting(by: SingleFileAnalysis(timeLimit: .standard)))
  }

  private func tempo(_ file: LibraryFile) throws -> (bpm: Double?, isLocked: Bool) {
    let record = try #require(try store.record(at: file.path))
    return (record.tempo?.bpm, record.tempoCorrection != nil)
  }

  private func names(_ tracks: [DoubtfulTempo]) -> [String] { tracks.map { $0.path.stem ?? "" } }

  @Test func tracksToReview() throws {
    _ = try fill()
    func tracks(_ limit: Double, _ filter: String? = nil, _ count: Int? = nil) throws -> [String] {
      try names(
        TempoReview.tracks(
          in: store, below: limit, matching: filter.map { try TrackFilter(parsing: $0) }, limit: count))
    }
    #expect(TempoReview.doubtfulConfidence == 0.6)
    #expect(try tracks(0.6) == ["a", "b", "c", "d"] && tracks(0.35) == ["a", "b", "c"])
    #expect(try tracks(0.6, "genre:rock") == ["c", "d"] && tracks(0.6, nil, 2) == ["a", "b"])
    #expect(try tracks(0.6, "genre:rock", 1) == ["c"] && tracks(0.6, nil, 9).count == 4)
  }

  @Test func decisionsAreStoredAndTakenBack() throws {
    let files = try fill()
    var review = try review()
    #expect(review.count == 4 && review.position == 1 && !review.canUndo && review.tally == .init())
    #expect(try !review.undo())
    #expect(try review.track()?.path == files[0].path)
    #expect(try review.decide(.confirm)?.after == 100)
    #expect(review.position == 2 && review.canUndo && review.tally == .init(confirmed: 1))
    #expect(try review.decide(.half)?.after == 50.5)
    #expect(try review.decide(.double)?.after == 204)
    #expect(try review.decide(.noTempo)?.after == nil)
    var tally = TempoReview.Tally()
    (tally.confirmed, tally.changed) = (1, 3)
    #expect(review.tally == tally && review.position == 5)
    // The end is reached.
    #expect(try review.track() == nil && review.decide(.confirm) == nil)
    try review.skip()
    #expect(review.tally == tally && review.position == 5)
    #expect(try files.map { try tempo($0).bpm } == [100, 50.5, 204, nil])
    #expect(try files.allSatisfy { try tempo($0).isLocked })

    for (left, count) in [(3, 2), (2, 1), (1, 0)] {
      #expect(try review.undo())
      #expect(review.position == left + 1 && review.tally.changed == count && review.tally.confirmed == 1)
      #expect(try !tempo(files[left]).isLocked && tempo(files[left]).bpm == 100 + Double(left))
      #expect(try review.track()?.path == files[left].path)
    }
    #expect(try review.undo() && review.tally == .init() && !review.canUndo && !review.undo())
    #expect(try !tempo(files[0]).isLocked)
    #expect(try review.decide(.tempo(200))?.after == 200)
  }

  @Test func skippedTracksComeLast() throws {
    let files = try fill()
    var review = try review()
    try review.skip()
    try review.skip()
    #expect(review.tally.skipped == 2 && review.position == 3)
    #expect(try names(TempoReview.tracks(in: store, below: 0.6, matching: nil, limit: nil)) == ["c", "d", "a", "b"])
    #expect(try review.undo() && review.tally.skipped == 1 && review.position == 2)
    #expect(try names(TempoReview.tracks(in: store, below: 0.6, matching: nil, limit: nil)) == ["b", "c", "d", "a"])

    // A track that was skipped before is so again if a decision or a skip is taken back.
    var second = try self.review()
    for _ in 0..<3 { _ = try second.decide(.confirm) }
    #expect(try second.track()?.path == files[0].path)
    _ = try second.decide(.confirm)
    #expect(try second.undo())
    let rest = try TempoReview.tracks(in: store, below: 0.6, matching: nil, limit: nil)
    #expect(rest.map(\.path) == [files[0].path] && rest[0].wasSkipped)
    try second.skip()
    #expect(try second.undo())
    #expect(try TempoReview.tracks(in: store, below: 0.6, matching: nil, limit: nil).map(\.wasSkipped) == [true])
    #expect(second.tally.skipped == 0 && second.tally.confirmed == 3)
    // A decision about a track that was not skipped leaves no mark.
    #expect(try second.undo())
    let last = try TempoReview.tracks(in: store, below: 0.6, matching: nil, limit: nil)
    #expect(last.map(\.wasSkipped) == [false, true])
  }

  @Test func tracksThatWereChangedElsewhereAreLeftOut() throws {
    let files = try fill()
    var tracks = try TempoReview.tracks(in: store, below: 0.6, matching: nil, limit: nil)
    // The second one has other audio now.
    tracks[1].audio = ContentID(hashing: [7])
    var review = TempoReview(of: tracks, in: store, fitting: BeatFitting(by: SingleFileAnalysis(timeLimit: .standard)))
    try store.correctTempo([files[0].contentID: TempoCorrection(bpm: 90, grid: nil, corrected: .now)])
    #expect(try review.track()?.path == files[2].path && review.position == 3)
    #expect(try review.decide(.confirm)?.path == files[2].path)
  }

  @Test func listsInJSON() throws {
    _ = try fill()
    let tracks = try TempoReview.tracks(in: store, below: 0.25, matching: nil, limit: nil)
    let line = try ReviewList(of: tracks, below: 0.25, in: store).ndjsonLine
    let list = try #require(JSONSerialization.jsonObject(with: Data(line)) as? [String: Any])
    #expect(list["count"] as? Int == 2 && list["below"] as? Double == 0.25)
    let first = try #require((list["tracks"] as? [[String: Any]])?.first)
    #expect(first["half_bpm"] as? Double == 50 && first["double_bpm"] as? Double == 200)
    #expect(first["title"] as? String == "a" && first["skipped"] as? Bool == false)
  }

  // MARK: Tracks

  private func reviewed(_ tempo: TempoFinding) -> ReviewedTrack? {
    var record = FileRecord(path: "/music/a.flac", status: .ok)
    record.tempo = tempo
    return ReviewedTrack(record)
  }

  private func candidates(_ list: [(Double, Double)]) -> TempoFinding {
    TempoFinding(
      bpm: 100, confidence: 0.5, candidates: list.map { TempoFinding.Candidate(bpm: $0.0, weight: $0.1) },
      isStable: true, map: [], beats: [])
  }

  @Test func choicesOfATrack() throws {
    let track = try #require(
      reviewed(
        candidates([
          (101.9, 0.4), (50.9, 0.2), (199, 0.1), (97.9, 0.05), (102.1, 0.04), (150, 0.03), (150.1, 0.02), (9.9, 0.02),
          (66, 0.01), (75, 0.0099), (133, 0.02), (300, 0.02),
        ])))
    #expect(track.found == .init(bpm: 100, weight: 0.4) && track.half == .init(bpm: 50, weight: 0.2))
    #expect(track.double == .init(bpm: 200, weight: 0.1))
    #expect(track.others.map(\.bpm) == [97.9, 102.1, 150, 66, 133])
    #expect(track.others.map(\.weight) == [0.05, 0.04, 0.03, 0.01, 0.02])
    #expect(track.tempi == [100, 50, 200, 97.9, 102.1, 150, 66, 133])
    let bare = try #require(reviewed(candidates([])))
    #expect(bare.found == .init(bpm: 100, weight: nil) && bare.half.weight == nil && bare.others.isEmpty)
    #expect(reviewed(TempoFinding.none(reason: "silence")) == nil)
    // Tempi that cannot be set are not offered.
    let wide = try #require(reviewed(candidates([(1000.1, 0.5), (1000, 0.4), (10, 0.3)])))
    #expect(wide.others.map(\.bpm) == [1000, 10])
  }

  @Test func wordsForConfidence() {
    let words = ["very doubtful", "doubtful", "uncertain", "likely", "sure"]
    for (index, limit) in [0.2, 0.4, 0.6, 0.8].enumerated() {
      #expect(ReviewedTrack.words(for: limit.nextDown) == words[index])
      #expect(ReviewedTrack.words(for: limit) == words[index + 1])
    }
  }

  @Test(
    arguments: [
      (0.375, 0.5, true, "octave"), (0.37, 0.5, true, nil), (0.37, 0.5, false, "varies"), (0.375, 0.5, false, "octave"),
      (0.6, 0.75, true, nil), (0.6, 0.75, false, "varies"), (0.7, 0.74, true, "octave"), (0, 0, false, nil),
      (0.5, 0.5, true, "octave"), (0.5, 0, false, nil),
    ] as [(Double, Double, Bool, String?)])
  func doubts(confidence: Double, octave: Double, isStable: Bool, kind: String?) throws {
    let tempo = TempoFinding(
      bpm: 100, confidence: confidence, octaveConfidence: octave, candidates: [], isStable: isStable, map: [], beats: []
    )
    let expected = ["octave": "The pulse is clear; half or double tempo is in doubt.", "varies": "The tempo varies."]
    #expect(try #require(reviewed(tempo)).doubt == kind.flatMap { expected[$0] })
  }
}
