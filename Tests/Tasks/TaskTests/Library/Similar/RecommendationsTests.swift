import Analysis
import AnalysisTesting
import BuiltInAnalyzers
import LibraryStore
import LibraryTesting
import ResultStore
import SystemPackage
import Testing

@testable import LibraryTasks

/// Tracks of one genre without descriptors, named by their tempi.
@Suite(.bounded) struct RecommendationsTests {
  private let folder: TemporaryDirectory
  private let recommendations: Recommendations
  private let seed: String

  init() throws {
    folder = try TemporaryDirectory()
    let store = try ResultStore(path: folder.file("library.sqlite"), findings: BuiltInAnalyzers.findings)
    let files = ["seed", "100", "120", "140", "unknown"].map { name in
      var file = LibraryFile(
        path: FilePath("/music/\(name).flac"), tags: ["title": [name], "artist": ["By \(name)"], "genre": ["Techno"]])
      if let bpm = Double(name) {
        let tempo = TempoFinding(bpm: bpm, confidence: 1, candidates: [], isStable: true, map: [], beats: [])
        file.findings = [("tempo", tempo)]
      }
      return file
    }
    try LibraryFiles(files).merge(into: store)
    seed = files[0].id
    recommendations = Recommendations(store: store, neighbors: SoundNeighbors(try DescriptorCache(in: store)))
  }

  private func answer(_ change: (inout Recommendations.Request) -> Void) throws -> Recommendations.Answer {
    var request = Recommendations.Request()
    request.tracks = [seed]
    change(&request)
    return try recommendations.tracks(request)
  }

  @Test func boundsKeepOutWhatIsOutsideOrNotKnown() throws {
    let answer = try answer {
      $0.minimum[.tempo] = 110
      $0.maximum[.tempo] = 140
    }
    #expect(Set(answer.songs.map(\.title)) == ["120", "140"])
    #expect(answer.filteredCount == 2 && answer.seeds.map(\.poolSize) == [1])
  }

  @Test func nearerToTheTargetComesFirst() throws {
    // An unknown tempo counts as 30 beats per minute off.
    #expect(try answer { $0.target[.tempo] = 135 }.songs.map(\.title) == ["140", "120", "unknown", "100"])
  }

  @Test func theSeedIsNotRecommended() throws {
    let answer = try answer { $0.limit = 2 }
    #expect(answer.songs.count == 2 && answer.filteredCount == 4)
    #expect(!answer.songs.contains { $0.id == seed })
  }

  @Test func boundsAreIncluded() throws {
    #expect(try Set(answer { $0.minimum[.tempo] = 120 }.songs.map(\.title)) == ["120", "140"])
    #expect(try Set(answer { $0.maximum[.tempo] = 120 }.songs.map(\.title)) == ["100", "120"])
    let unbounded = try answer { _ in }
    #expect(unbounded.songs.map(\.id) == unbounded.songs.map(\.id).sorted() && unbounded.songs.count == 4)
  }
}

/// Artists and genres as seeds, and the variety of what is recommended.
@Suite(.bounded) struct VariedRecommendationsTests {
  private let folder: TemporaryDirectory
  private let store: ResultStore

  init() throws {
    folder = try TemporaryDirectory()
    store = try ResultStore(path: folder.file("library.sqlite"), findings: BuiltInAnalyzers.findings)
  }

  private func recommendations(_ files: [LibraryFile]) throws -> Recommendations {
    try LibraryFiles(files).merge(into: store)
    return Recommendations(store: store, neighbors: SoundNeighbors(try DescriptorCache(in: store)))
  }

  private func titles(
    _ recommendations: Recommendations, _ change: (inout Recommendations.Request) -> Void
  ) throws -> [String] {
    var request = Recommendations.Request()
    change(&request)
    return try recommendations.tracks(request).songs.map(\.title)
  }

