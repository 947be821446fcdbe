import Analysis
import AnalysisEngine
import AnalysisTesting
import BuiltInAnalyzers
import Filters
import Foundation
import LibraryTesting
import Pipeline
import ResultStore
import SystemPackage
import Testing

@testable import LibraryTasks

/// Choosing tracks from a list and from a library.
@Suite(.bounded) struct PlaylistProposalTests {
  private func request(
    _ order: PlaylistOrder = .mix, _ length: PlaylistLength = .all,
    _ change: (inout PlaylistProposal.Request) -> Void = { _ in }
  ) -> PlaylistProposal.Request {
    var request = PlaylistProposal.Request()
    (request.order, request.length) = (order, length)
    change(&request)
    return request
  }

  /// Every later version must choose the same tracks for a seed. By FNV-1a and SplitMix64 in Python.
  @Test(
    arguments: [
      (0, [0, 18, 3, 17, 23, 14, 20, 11, 7, 2, 8, 9, 21, 13, 6, 10, 4, 1, 15, 16, 12, 5, 19, 22]),
      (1, [20, 17, 19, 23, 1, 2, 12, 10, 18, 21, 8, 4, 16, 9, 3, 14, 5, 7, 0, 13, 15, 6, 22, 11]),
      (1_099_511_627_783, [16, 3, 18, 12, 15, 10, 0, 6, 8, 19, 20, 1, 17, 2, 5, 7, 21, 11, 22, 14, 9, 13, 23, 4]),
    ] as [(UInt64, [Int])])
  func seedsStayTheSame(seed: UInt64, shuffled: [Int]) {
    let library = (0..<24).map { PlaylistTrack(path: FilePath("/music/\($0).flac"), bpm: 60 + Double($0 * 7 % 24) * 5) }
    for count in 1...24 {
      let playlist = PlaylistProposal(of: library, request(.tempo, .tracks(count)) { $0.seed = seed })
      let chosen = Set(shuffled.prefix(count).map { FilePath("/music/\($0).flac") })
      #expect(Set(playlist.tracks.map(\.path)) == chosen, "\(count)")
    }
    let first = PlaylistProposal(of: library, request(.mix, .tracks(1)) { $0.seed = seed })
    #expect(first.tracks.map(\.path) == [FilePath("/music/\(shuffled[0]).flac")])
  }

  @Test func defaults() {
    let request = PlaylistProposal.Request()
    #expect(request.spacing == 0 && request.seed == 0 && request.order == .mix && request.length == .all)
    #expect(PlaylistProposal.maxMixTracks == 10_000 && PlaylistProposal.defaultCount == 25)
    let playlist = PlaylistProposal(of: [], request)
    #expect(playlist.tracks.isEmpty && playlist.duration == 0 && playlist.unmeasuredCount == 0)
    #expect(playlist.wantedDuration == nil && playlist.repeatCount == 0)
  }

  /// Likeness decides which tracks are chosen, and the mix only their order.
  @Test func tracksThatSoundLikeAFileAreTheFirst() {
    let library = PlaylistTests.library(30)
    for order in PlaylistOrder.allCases {
      let playlist = PlaylistProposal(of: library, request(order, .tracks(8)) { $0.like = "/music/x.flac" })
      #expect(Set(playlist.tracks.map(\.path)) == Set(library.prefix(8).map(\.path)), "\(order)")
    }
    let playlist = PlaylistProposal(of: library, request(.mix, .tracks(8)) { $0.like = "/music/x.flac" })
    let sequence = TrackSequence(Array(library.prefix(8)), spacing: 0)
    #expect(playlist.tracks == sequence.improved(sequence.chain(Array(0..<8))).map { library[$0] })
  }

  @Test func onlyMixesAreLimited() {
    let library = (0..<10_001).map { PlaylistTrack(path: FilePath("/\($0)")) }
    #expect(PlaylistProposal(of: library, request(.path)).tracks.count == 10_001)
  }

