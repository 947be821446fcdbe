import Analysis
import AnalysisTesting
import LibraryTesting
import SystemPackage
import Testing
import Text

@testable import Server

/// Audio features, analyses and recommendations of `/v1`.
@Suite(.bounded) struct SoundRoutesTests {
  private static func tempo(_ bpm: Double, beats: [Double] = [], downbeats: [Double]? = nil) -> TempoFinding {
    TempoFinding(
      bpm: bpm, confidence: 0.8, candidates: [], isStable: true, map: [], beats: beats, downbeats: downbeats)
  }

  private func intervals(_ value: JSONValue) -> [[Double]] {
    func number(_ value: JSONValue) -> Double {
      switch value {
      case .number(let number): number
      case .integer(let number): Double(number)
      default: .nan
      }
    }
    return value.list.map { [number($0["start"]), number($0["duration"]), number($0["confidence"])] }
  }

  /// An interval lasts until the next begins; the last as long as the one before, but not longer than the track.
  @Test func beatsBecomeIntervals() async throws {
    let files = [
      ("many", [1, 1.5, 2.25], [1.0, 2.25]), ("one", [150], [150.0]), ("late", [199, 199.5, 199.75], []),
      ("beyond", [199, 200.5], nil), ("none", [], []),
    ].map { name, beats, downbeats in
      LibraryFile(
        path: FilePath("/music/\(name).flac"), tags: ["title": [name]],
        findings: [("tempo", Self.tempo(120, beats: beats, downbeats: downbeats))])
    }
    let library = try await ServedLibrary(files)
    func lists(_ file: LibraryFile) async throws -> [[[Double]]] {
      let analysis = try await library.get("/v1/audio-analysis/\(file.id)").json
      return ["beats", "tatums", "bars"].map { intervals(analysis[$0]) }
    }
    #expect(
      try await lists(files[0]) == [
        [[1, 0.5, 0.8], [1.5, 0.75, 0.8], [2.25, 0.75, 0.8]],
        [[1, 0.25, 0.8], [1.25, 0.25, 0.8], [1.5, 0.375, 0.8], [1.875, 0.375, 0.8], [2.25, 0.375, 0.8]],
        [[1, 1.25, 0.8], [2.25, 1.25, 0.8]],
      ])
    #expect(try await lists(files[1]) == [[[150, 50, 0.8]], [[150, 50, 0.8]], [[150, 50, 0.8]]])
    #expect(try await lists(files[2])[0] == [[199, 0.5, 0.8], [199.5, 0.25, 0.8], [199.75, 0.25, 0.8]])
    #expect(try await lists(files[3])[0] == [[199, 1, 0.8], [200.5, 0, 0.8]])
    #expect(try await lists(files[4]) == [[], [], []])
    try await library.stop()
  }

  /// Numbers in place of values that are unknown, or null for clients that ask for it.
  @Test func unknownValuesHaveNumbers() async throws {
    let file = LibraryFile(path: "/music/1.flac", tags: ["title": ["One"]])
    let library = try await ServedLibrary([file])
    let expected: [String: JSONValue] = [
      "danceability": .number(0), "energy": .number(0), "speechiness": .number(0), "acousticness": .number(0),
      "instrumentalness": .number(0), "liveness": .number(0), "valence": .number(0), "tempo": .number(0),
      "loudness": .number(-60), "mode": -1, "time_signature": 0,
    ]
    let numbers = try await library.get("/v1/audio-features/\(file.id)").json
    let nulls = try await library.get("/v1/audio-features/\(file.id)?nulls=1").json
    for (name, value) in expected {
      #expect(numbers[name] == value && nulls[name] == .null, "\(name)")
    }
    for answer in [numbers, nulls] { #expect(answer["key"] == -1 && answer["duration_ms"] == 200_000) }
    let track = try await library.get("/v1/audio-analysis/\(file.id)").json["track"]
    let nullTrack = try await library.get("/v1/audio-analysis/\(file.id)?nulls=1").json["track"]
    for (name, value) in [
      ("tempo_confidence", .number(0)), ("key_confidence", .number(0)), ("mode_confidence", .number(0)),
      ("end_of_fade_in", .number(0)), ("start_of_fade_out", .number(200)), ("codestring", ""), ("rhythmstring", ""),
      ("tempo", .number(0)), ("loudness", .number(-60)), ("mode", -1), ("time_signature", 0),
    ] as [(String, JSONValue)] {
      #expect(track[name] == value && nullTrack[name] == .null, "\(name)")
    }
    #expect(track["num_samples"] == 8_820_000 && track["analysis_sample_rate"] == 44_100)
    #expect(track["analysis_channels"] == 2 && track["duration"] == .number(200))
    try await library.stop()
  }

  private static let songs = (1...30).map { number in
    LibraryFile(
      path: FilePath("/music/\(number).flac"),
      tags: ["title": ["\(number)"], "artist": ["Band \(number)"], "genre": ["House"]],
      findings: [
        ("tempo", tempo(100 + Double(number))),
        ("traits", TraitsFinding(energy: 0.5, danceability: 0.5, speechiness: 0.1)),
      ])
  }

  private func numbers(_ answer: ServedLibrary.Answer) -> [Int] {
    answer.json["tracks"].list.compactMap { Int($0["name"].text) }
  }

  @Test func recommendationsKeepToTheirLimits() async throws {
    let library = try await ServedLibrary(Self.songs)
    func ask(_ query: String) async throws -> ServedLibrary.Answer {
      try await library.get("/v1/recommendations?seed_tracks=\(Self.songs[9].id)&\(query)")
    }
    #expect(try await numbers(ask("")).count == 20)
    #expect(try await numbers(ask("limit=3")).count == 3)
    let fast = try await numbers(ask("min_tempo=121"))
    let slow = try await numbers(ask("max_tempo=105&min_energy="))
    #expect(!fast.isEmpty && fast.allSatisfy { $0 >= 21 } && !slow.isEmpty && slow.allSatisfy { $0 <= 5 })
    // Unmeasured attributes have no effect.
    #expect(try await numbers(ask("min_valence=0.9&target_popularity=50")).count == 20)
    for query in ["min_tempo=x", "max_energy=nan", "target_tempo=inf", "min_valence=x"] {
      let answer = try await ask(query)
      #expect(answer.status == 400 && answer.json["error"]["message"].text.hasSuffix("must be a number."), "\(query)")
    }
    try await library.stop()
  }

  /// Up to five seeds of all kinds together.
  @Test func seedsAreCountedTogether() async throws {
    let library = try await ServedLibrary(Self.songs)
    let tracks = Self.songs.map(\.id)
    var artists: [String] = []
    for id in tracks.prefix(6) {
      artists.append(try await library.get("/v1/tracks/\(id)").json["artists"][0]["id"].text)
    }
    for (trackCount, artistCount, genreCount, isTaken) in [
      (5, 0, 0, true), (6, 0, 0, false), (0, 5, 0, true), (0, 6, 0, false), (0, 0, 1, true), (2, 2, 1, true),
      (2, 2, 2, false), (3, 3, 0, false), (0, 0, 0, false), (1, 4, 0, true), (4, 0, 2, false), (0, 4, 2, false),
    ] {
      let query = [
        "seed_tracks=\(tracks.prefix(trackCount).joined(separator: ","))",
        "seed_artists=\(artists.prefix(artistCount).joined(separator: ","))",
        "seed_genres=\((0..<genreCount).map { $0 == 0 ? "house" : "jazz" }.joined(separator: ","))",
      ].joined(separator: "&")
      let answer = try await library.get("/v1/recommendations?\(query)")
      #expect(answer.status == (isTaken ? 200 : 400), "\(trackCount), \(artistCount), \(genreCount)")
      guard isTaken else { continue }
      #expect(answer.json["seeds"].list.count == trackCount + artistCount + genreCount)
    }
    try await library.stop()
  }
}
