internal import Analysis
internal import Library
internal import LibraryStore
internal import LibraryTasks
internal import Records
internal import Serving

extension SpotifyRoutes {
  @RouteBuilder var sound: [Route] {
    read(
      "audio-features", "Tempo, key, loudness and traits of several tracks",
      SpotifyRequest.ids + [SpotifyRequest.nulls],
      answers: .only("audio_features", .list(.nullable(.features)), as: "AudioFeaturesList")
    ) { request, _ in
      try store.traits(ofSongs: request.ids(max: 100)).map { traits in traits.map { SpotifyAudioFeatures($0, request) }
      }
    }
    read(
      "audio-features/{id}", "Tempo, key, loudness and traits of a track", [SpotifyRequest.nulls], answers: .features
    ) { request, id in
      guard let traits = try store.traits(ofSongs: [SpotifyRequest.id(id)])[0] else {
        throw RequestError(.notFound, "There is no track with this id.")
      }
      return SpotifyAudioFeatures(traits, request)
    }
    read(
      "audio-analysis/{id}", "Bars, beats, tatums and sections of a track", [SpotifyRequest.nulls],
      answers: .audioAnalysis
    ) { request, id in
      let song = try song(id)
      guard let record = try store.record(at: song.row.path, long: ["beats"]) else {
        throw RequestError(.notFound, "There is no track with this id.")
      }
      return AudioAnalysis(song: song, record: record, unknown: MissingFeatures(request))
    }
    read(
      "recommendations", "Tracks that sound like the seeds",
      [.text("seed_tracks"), .text("seed_artists"), .text("seed_genres"), .integer("limit", Self.recommendationCounts)]
        + Self.attributes.keys.sorted().flatMap { name in
          ["min", "max", "target"].map { RouteParameter.number("\($0)_\(name)") }
        }, answers: .recommendations, .computing
    ) { request, _ in try recommend(request) }
  }

  private static let maxSeeds = 5
  private static let recommendationCounts = 1...100

  /// The attributes for which recommendations have parameters with the prefixes `min_`, `max_` and `target_`.
  /// Attributes that are not measured are `nil` here and have no effect.
  private static let attributes: [String: SoundAttribute?] = [
    "tempo": .tempo, "energy": .energy, "danceability": .danceability, "speechiness": .speechiness,
    "loudness": .loudness, "duration_ms": .milliseconds, "key": .key, "mode": .mode, "time_signature": .beatsPerBar,
    "acousticness": nil, "instrumentalness": nil, "liveness": nil, "valence": nil, "popularity": nil,
  ]

  private func recommend(_ request: SpotifyRequest) throws -> RecommendedTracks {
    var wanted = Recommendations.Request()
    wanted.limit = try request.integer("limit", in: Self.recommendationCounts, default: 20)
    wanted.tracks = try request.list("seed_tracks").map(SpotifyRequest.id)
    wanted.artists = try request.list("seed_artists").map(SpotifyRequest.id)
    wanted.genres = request.list("seed_genres").map { LibraryGenre.id(ofName: $0) }
    guard 1...Self.maxSeeds ~= wanted.tracks.count + wanted.artists.count + wanted.genres.count else {
      throw RequestError(
        .badRequest, "seed_tracks, seed_artists and seed_genres take 1 to \(Self.maxSeeds) seeds together.")
    }
    for (name, attribute) in Self.attributes {
      func number(_ kind: String) throws -> Double? {
        guard let text = request.fields["\(kind)_\(name)"], !text.isEmpty else { return nil }
        guard let number = Double(text), number.isFinite else {
          throw RequestError(.badRequest, "\(kind)_\(name) must be a number.")
        }
        return number
      }
      let (minimum, maximum, target) = try (number("min"), number("max"), number("target"))
      guard let attribute else { continue }
      wanted.minimum[attribute] = minimum
      wanted.maximum[attribute] = maximum
      wanted.target[attribute] = target
    }
    let answer = try recommendations.tracks(wanted)
    return RecommendedTracks(
      answer: answer, links: request.links, tracks: try linked(answer.songs, request.links).compactMap(\.self))
  }
}

private struct RecommendedTracks {
  let answer: Recommendations.Answer
  let links: SpotifyLinks
  let tracks: [LinkedTrack]
}

extension JSONType<RecommendedTracks> {
  fileprivate static var recommendations: Self {
    let seed = JSONType<(seed: Recommendations.Seed, count: Int, links: SpotifyLinks)>.object(
      "Seed", .required("initialPoolSize", .integer) { $0.seed.poolSize },
      .required("afterFilteringSize", .integer) { $0.count }, .required("afterRelinkingSize", .integer) { $0.count },
      .required("id", .text) { $0.seed.id }, .required("type", .text) { $0.seed.kind.rawValue.uppercased() },
      .optional("href", .text) {
        $0.seed.kind == .genre ? nil : "\($0.links.base)/v1/\($0.seed.kind.rawValue)s/\($0.seed.id)"
      })
    return .object(
      "Recommendations",
      .required("seeds", .list(seed)) { found in
        found.answer.seeds.map { ($0, found.answer.filteredCount, found.links) }
      },
      .required("tracks", .list(.track)) { $0.tracks })
  }
}