  @Test func soundAlikeComesFirst() throws {
    let files: [LibraryFile] = [
      .sounding("far", angle: 80), .sounding("seed", angle: 0, genres: ["Jazz"]), .sounding("near", angle: 20),
      .sounding("middle", angle: 50), .sounding("same genre", angle: nil, genres: ["Jazz"]),
    ]
    let recommendations = try recommendations(files)
    #expect(
      try titles(recommendations) { $0.tracks = [files[1].id] }.filter { $0 != "same genre" }
        == ["near", "middle", "far"])
    #expect(try titles(recommendations) { $0.tracks = [files[1].id] }.count == 4)
    let neighbors = SoundNeighbors(try DescriptorCache(in: store))
    func row(_ index: Int) throws -> Int64 { try #require(try store.song(id: files[index].id)).row.fileID }
    let near = try neighbors.near(files: [row(1)], limit: 9)
    #expect(try near.map(\.file) == [row(2), row(3), row(0)])
    // The likeness to the nearest of several files counts.
    let both = try neighbors.near(files: [row(1), row(0)], limit: 9)
    #expect(try Set(both.map(\.file)) == [row(2), row(3)])
    #expect(both.map(\.likeness) == both.map(\.likeness).sorted(by: >))
    #expect(try both.first { try $0.file == row(2) }?.likeness == near.first?.likeness)
    #expect(try neighbors.near(files: [row(4)], limit: 9).isEmpty && neighbors.near(files: [], limit: 9).isEmpty)
    #expect(try neighbors.near(files: [row(4) + 1000, 0], limit: 9).isEmpty)
    for index in 0..<4 { #expect(try neighbors.near(files: [row(index)], limit: 9).count == 3) }
  }

  @Test func seedsAreRepresentedByAFewTracks() throws {
    let files = (0..<6).map { LibraryFile.sounding("own \($0)", angle: nil, artist: "Queen", genres: ["Rock"]) }
    let others = (0..<30).map { LibraryFile.sounding("other \($0)", angle: nil, genres: ["rock"]) }
    let recommendations = try recommendations(files + others)
    var request = Recommendations.Request()
    request.artists = [SongArtist(named: "queen").id]
    request.genres = [LibraryGenre.id(ofName: "Rock")]
    request.tracks = [files[5].id, "unknown"]
    let answer = try recommendations.tracks(request)
    #expect(answer.seeds.map(\.poolSize) == [1, 0, 5, 5])
    #expect(answer.seeds.map(\.kind) == [.track, .track, .artist, .genre])
    #expect(answer.songs.count == 20 && answer.filteredCount >= 25)
    // Many more candidates are compared than are wanted.
    request.limit = 1
    let one = try recommendations.tracks(request)
    #expect(one.songs.count == 1 && one.filteredCount == answer.filteredCount)
  }

  @Test func noArtistTakesMoreThanAShare() throws {
    let own = (0..<4).map {
      LibraryFile.sounding("own \($0)", angle: nil, artist: "Abba", genres: ["Pop"], [LibraryFile.tempo(120)])
    }
    let others = (0..<3).map {
      LibraryFile.sounding("other \($0)", angle: nil, genres: ["Pop"], [LibraryFile.tempo(135)])
    }
    var copy = LibraryFile.sounding("copy", angle: nil, genres: ["Pop"])
    copy.contentID = others[0].contentID
    var same = LibraryFile.sounding("OTHER 1", angle: nil, artist: "By other 1", genres: ["Pop"])
    same.path = "/music/same title.flac"
    let seed = LibraryFile.sounding("seed", angle: nil, genres: ["Pop"])
    let recommendations = try recommendations(own + others + [copy, same, seed])
    func list(_ limit: Int) throws -> [String] {
      try titles(recommendations) { request in
        (request.tracks, request.limit, request.target) = ([seed.id], limit, [.tempo: 120])
      }
    }
    let ten = try list(10)
    #expect(ten.prefix(2).allSatisfy { $0.hasPrefix("own") } && ten.count == 7)
    // A copy, and another file of the same title and artist, are left out.
    #expect(!ten.dropFirst(2).prefix(3).contains { $0.hasPrefix("own") })
    #expect(ten.suffix(2).allSatisfy { $0.hasPrefix("own") })
    #expect(try list(15).prefix(3).allSatisfy { $0.hasPrefix("own") } && !list(15)[3].hasPrefix("own"))
  }

  @Test func artistsThatAreAlike() throws {
    let recommendations = try recommendations([
      .sounding("a", angle: 0, artist: "Queen"), .sounding("b", angle: 20, artist: "Near"),
      .sounding("c", angle: 25, artist: "Near"), .sounding("d", angle: 10, artist: "Queen"),
      .sounding("e", angle: 85, artist: "Far"),
    ])
    let queen = SongArtist(named: "Queen").id
    #expect(try recommendations.artists(like: queen, limit: 9).map(\.name) == ["Near", "Far"])
    #expect(try recommendations.artists(like: queen, limit: 1).map(\.name) == ["Near"])
    #expect(try recommendations.artists(like: "none", limit: 9).isEmpty)
  }
}

@Suite(.bounded) struct SoundAttributeTests {
  @Test func unitsAndValues() throws {
    #expect(SoundAttribute.allCases.map(\.unit) == [30, 0.5, 0.5, 0.5, 12, 120_000, 6, 1, 2])
    let folder = try TemporaryDirectory()
    let store = try ResultStore(path: folder.file("library.sqlite"), findings: BuiltInAnalyzers.findings)
    let tempo = TempoFinding(
      bpm: 120, confidence: 1, candidates: [], isStable: true, map: [], beats: [0, 0.5], metre: "3/4", downbeats: [0])
    let files = [MusicalKey.Mode.major, .minor].map { mode in
      let key = KeyFinding(key: MusicalKey(pitchClass: 2, mode: mode), confidence: 1, candidates: [], map: [])
      return LibraryFile.sounding(
        "\(mode)", angle: nil,
        [
          ("tempo", tempo), ("key", key), ("loudness", LoudnessFinding(integrated: -9)),
          ("traits", TraitsFinding(energy: 0.25, danceability: 0.5, speechiness: 0.75)),
        ])
    }
    try LibraryFiles(files).merge(into: store)
    for (features, mode) in zip(try store.traits(ofSongs: files.map(\.id)), [1.0, 0]) {
      let features = try #require(features)
      let values = SoundAttribute.allCases.map { $0.value(of: features) }
      #expect(values == [120, 0.25, 0.5, 0.75, -9, 200_000, 2, mode, 3])
    }
  }
}
