import Analysis
import AnalysisEngine
import AnalysisTesting
import BuiltInAnalyzers
import Filters
import LibraryStore
import LibraryTesting
import Pipeline
import Platform
import Records
import ResultStore
import SystemPackage
import Testing
import Text

@testable import LibraryTasks

/// Tracks that sound like a file, each recording once.
@Suite(.bounded) struct SimilarTracksTests {
  private let folder: TemporaryDirectory
  private let store: ResultStore

  init() throws {
    folder = try TemporaryDirectory()
    store = try ResultStore(path: folder.file("library.sqlite"), findings: BuiltInAnalyzers.findings)
  }

  private var similar: SimilarTracks {
    SimilarTracks(in: store, reading: SoundReading(by: SingleFileAnalysis(timeLimit: .standard)))
  }

  private func near(_ name: String, limit: Int = 10, matching filter: String = "") throws -> SimilarTracks.Answer {
    try similar.near(FilePath("/music/\(name).flac"), limit: limit, matching: TrackFilter(parsing: filter))
  }

  private func names(_ answer: SimilarTracks.Answer) -> [String] { answer.tracks.map { $0.record.path.stem ?? "" } }

  @Test func nearerTracksComeFirst() throws {
    try LibraryFiles([
      .sounding("seed", angle: 0), .sounding("c", angle: 90), .sounding("a", angle: 30), .sounding("b", angle: 60),
      .sounding("mute", angle: nil),
    ]).merge(into: store)
    let answer = try near("seed")
    #expect(names(answer) == ["a", "b", "c"] && answer.tracks.map(\.rank) == [1, 2, 3])
    #expect(answer.comparedCount == 3 && answer.leftOutCount == 0 && answer.path == "/music/seed.flac")
    let likeness = answer.tracks.map(\.likeness)
    #expect(likeness == likeness.sorted(by: >) && likeness.allSatisfy { (0...1).contains($0) } && likeness[0] > 0.3)
    #expect(likeness.allSatisfy { ($0 * 1000).rounded() / 1000 == $0 })
    #expect(try names(near("seed", limit: 2)) == ["a", "b"] && names(near("seed", limit: 3)) == ["a", "b", "c"])
    #expect(try names(near("c", limit: 1)) == ["b"])
  }

  @Test func eachRecordingIsThereOnce() throws {
    var copy = LibraryFile.sounding("copy", angle: 80)
    let far = LibraryFile.sounding("far", angle: 80)
    copy.contentID = far.contentID
    var (printed, other) = (
      LibraryFile.sounding("printed", angle: 0), LibraryFile.sounding("other print", angle: 2, seconds: 199)
    )
    for (index, name) in UntidyLibrary.fingerprints.enumerated() {
      let finding = FingerprintFinding(algorithm: "chromaprint-2", duration: 8, value: name)
      if index == 0 { printed.findings.append(("chromaprint", finding)) }
      if index == 1 { other.findings.append(("chromaprint", finding)) }
    }
    try LibraryFiles([
      printed, other, .sounding("longer", angle: 1, seconds: 205), .sounding("too long", angle: 3, seconds: 205.1),
      .sounding("shorter", angle: 4, seconds: 195), .sounding("other", angle: 40), .sounding("twin", angle: 41),
      far, copy,
    ]).merge(into: store)
    // Copies of the file itself and of an earlier track are left out; twins that are not like the file are kept.
    let answer = try near("printed", limit: 20)
    #expect(Set(names(answer).prefix(4)) == ["other print", "too long", "other", "twin"])
    #expect(["far", "copy"].contains(names(answer).last ?? ""))
    #expect(answer.leftOutCount == 3 && answer.tracks.map(\.rank) == Array(1...5) && answer.comparedCount == 8)
  }

  /// More tracks are compared until there are enough that match.
  @Test func filtersLookAsFarAsNeeded() throws {
    let files = (0..<60).map { LibraryFile.sounding("near \($0)", angle: Double($0) / 6 + 15) }
    try LibraryFiles(
      files + [.sounding("seed", angle: 0), .sounding("wanted", angle: 120, genres: ["Jazz"])]
    ).merge(into: store)
    #expect(try names(near("seed", limit: 1, matching: "genre:jazz")) == ["wanted"])
    #expect(try names(near("seed", limit: 5, matching: "genre:jazz")) == ["wanted"])
    #expect(try near("seed", limit: 5, matching: "genre:rock").tracks.isEmpty)
    #expect(try near("seed", limit: 61).tracks.count == 61)
  }

  @Test func aFileThatIsGoneIsStillAQuestion() throws {
    let library = LibraryFiles([
      .sounding("gone", angle: 0), .sounding("a", angle: 30), .sounding("b", angle: 60),
    ])
    try library.merge(into: store)
    #expect(try near("gone").comparedCount == 2)
    try library.run(in: store, root: "/music", without: ["/music/gone.flac"], skipping: [], analyzed: .now)
    let answer = try near("gone")
    #expect(answer.comparedCount == 2 && names(answer) == ["a", "b"])
    #expect(try names(near("a")) == ["b"])
  }

  @Test func questionsWithoutAnAnswer() throws {
    #expect { try near("a") } throws: { error in
      "\(error)".hasPrefix("No file in the database \(store.path) has a likeness descriptor.")
    }
    var silent = LibraryFile.sounding("silent", angle: nil)
    silent.findings = [("likeness", LikenessFinding.none(reason: "silence"))]
    try LibraryFiles([.sounding("a", angle: 0), silent]).merge(into: store)
    #expect { try near("silent") } throws: { "\($0)" == "/music/silent.flac cannot be compared: it is silent." }
    #expect(throws: UnknownFile.self) { try near("none") }
    for (reason, text) in [
      ("silence", "it is silent."), ("too_short", "it is shorter than 5 s."), (nil, "it has no audio."),
    ] {
      let error = SimilarTracksError.noDescriptor("/a", reason: reason)
      #expect("\(error)" == "/a cannot be compared: \(text)")
    }
    #expect(SimilarTracks.limits == 1...1000)
  }

  /// The descriptor of a file that no run has seen is computed.
  @Test func unknownFilesAreRead() throws {
    try LibraryFiles([.sounding("a", angle: 0), .sounding("b", angle: 30)]).merge(into: store)
    let path = try folder.write(.chords(sampleRate: 22_050, seconds: 6), as: "new.wav")
    let answer = try similar.near(path, limit: 5)
    #expect(answer.comparedCount == 2 && answer.tracks.count == 2 && answer.path == path)
    let words = try folder.write(Array("no music".utf8), as: "words.wav")
    #expect { try similar.near(words, limit: 5) } throws: { "\($0)".hasPrefix("\(words) cannot be read: ") }
  }
}
