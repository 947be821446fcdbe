internal import Analysis
internal import Hummingbird
internal import Library
internal import LibraryStore
internal import LibraryTasks
internal import Records
internal import Serving
internal import Text

extension CatalogRoutes {
  @RouteBuilder var sound: [Route] {
    read(
      "audio-features", "Tempo, key, loudness and traits of several tracks",
      CatalogRequest.ids + [CatalogRequest.nulls], answers: "AudioFeaturesList"
    ) { request, _ in
      let traits = try store.traits(ofSongs: request.ids(most: 100))
      return Response.json { json in
        json.object { json in
          json.key("audio_features")
          json.beginArray()
          for traits in traits {
            if let traits { Self.features(traits, request, &json) } else { json.null() }
          }
          json.endArray()
        }
      }
    }
    read(
      "audio-features/{id}", "Tempo, key, loudness and traits of a track", [CatalogRequest.nulls],
      answers: "AudioFeatures"
    ) { request, id in
      guard let traits = try store.traits(ofSongs: [CatalogRequest.id(id)])[0] else {
        throw RequestError(.notFound, "There is no track with this id.")
      }
      return Response.json { Self.features(traits, request, &$0) }
    }
    read(
      "audio-analysis/{id}", "Bars, beats, tatums and sections of a track", [CatalogRequest.nulls],
      answers: "AudioAnalysis"
    ) { request, id in
      let song = try song(id)
      guard let record = try store.record(at: song.row.path, long: ["beats"]) else {
        throw RequestError(.notFound, "There is no track with this id.")
      }
      let document = AudioAnalysisDocument(song: song, record: record, unknown: UnknownSound(request))
      return Response.json { document.write(&$0) }
    }
    read(
      "recommendations", "Tracks that sound like the seeds",
      [.text("seed_tracks"), .text("seed_artists"), .text("seed_genres"), .integer("limit", Self.recommendationCounts)]
        + Self.attributes.keys.sorted().flatMap { name in
          ["min", "max", "target"].map { RouteParameter.number("\($0)_\(name)") }
        }, answers: "Recommendations", takesLong: true
    ) { request, _ in try recommend(request) }
  }

  private static func features(_ traits: SongTraits, _ request: CatalogRequest, _ json: inout JSONWriter) {
    let key = traits.key.flatMap { MusicalKey($0) }
    let unknown = UnknownSound(request)
    json.object { json in
      json.put("danceability", traits.danceability ?? unknown.trait, decimals: 3)
      json.put("energy", traits.energy ?? unknown.trait, decimals: 3)
      json.put("key", key?.pitchClass ?? -1)
      json.put("loudness", traits.integratedLoudness ?? unknown.loudness, decimals: 3)
      json.put("mode", key.map { $0.mode == .major ? 1 : 0 } ?? unknown.mode)
      json.put("speechiness", traits.speechiness ?? unknown.trait, decimals: 3)
      for name in ["acousticness", "instrumentalness", "liveness", "valence"] {
        json.put(name, unknown.trait, decimals: 3)
      }
      json.put("tempo", traits.bpm ?? unknown.tempo, decimals: 3)
      json.put("type", "audio_features")
      json.put("id", traits.id)
      json.put("uri", "spotify:track:\(traits.id)")
      json.put("track_href", "\(request.base)/v1/tracks/\(traits.id)")
      json.put("analysis_url", "\(request.base)/v1/audio-analysis/\(traits.id)")
      json.put("duration_ms", traits.durationSeconds.map { Int(($0 * 1000).rounded()) } ?? unknown.count)
      json.put("time_signature", traits.metre.flatMap(TempoFinding.beatsPerBar) ?? unknown.timeSignature)
    }
  }

  private static let mostSeeds = 5
  private static let recommendationCounts = 1...100