private struct SpotifyAudioFeatures {
  let traits: AudioFeatures
  let key: MusicalKey?
  let base: String
  let unknown: MissingFeatures

  init(_ traits: AudioFeatures, _ request: SpotifyRequest) {
    self.traits = traits
    key = traits.key.flatMap { MusicalKey($0) }
    base = request.base
    unknown = MissingFeatures(request)
  }
}

extension JSONType<SpotifyAudioFeatures> {
  fileprivate static var features: Self {
    .object(
      "AudioFeatures",
      groups: [
        .optional("danceability", .number(decimals: 3)) { $0.traits.danceability ?? $0.unknown.trait },
        .optional("energy", .number(decimals: 3)) { $0.traits.energy ?? $0.unknown.trait },
        .required("key", .integer) { $0.key?.pitchClass ?? -1 },
        .optional("loudness", .number(decimals: 3)) { $0.traits.integratedLoudness ?? $0.unknown.loudness },
        .optional("mode", .integer) { $0.key?.spotifyMode ?? $0.unknown.mode },
        .optional("speechiness", .number(decimals: 3)) { $0.traits.speechiness ?? $0.unknown.trait },
      ],
      ["acousticness", "instrumentalness", "liveness", "valence"].map { name in
        .optional(name, .number(decimals: 3)) { $0.unknown.trait }
      },
      [
        .optional("tempo", .number(decimals: 3)) { $0.traits.bpm ?? $0.unknown.tempo },
        .required("type", .text) { _ in "audio_features" }, .required("id", .text) { $0.traits.id },
        .required("uri", .text) { "spotify:track:\($0.traits.id)" },
        .required("track_href", .text) { "\($0.base)/v1/tracks/\($0.traits.id)" },
        .required("analysis_url", .text) { "\($0.base)/v1/audio-analysis/\($0.traits.id)" },
        .optional("duration_ms", .integer) { features in
          features.traits.durationSeconds.map { Int(($0 * 1000).rounded()) } ?? features.unknown.count
        },
        .optional("time_signature", .integer) {
          $0.traits.metre.flatMap(TempoFinding.beatsPerBar) ?? $0.unknown.timeSignature
        },
      ])
  }
}

extension MusicalKey {
  /// Spotify's number for the mode.
  fileprivate var spotifyMode: Int { mode == .major ? 1 : 0 }
}

/// The findings of a track under the names that Spotify's audio analysis uses. Lists of values that are not measured
/// are empty.
private struct AudioAnalysis {
  let song: Song
  let record: FileRecord
  let unknown: MissingFeatures

  var duration: Double { record.format?.duration ?? song.row.durationSeconds ?? 0 }
  var key: MusicalKey? { song.row.key.flatMap { MusicalKey($0) } }

  /// The times of the beats and of the points halfway between them, in seconds. No finer regular pulse is measured.
  var tatums: [Double] {
    let beats = record.tempo?.beats ?? []
    return beats.indices.flatMap { index in
      index + 1 < beats.count ? [beats[index], (beats[index] + beats[index + 1]) / 2] : [beats[index]]
    }
  }

  /// Returns an interval from each start to the next. The last interval has the duration of the one before it, or less
  /// if the track ends first. A single interval extends to the end of the track.
  func intervals(_ starts: [Double]) -> [Interval] {
    starts.indices.map { index in
      let last = index + 1 == starts.count
      let length =
        last
        ? (index > 0 ? starts[index] - starts[index - 1] : duration - starts[index]) : starts[index + 1] - starts[index]
      return Interval(
        start: starts[index], duration: max(0, min(length, duration - starts[index])),
        confidence: record.tempo?.confidence ?? unknown.confidence)
    }
  }
}

private struct Interval {
  let start: Double
  let duration: Double
  let confidence: Double?
}

extension JSONType<Interval> {
  fileprivate static var interval: Self {
    .object(
      "Interval",
      .required("start", .number(decimals: 5)) { $0.start },
      .required("duration", .number(decimals: 5)) { $0.duration },
      .optional("confidence", .number(decimals: 3)) { $0.confidence })
  }
}

extension Field<AudioAnalysis> {
  fileprivate static var keyFields: [Field] {
    [
      .required("key", .integer) { $0.key?.pitchClass ?? -1 },
      .optional("key_confidence", .number(decimals: 3)) { analysis in
        let confidence = analysis.key == nil ? nil : analysis.record.findings[KeyFinding.self]?.confidence
        return confidence ?? analysis.unknown.confidence
      },
      .optional("mode", .integer) { $0.key?.spotifyMode ?? $0.unknown.mode }, .unmeasured("mode_confidence"),
    ]
  }

