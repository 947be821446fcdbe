package import LibraryStore
package import ResultStore

/// Recommends tracks and artists that are similar to given ones, by their descriptors or, if these yield too few
/// tracks, by genre.
package struct Recommendations: Sendable {
  package struct Request: Sendable {
    /// The ids of the seeds.
    package var tracks: [String] = []
    package var artists: [String] = []
    package var genres: [String] = []
    package var minimum: [SoundAttribute: Double] = [:]
    package var maximum: [SoundAttribute: Double] = [:]
    /// The target values. Tracks that are closer to them rank higher.
    package var target: [SoundAttribute: Double] = [:]
    package var limit = 20

    package init() {}
  }

  /// A track, artist or genre to find similar tracks for.
  package struct Seed: Sendable {
    package enum Kind: String, Sendable {
      case track, artist, genre
    }

    package var id: String
    package var kind: Kind
    /// Number of tracks that represent the seed.
    package var poolSize: Int
  }

  package struct Answer: Sendable {
    package var seeds: [Seed] = []
    /// Number of candidates within the requested bounds.
    package var filteredCount = 0
    package var songs: [Song] = []
  }

  private let store: ResultStore
  private let neighbors: SoundNeighbors

  private static let candidatesPerTrack = 12
  /// Maximum number of tracks that represent an artist or genre.
  private static let maxSeedTracks = 5

  package init(store: ResultStore, neighbors: SoundNeighbors) {
    self.store = store
    self.neighbors = neighbors
  }

  package func tracks(_ request: Request) throws -> Answer {
    var answer = Answer()
    var seeds: [Song] = []
    func add(_ id: String, _ kind: Seed.Kind, _ songs: [Song]) {
      answer.seeds.append(Seed(id: id, kind: kind, poolSize: songs.count))
      seeds += songs
    }
    for id in request.tracks { add(id, .track, try store.songs(ids: [id]).compactMap(\.self)) }
    for id in request.artists { add(id, .artist, try store.songs(ofArtist: id, limit: Self.maxSeedTracks)) }
    for id in request.genres { add(id, .genre, try store.songs(ofGenre: id, limit: Self.maxSeedTracks)) }
    let pool = try candidates(like: seeds, count: max(300, request.limit * Self.candidatesPerTrack))
    let traits = try store.traits(ofSongs: pool.map(\.song.id))
    var ranked: [(song: Song, score: Double)] = []
    for ((song, likeness), traits) in zip(pool, traits) {
      guard isWithin(request, traits) else { continue }
      ranked.append((song, likeness - distance(from: request.target, traits)))
    }
    answer.filteredCount = ranked.count
    ranked.sort { $0.score != $1.score ? $0.score > $1.score : $0.song.id < $1.song.id }
    answer.songs = varied(ranked.map(\.song), without: seeds, limit: request.limit)
    return answer
  }

  /// Returns the artists whose tracks are most similar to those of the artist `id`.
  package func artists(like id: String, limit: Int) throws -> [LibraryArtist] {
    let own = try store.songs(ofArtist: id, limit: Self.maxSeedTracks)
    var ids: [String] = []
    for (song, _) in try candidates(like: own, count: 300) {
      for artist in song.artists where artist.id != id && !ids.contains(artist.id) { ids.append(artist.id) }
    }
    return try store.artists(ids: Array(ids.prefix(limit))).compactMap(\.self)
  }

  /// Returns candidates by likeness, most similar first. If there are fewer than `count`, candidates by genre follow.
  private func candidates(like seeds: [Song], count: Int) throws -> [(song: Song, likeness: Double)] {
    let near = try neighbors.near(files: seeds.map(\.row.fileID), limit: count).prefix(count)
    let likeness = Dictionary(uniqueKeysWithValues: near.map { ($0.file, $0.likeness) })
    var pool = try store.songs(ofFiles: near.map(\.file)).map { ($0, likeness[$0.row.fileID] ?? 0) }
    var known = Set(pool.map(\.0.id)).union(seeds.map(\.id))
    var genres: [String] = []
    for genre in seeds.flatMap(\.genres).map({ LibraryGenre.id(ofName: $0) }) where !genres.contains(genre) {
      genres.append(genre)
    }
    for genre in genres where pool.count < count {
      for song in try store.songs(ofGenre: genre, limit: count) where known.insert(song.id).inserted {
        pool.append((song, 0))
      }
    }
    return pool
  }

  /// Returns `false` for a track whose value of a bounded attribute is out of bounds or unknown.
  private func isWithin(_ request: Request, _ traits: AudioFeatures?) -> Bool {
    func isValue(of attribute: SoundAttribute, _ accepts: (Double) -> Bool) -> Bool {
      traits.flatMap { attribute.value(of: $0) }.map(accepts) ?? false
    }
    return request.minimum.allSatisfy { attribute, minimum in isValue(of: attribute) { $0 >= minimum } }
      && request.maximum.allSatisfy { attribute, maximum in isValue(of: attribute) { $0 <= maximum } }
  }

  private func distance(from target: [SoundAttribute: Double], _ traits: AudioFeatures?) -> Double {
    SoundAttribute.allCases.reduce(0) { sum, attribute in
      guard let wanted = target[attribute] else { return sum }
      guard let value = traits.flatMap({ attribute.value(of: $0) }) else { return sum + 1 }
      return sum + abs(value - wanted) / attribute.unit
    }
  }

  /// Keeps each recording only once, leaves out those of `seeds`, and moves tracks that exceed an artist's share of
  /// `limit` to the end.
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