  /// Recommendations have `min_`, `max_` and `target_` of each of these. Attributes that are not measured, and are
  /// `nil` here, have no effect.
  private static let attributes: [String: SoundAttribute?] = [
    "tempo": .tempo, "energy": .energy, "danceability": .danceability, "speechiness": .speechiness,
    "loudness": .loudness, "duration_ms": .milliseconds, "key": .key, "mode": .mode, "time_signature": .beatsPerBar,
    "acousticness": nil, "instrumentalness": nil, "liveness": nil, "valence": nil, "popularity": nil,
  ]

  private func recommend(_ request: CatalogRequest) throws -> Response {
    var wanted = Recommendations.Request()
    wanted.limit = try request.integer("limit", in: Self.recommendationCounts, default: 20)
    wanted.tracks = try request.list("seed_tracks").map(CatalogRequest.id)
    wanted.artists = try request.list("seed_artists").map(CatalogRequest.id)
    wanted.genres = request.list("seed_genres").map { CatalogGenre.id(ofName: $0) }
    guard 1...Self.mostSeeds ~= wanted.tracks.count + wanted.artists.count + wanted.genres.count else {
      throw RequestError(
        .badRequest, "seed_tracks, seed_artists and seed_genres take 1 to \(Self.mostSeeds) seeds together.")
    }
    for (name, attribute) in Self.attributes {
      func number(_ kind: String) throws -> Double? {
        guard let text = request.fields["\(kind)_\(name)"], !text.isEmpty else { return nil }
        guard let number = Double(text), number.isFinite else {
          throw RequestError(.badRequest, "\(kind)_\(name) must be a number.")
        }
        return number
      }
      let (least, most, target) = try (number("min"), number("max"), number("target"))
      guard let attribute else { continue }
      wanted.least[attribute] = least
      wanted.most[attribute] = most
      wanted.target[attribute] = target
    }
    let answer = try recommendations.tracks(wanted)
    let albums = try albums(of: answer.songs)
    return Response.json { json in
      json.object { json in
        json.putList("seeds", answer.seeds) { json, seed in
          json.put("initialPoolSize", seed.poolSize)
          json.put("afterFilteringSize", answer.filteredCount)
          json.put("afterRelinkingSize", answer.filteredCount)
          json.put("id", seed.id)
          json.put("type", seed.kind.rawValue.uppercased())
          json.put("href", seed.kind == .genre ? nil : "\(request.base)/v1/\(seed.kind.rawValue)s/\(seed.id)")
        }
        json.key("tracks")
        json.beginArray()
        for song in answer.songs { request.json.track(song, album: .some(albums(song)), &json) }
        json.endArray()
      }
    }
  }
}

/// The findings of a track under the names of Spotify's audio analysis. Lists of values that are not measured are
/// empty.
private struct AudioAnalysisDocument {
  let song: Song
  let record: FileRecord
  let unknown: UnknownSound

  private var duration: Double { record.format?.duration ?? song.row.durationSeconds ?? 0 }

  func write(_ json: inout JSONWriter) {
    let tempo = record.tempo
    let beats = tempo?.beats ?? []
    json.object { json in
      json.putObject("meta") { json in
        json.put("analyzer_version", Nocturne.version)
        json.put("platform", "Linux")
        json.put("detailed_status", "OK")
        json.put("status_code", 0)
        json.put("timestamp", (record.analyzed?.nanoseconds ?? 0) / 1_000_000_000)
        json.put("analysis_time", unknown.confidence, decimals: 3)
        json.put("input_process", unknown.text)
      }
      json.putObject("track") { track(&$0) }
      intervals("bars", tempo?.downbeats ?? [], tempo?.confidence, &json)
      intervals("beats", beats, tempo?.confidence, &json)
      // Half beats: the finest regular pulse that is known.
      let tatums = beats.indices.flatMap { index in
        index + 1 < beats.count ? [beats[index], (beats[index] + beats[index + 1]) / 2] : [beats[index]]
      }
      intervals("tatums", tatums, tempo?.confidence, &json)
      let sections = record.findings[SectionsFinding.self]?.map ?? []
      json.putList("sections", sections) { json, section in
        json.put("start", section.startSeconds, decimals: 3)
        json.put("duration", section.endSeconds - section.startSeconds, decimals: 3)
        json.put("confidence", unknown.confidence, decimals: 3)
        json.put("loudness", section.levelDecibels, decimals: 2)
        json.put("tempo", tempo?.bpm(at: section.startSeconds) ?? unknown.tempo, decimals: 3)
        json.put("tempo_confidence", unknown.confidence, decimals: 3)
        key(&json)
        timeSignature(&json)
      }
      json.putList("segments", [Int]()) { json, _ in json.putNull("start") }
    }
  }