  fileprivate static var meter: [Field] {
    [
      .optional("time_signature", .integer) {
        $0.record.tempo?.metre.flatMap(TempoFinding.beatsPerBar) ?? $0.unknown.timeSignature
      },
      .unmeasured("time_signature_confidence"),
    ]
  }

  fileprivate static func unmeasured(_ name: String) -> Field {
    .optional(name, .number(decimals: 3)) { $0.unknown.confidence }
  }
}

extension JSONType<AudioAnalysis> {
  fileprivate static var audioAnalysis: Self {
    .object(
      "AudioAnalysis", .required("meta", meta) { $0 }, .required("track", track) { $0 },
      .required("bars", .list(.interval)) { $0.intervals($0.record.tempo?.downbeats ?? []) },
      .required("beats", .list(.interval)) { $0.intervals($0.record.tempo?.beats ?? []) },
      .required("tatums", .list(.interval)) { $0.intervals($0.tatums) },
      .required("sections", .list(.analysisSection)) { analysis in
        (analysis.record.findings[SectionsFinding.self]?.map ?? []).map { ($0, analysis) }
      },
      .required("segments", .list(.any)) { _ in [] })
  }

  private static var meta: Self {
    .object(
      "AnalysisMeta",
      .required("analyzer_version", .text) { _ in Nocturne.version }, .required("platform", .text) { _ in "Linux" },
      .required("detailed_status", .text) { _ in "OK" }, .required("status_code", .integer) { _ in 0 },
      .required("timestamp", .integer) { Int(($0.record.analyzed?.nanoseconds ?? 0) / 1_000_000_000) },
      .unmeasured("analysis_time"), .optional("input_process", .text) { $0.unknown.text })
  }

  private static var track: Self {
    .object(
      "AnalysisTrack",
      groups: [
        .optional("num_samples", .integer) { analysis in
          analysis.record.format.map { Int((analysis.duration * Double($0.sampleRate)).rounded()) }
            ?? analysis.unknown.count
        },
        .required("duration", .number(decimals: 5)) { $0.duration }, .required("sample_md5", .text) { _ in "" },
        .required("offset_seconds", .integer) { _ in 0 }, .required("window_seconds", .integer) { _ in 0 },
        .optional("analysis_sample_rate", .integer) { $0.record.format?.sampleRate ?? $0.unknown.count },
        .optional("analysis_channels", .integer) { $0.record.format?.channelCount ?? $0.unknown.count },
        // Fades are unknown: the fade-in has no length, and the fade-out begins at the end.
        .unmeasured("end_of_fade_in"),
        .optional("start_of_fade_out", .number(decimals: 5)) { $0.unknown.isNull ? nil : $0.duration },
        .optional("loudness", .number(decimals: 3)) {
          $0.record.findings[LoudnessFinding.self]?.integrated ?? $0.unknown.loudness
        },
        .optional("tempo", .number(decimals: 3)) { $0.record.tempo?.bpm ?? $0.unknown.tempo },
        .optional("tempo_confidence", .number(decimals: 3)) {
          ($0.record.tempo?.bpm == nil ? nil : $0.record.tempo?.confidence) ?? $0.unknown.confidence
        },
      ], Field.meter, Field.keyFields,
      // Spotify's fingerprints and rhythms have proprietary formats, so these fields are empty.
      [
        ("codestring", "code_version"), ("echoprintstring", "echoprint_version"), ("synchstring", "synch_version"),
        ("rhythmstring", "rhythm_version"),
      ].flatMap { text, version in [.optional(text, .text) { $0.unknown.text }, .unmeasured(version)] })
  }
}

extension JSONType where Value == (section: SectionsFinding.Section, analysis: AudioAnalysis) {
  fileprivate static var analysisSection: Self {
    let shared = [Field<AudioAnalysis>.unmeasured("tempo_confidence")] + Field.keyFields + Field.meter
    return .object(
      "AnalysisSection",
      groups: [
        .required("start", .number(decimals: 3)) { $0.section.startSeconds },
        .required("duration", .number(decimals: 3)) { $0.section.endSeconds - $0.section.startSeconds },
        Field<AudioAnalysis>.unmeasured("confidence").of { $0.analysis },
        .required("loudness", .number(decimals: 2)) { $0.section.levelDecibels },
        .optional("tempo", .number(decimals: 3)) {
          $0.analysis.record.tempo?.bpm(at: $0.section.startSeconds) ?? $0.analysis.unknown.tempo
        },
      ], shared.map { $0.of { $0.analysis } })
  }
}

extension TempoFinding {
  fileprivate func bpm(at seconds: Double) -> Double? {
    (map.last { $0.startSeconds <= seconds } ?? map.first)?.bpm ?? bpm
  }
}
