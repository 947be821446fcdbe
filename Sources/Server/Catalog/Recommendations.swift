internal import Application
internal import ResultStore

/// Tracks and artists like others, by their sound; where that was not described, by genre.
struct Recommendations: Sendable {
  struct Wish: Sendable {
    /// Of ids.
    var tracks: [String] = []
    var artists: [String] = []
    var genres: [String] = []
    var least: [String: Double] = [:]
    var most: [String: Double] = [:]
    var target: [String: Double] = [:]
    var limit = 20
  }

  struct Seed: Sendable {
    var id: String
    var type: String
    var poolSize: Int
  }

  struct Answer: Sendable {
    var seeds: [Seed] = []
    /// That are within what was wished.
    var filteredCount = 0
    var songs: [Song] = []
  }

  private let store: ResultStore
  private let neighbors: SoundNeighbors

  /// Candidates for each track that is asked for.
  private static let choice = 12
  private static let seedTracks = 5

  init(store: ResultStore, neighbors: SoundNeighbors) {
    self.store = store
    self.neighbors = neighbors
  }

  func tracks(_ wish: Wish) throws -> Answer {
    var answer = Answer()
    var seeds: [Song] = []
    func add(_ id: String, _ type: String, _ songs: [Song]) {
      answer.seeds.append(Seed(id: id, type: type, poolSize: songs.count))
      seeds += songs
    }
    for id in wish.tracks { add(id, "TRACK", try store.songs(ids: [id]).compactMap(\.self)) }
    for id in wish.artists { add(id, "ARTIST", try store.songs(ofArtist: id, limit: Self.seedTracks)) }
    for id in wish.genres { add(id, "GENRE", try store.songs(ofGenre: id, limit: Self.seedTracks)) }
    let pool = try candidates(like: seeds, count: max(300, wish.limit * Self.choice))
    let traits = try store.traits(ofSongs: pool.map(\.song.id))
    var ranked: [(song: Song, score: Double)] = []
    for ((song, likeness), traits) in zip(pool, traits) {
      let figures = traits.map { SoundFigures($0) }
      guard isWithin(wish, figures) else { continue }
      ranked.append((song, likeness - distance(from: wish.target, figures)))
    }
    answer.filteredCount = ranked.count
    ranked.sort { $0.score != $1.score ? $0.score > $1.score : $0.song.id < $1.song.id }
    answer.songs = varied(ranked.map(\.song), without: seeds, limit: wish.limit)
    return answer
  }

  /// Artists whose tracks are most like those of one.
  func artists(like id: String, limit: Int) throws -> [CatalogArtist] {
    let own = try store.songs(ofArtist: id, limit: Self.seedTracks)
    var ids: [String] = []
    for (song, _) in try candidates(like: own, count: 300) {
      for artist in song.artists where artist.id != id && !ids.contains(artist.id) { ids.append(artist.id) }
    }
    return try store.artists(ids: Array(ids.prefix(limit))).compactMap(\.self)
  }

  /// Best first.
  private func candidates(like seeds: [Song], count: Int) throws -> [(song: Song, likeness: Double)] {
    let near = try neighbors.near(files: seeds.map(\.row.fileID), limit: count).prefix(count)
    let likeness = Dictionary(uniqueKeysWithValues: near.map { ($0.file, $0.likeness) })
    var pool = try store.songs(ofFiles: near.map(\.file)).map { ($0, likeness[$0.row.fileID] ?? 0) }
    var known = Set(pool.map(\.0.id)).union(seeds.map(\.id))
    var genres: [String] = []
    for genre in seeds.flatMap(\.genres).map({ CatalogGenre.id(ofName: $0) }) where !genres.contains(genre) {
      genres.append(genre)
    }
    for genre in genres where pool.count < count {
      for song in try store.songs(ofGenre: genre, limit: count) where known.insert(song.id).inserted {
        pool.append((song, 0))
      }
    }
    return pool
  }

  /// What is not known of a track does not keep it out, unless it is known of tracks in general.
  private func isWithin(_ wish: Wish, _ figures: SoundFigures?) -> Bool {
    for (name, least) in wish.least {
      if let value = figures?.value(name) {
        if value < least { return false }
      } else if isMeasured(name) {
        return false
      }
    }
    for (name, most) in wish.most {
      if let value = figures?.value(name) { if value > most { return false } } else if isMeasured(name) { return false }
    }
    return true
  }

  private func isMeasured(_ name: String) -> Bool {
    !["acousticness", "instrumentalness", "liveness", "valence", "popularity"].contains(name)
  }

  private func distance(from target: [String: Double], _ figures: SoundFigures?) -> Double {
    target.reduce(0) { sum, wished in
      guard isMeasured(wished.key), let unit = SoundFigures.attributes[wished.key] else { return sum }
      guard let value = figures?.value(wished.key) else { return sum + 1 }
      return sum + abs(value - wished.value) / unit
    }
  }

  /// Each recording once, and not too much of one artist.
  private func varied(_ songs: [Song], without seeds: [Song], limit: Int) -> [Song] {
    func name(_ song: Song) -> String { "\(song.artists.first?.id ?? "")\0\(song.title.lowercased())" }
    var names = Set(seeds.map(name))
    var contents = Set(seeds.compactMap(\.row.contentID))
    var counts: [String: Int] = [:]
    var (first, rest): ([Song], [Song]) = ([], [])
    for song in songs {
      guard names.insert(name(song)).inserted, song.row.contentID.map({ contents.insert($0).inserted }) ?? true else {
        continue
      }
      let artist = song.artists.first?.id ?? song.id
      counts[artist, default: 0] += 1
      if counts[artist, default: 0] <= max(2, limit / 5) { first.append(song) } else { rest.append(song) }
    }
    return Array((first + rest).prefix(limit))
  }
}