  private func key(_ json: inout JSONWriter) {
    let key = song.row.key.flatMap { MusicalKey($0) }
    json.put("key", key?.pitchClass ?? -1)
    let confidence = key == nil ? nil : record.findings[KeyFinding.self]?.confidence
    json.put("key_confidence", confidence ?? unknown.confidence, decimals: 3)
    json.put("mode", key.map { $0.mode == .major ? 1 : 0 } ?? unknown.mode)
    json.put("mode_confidence", unknown.confidence, decimals: 3)
  }

  private func timeSignature(_ json: inout JSONWriter) {
    json.put("time_signature", record.tempo?.metre.flatMap(TempoFinding.beatsPerBar) ?? unknown.timeSignature)
    json.put("time_signature_confidence", unknown.confidence, decimals: 3)
  }

  private func track(_ json: inout JSONWriter) {
    let tempo = record.tempo
    json.put("num_samples", record.format.map { Int((duration * Double($0.sampleRate)).rounded()) } ?? unknown.count)
    json.put("duration", duration, decimals: 5)
    json.put("sample_md5", "")
    json.put("offset_seconds", 0)
    json.put("window_seconds", 0)
    json.put("analysis_sample_rate", record.format?.sampleRate ?? unknown.count)
    json.put("analysis_channels", record.format?.channelCount ?? unknown.count)
    // No fade is known: the first lasts no time, and the last begins with the end.
    json.put("end_of_fade_in", unknown.confidence, decimals: 3)
    json.put("start_of_fade_out", unknown.isNull ? nil : duration, decimals: 5)
    json.put("loudness", record.findings[LoudnessFinding.self]?.integrated ?? unknown.loudness, decimals: 3)
    json.put("tempo", tempo?.bpm ?? unknown.tempo, decimals: 3)
    json.put("tempo_confidence", (tempo?.bpm == nil ? nil : tempo?.confidence) ?? unknown.confidence, decimals: 3)
    timeSignature(&json)
    key(&json)
    // Fingerprints and rhythms in Spotify's own codes.
    for (text, version) in [
      ("codestring", "code_version"), ("echoprintstring", "echoprint_version"), ("synchstring", "synch_version"),
      ("rhythmstring", "rhythm_version"),
    ] {
      json.put(text, unknown.text)
      json.put(version, unknown.confidence, decimals: 3)
    }
  }

  /// From each start to the next. The last lasts as long as the one before.
  private func intervals(_ name: String, _ starts: [Double], _ confidence: Double?, _ json: inout JSONWriter) {
    json.putList(name, starts.indices) { json, index in
      let last = index + 1 == starts.count
      let length =
        last
        ? (index > 0 ? starts[index] - starts[index - 1] : duration - starts[index]) : starts[index + 1] - starts[index]
      json.put("start", starts[index], decimals: 5)
      json.put("duration", max(0, min(length, duration - starts[index])), decimals: 5)
      json.put("confidence", confidence ?? unknown.confidence, decimals: 3)
    }
  }
}

extension TempoFinding {
  fileprivate func bpm(at seconds: Double) -> Double? {
    (map.last { $0.startSeconds <= seconds } ?? map.first)?.bpm ?? bpm
  }
}