  @Test func changesFromTrackToTrack() {
    let values: [(Double, String?)] = [
      (120, "8A"), (126, "9A"), (0, "9B"), (63, nil), (126, "1A"), (1, "7A"),
    ]
    let tracks = values.enumerated().map {
      PlaylistTrack(
        path: FilePath("/\($0.offset)"), duration: $0.offset == 0 ? nil : 10.25, bpm: $0.element.0, key: $0.element.1)
    }
    var playlist = PlaylistProposal(of: [], request())
    playlist.tracks = tracks
    #expect(playlist.tempoChanges.count == 3 && abs(playlist.tempoChanges[0] - 5) < 1e-9)
    #expect(playlist.tempoChanges[1] < 1e-9 && playlist.keySteps == [1, 1, 6] && playlist.duration == 51.25)
    playlist.tracks = [tracks[2], tracks[2], tracks[0]]
    #expect(playlist.tempoChanges.isEmpty)
  }

  @Test func ordersByValue() {
    let values: [(Double?, String?, Double?)] = [
      (100, "2A", 0.5), (90, "1B", 0.5), (nil, "1A", nil), (100, nil, 0.25),
    ]
    let library = values.enumerated().map {
      PlaylistTrack(
        path: FilePath("/\(3 - $0.offset)"), bpm: $0.element.0, key: $0.element.1, energy: $0.element.2)
    }
    #expect(PlaylistOrder.tempo.sorted(library) == [1, 3, 0, 2])
    #expect(PlaylistOrder.key.sorted(library) == [2, 1, 0, 3])
    #expect(PlaylistOrder.energy.sorted(library) == [3, 1, 0, 2])
    for order in [PlaylistOrder.mix, .path] { #expect(order.sorted(library) == [3, 2, 1, 0]) }
  }

  // MARK: JSON

  private func object(_ playlist: PlaylistProposal) throws -> [String: Any] {
    try #require(JSONSerialization.jsonObject(with: Data(playlist.ndjsonLine)) as? [String: Any])
  }

  @Test func answersInJSON() throws {
    var playlist = PlaylistProposal(of: [], request(.tempo))
    var answer = try object(playlist)
    #expect(!(answer["mean_tempo_change_percent"] is Double) && !(answer["mean_key_steps"] is Double))
    #expect(answer["duration_s"] as? Double == 0)
    playlist.tracks = [("8A", 120.0), ("9A", 124), ("9A", 124), ("11A", 124)].enumerated().map {
      PlaylistTrack(
        path: FilePath("/\($0.offset).mp3"), title: "T\($0.offset)", duration: 10.0004, bpm: $0.element.1,
        key: $0.element.0)
    }
    playlist.candidateCount = 9
    answer = try object(playlist)
    // The changes are 3.33…, 0 and 0 percent; the steps are 1, 0 and 2.
    #expect(answer["mean_tempo_change_percent"] as? Double == 1.11 && answer["mean_key_steps"] as? Double == 1)
    #expect(answer["duration_s"] as? Double == 40.002 && answer["candidates"] as? Int == 9)
    let tracks = try #require(answer["tracks"] as? [[String: Any]])
    #expect(tracks.map { $0["number"] as? Int } == [1, 2, 3, 4])
    #expect(tracks.map { $0["title"] as? String } == ["T0", "T1", "T2", "T3"])
    playlist.tracks.removeLast()
    playlist.tracks.append(PlaylistTrack(path: "/x.mp3", duration: 0.00049, bpm: 124, key: "10A"))
    playlist.tracks.append(PlaylistTrack(path: "/y.mp3", bpm: 124, key: "10A"))
    #expect(try object(playlist)["duration_s"] as? Double == 30.002)
    playlist.tracks[3].key = "11A"
    playlist.tracks.removeLast()
    playlist.tracks[0].key = "7A"
    // (2 + 0 + 2) / 3
    #expect(try object(playlist)["mean_key_steps"] as? Double == 1.33)
  }

  // MARK: The library

  private func store(_ files: [LibraryFile]) throws -> (ResultStore, TemporaryDirectory) {
    let folder = try TemporaryDirectory()
    let store = try ResultStore(path: folder.file("library.sqlite"), findings: BuiltInAnalyzers.findings)
    try LibraryFiles(files).merge(into: store)
    return (store, folder)
  }

  private func proposal(_ request: PlaylistProposal.Request, _ store: ResultStore) throws -> PlaylistProposal {
    try PlaylistProposal(request, in: store, reading: SoundReading(by: SingleFileAnalysis(timeLimit: .standard)))
  }

  @Test func tracksOfTheLibrary() throws {
    var failed = LibraryFile(path: "/music/failed.mp3", tags: [:])
    failed.failure = Problem(stage: .open, code: "empty", message: "Empty.")
    let calm = LibraryFile.sounding(
      "calm", angle: 30, artist: "A", genres: ["Jazz"],
      [LibraryFile.tempo(90), ("traits", TraitsFinding(energy: 0.25, danceability: 0, speechiness: 0))])
    let (store, folder) = try store([
      failed, calm, .sounding("loud", angle: 0, genres: ["Rock"]), .sounding("odd", angle: 70, seconds: 100),
    ])
    defer { withExtendedLifetime(folder) {} }
    let all = try proposal(self.request(.path), store)
    #expect(all.tracks.map { $0.path.stem } == ["calm", "loud", "odd"] && all.candidateCount == 3)
    let track = all.tracks[0]
    #expect(track.bpm == 90 && track.artist == "A" && track.title == "calm" && track.duration == LibraryFile.seconds)
    #expect(track.contentID == calm.contentID && track.energy == nil && track.likeness == nil)
    #expect(all.duration == 500)
    let energetic = try proposal(self.request(.energy), store).tracks
    #expect(energetic.map(\.energy) == [0.25, nil, nil] && energetic[0].path == calm.path)
    func request(_ genre: String, _ order: PlaylistOrder = .mix, like: FilePath? = nil) throws
      -> PlaylistProposal.Request
    {
      var request = self.request(order)
      request.filter = try TrackFilter(parsing: "genre:\(genre)")
      request.like = like
      return request
    }
    let jazz = try proposal(request("jazz"), store)
    #expect(jazz.tracks.map(\.path) == [calm.path])
    let like = try proposal(self.request(.path) { $0.like = "/music/loud.flac" }, store).tracks
    #expect(like.map { $0.path.stem } == ["calm", "odd"] && like.allSatisfy { $0.likeness != nil })
    #expect(like[0].energy == 0.25 && like[0].bpm == 90)
    #expect(throws: PlaylistError.nothingMatches) {
      try proposal(request("none"), store)
    }
    #expect(throws: PlaylistError.noEnergies) {
      try proposal(request("rock", .energy), store)
    }
    // The order counts nothing for tracks that sound like a file, so no energy is needed.
    #expect(
      try proposal(request("rock", .energy, like: "/music/calm.flac"), store).tracks.map { $0.path.stem } == ["loud"])
  }

  @Test func aFewTracksThatSoundLikeAFile() throws {
    let files = (0..<40).map { LibraryFile.sounding("\($0)", angle: Double($0) * 4 + 20) }
    let (store, folder) = try store(files + [.sounding("seed", angle: 0)])
    defer { withExtendedLifetime(folder) {} }
    func count(_ length: PlaylistLength) throws -> Int {
      try proposal(request(.path, length) { $0.like = "/music/seed.flac" }, store).tracks.count
    }
    #expect(try count(.all) == 25 && count(.tracks(30)) == 30 && count(.tracks(99)) == 40)
  }

  @Test func messages() {
    #expect("\(PlaylistError.tooMany(12_000))".hasPrefix("12000 tracks match, but --order mix takes at most 10000."))
    #expect("\(PlaylistError.cannotWrite("/a", reason: "it is full"))" == "/a cannot be written: it is full.")
  }
}
