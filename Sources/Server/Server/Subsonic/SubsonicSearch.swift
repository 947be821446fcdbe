internal import Analysis
internal import Filters
internal import Foundation
internal import LibraryStore
internal import LibraryTasks
internal import Platform
internal import Records

extension SubsonicLibrary {
  // MARK: Words

  func search2(_ request: SubsonicRequest) throws -> SubsonicObject {
    let found = try search(request)
    let (artists, albums, songs) = try (objects(found.artists), folders(found.albums), children(found.songs))
    return .make {
      $0.put("searchResult2") {
        $0.put("artist", artists)
        $0.put("album", albums)
        $0.put("song", songs)
      }
    }
  }

  func search3(_ request: SubsonicRequest) throws -> SubsonicObject {
    let found = try search(request)
    let (artists, albums, songs) = try (objects(found.artists), objects(found.albums), children(found.songs))
    return .make {
      $0.put("searchResult3") {
        $0.put("artist", artists)
        $0.put("album", albums)
        $0.put("song", songs)
      }
    }
  }

  private struct Found {
    var artists: [LibraryArtist] = []
    var albums: [SongAlbum] = []
    var songs: [Song] = []
  }

  private func search(_ request: SubsonicRequest) throws -> Found {
    // Some clients send an empty query as `""`.
    let text = (request["query"] ?? "").trimmingCharacters(in: .init(charactersIn: "\" \t*"))
    func page(_ kind: String) throws -> (limit: Int, offset: Int) {
      // Clients that copy the whole library request large pages.
      (min(max(0, try request.integer("\(kind)Count") ?? 20), 5000), try request.offset("\(kind)Offset"))
    }
    let (artists, albums, songs) = (try page("artist"), try page("album"), try page("song"))
    var found = Found()
    if text.isEmpty {
      // An empty query returns the whole library, in pages.
      if artists.limit > 0 {
        found.artists = try store.releaseArtists(limit: artists.limit, offset: artists.offset)
      }
      if albums.limit > 0 {
        found.albums = try store.releases(order: .name, limit: albums.limit, offset: albums.offset)
      }
      if songs.limit > 0 {
        found.songs = try store.songs(matching: .everything, limit: songs.limit, offset: songs.offset)
      }
      return found
    }
    func query(_ section: SongQuery.Section, _ page: (limit: Int, offset: Int)) -> SongQuery {
      SongQuery(text, sections: [section], limit: min(page.limit, 500), offset: page.offset)
    }
    if artists.limit > 0 { found.artists = try services.search(songs: query(.artists, artists)).artists.hits }
    if albums.limit > 0 { found.albums = try services.search(songs: query(.albums, albums)).albums.hits }
    if songs.limit > 0 { found.songs = try services.search(songs: query(.tracks, songs)).tracks.hits }
    return found
  }

  // MARK: Similarity

  func similarSongs(_ request: SubsonicRequest) throws -> SubsonicObject {
    let songs = try children(similar(request).map(\.song))
    return .make { $0.put("similarSongs") { $0.put("song", songs) } }
  }

  func similarSongs2(_ request: SubsonicRequest) throws -> SubsonicObject {
    let songs = try children(similar(request).map(\.song))
    return .make { $0.put("similarSongs2") { $0.put("song", songs) } }
  }

  /// Returns similar tracks (extension `sonicSimilarity`).
  func sonicSimilarTracks(_ request: SubsonicRequest) throws -> SubsonicObject {
    let song = try song(id: request.required("id")).song
    let similar = try similar(to: song, limit: request.count("count", else: 10))
    let matches = zip(try children(similar.map(\.song)), similar).map { child, match in
      SubsonicObject.make {
        $0.put("entry", .object(child))
        $0.put("similarity", match.likeness)
      }
    }
    return .make { $0.put("sonicMatch", matches) }
  }

  /// Returns songs similar to a song or, for an album, artist or folder, to the first of its songs (among 20) for which
  /// any are found.
  private func similar(_ request: SubsonicRequest) throws -> [(song: Song, likeness: Double)] {
    let id = try request.required("id")
    let limit = try request.count("count", else: 50)
    if let song = try store.song(id: id) { return try similar(to: song, limit: limit) }
    var songs = try store.songs(ofAlbum: id, limit: 20)
    if songs.isEmpty { songs = try store.songs(ofArtist: id, limit: 20) }
    if songs.isEmpty, let folder = try services.folders()[id] {
      songs = try store.songs(ofFiles: Array(folder.files.prefix(20)))
    }
    if songs.isEmpty { throw Self.notFound("song") }
    for song in songs {
      let similar = try similar(to: song, limit: limit)
      if !similar.isEmpty { return similar }
    }
    return []
  }

  /// Returns similar songs, most similar first; empty if there is a `SimilarTracksError`, for example because the
  /// library has not been analyzed for likeness.
  private func similar(to song: Song, limit: Int) throws -> [(song: Song, likeness: Double)] {
    guard limit > 0 else { return [] }
    let answer: SimilarTracks.Answer
    do {
      let reading = SoundReading(by: services.options.fileAnalysis)
      answer = try SimilarTracks(in: store, reading: reading, descriptors: services.sounds).near(
        song.row.path, limit: limit)
    } catch is SimilarTracksError {
      return []
    }
    let ids = answer.tracks.map { ContentID(ofPath: $0.record.path).description }
    return zip(try store.songs(ids: ids), answer.tracks).compactMap { song, track in
      song.map { ($0, track.likeness) }
    }
  }
}
