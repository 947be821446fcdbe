internal import Analysis
internal import Filters
package import LibraryStore
package import ResultStore

/// A playlist computed from the findings of tracks, so that its contents change with the library.
package struct GeneratedPlaylist: Sendable, Hashable {
  package enum Kind: Sendable, Hashable {
    /// Tracks around a tempo, in beats per minute.
    case tempo(Int)
    /// Tracks of the genre with this id.
    case genre(String)
    /// Tracks that sound like the newest tracks.
    case likeNewest
  }

  /// The 22-character id, derived from the kind.
  package var id: String
  package var kind: Kind
  package var name: String
  package var description: String
  package var trackCount: Int
  /// The id of the track whose cover represents the playlist.
  package var cover: String?
}

/// Playlists generated from tempo, genre and likeness. Neither the playlists nor their ids are stored.
package struct GeneratedPlaylists: Sendable {
  private let store: ResultStore
  private let neighbors: SoundNeighbors
  /// Caches playlists, because computing a playlist requires reading all of its tracks.
  private let recent: TimedCache<GeneratedPlaylist.Kind, GeneratedPlaylist?>

  package init(store: ResultStore, descriptors: DescriptorCache) throws(StoreError) {
    self.store = store
    neighbors = SoundNeighbors(descriptors)
    recent = try TimedCache(of: store, count: 1000, maxAge: .seconds(30))
  }

  /// The tempi for which there is a playlist, in beats per minute.
  private static let tempi = [80, 90, 100, 110, 120, 128, 140, 160, 174]
  private static let maxTracks = 50
  /// Minimum number of tracks in a genre that gets a playlist.
  private static let minTracksPerGenre = 3

  /// Returns the nonempty playlists by tempo, and the playlist of tracks that sound like the newest ones.
  package func featured() throws -> [GeneratedPlaylist] {
    try ([.likeNewest] + Self.tempi.map { .tempo($0) }).compactMap { try playlist($0) }
  }

  /// - Parameter id: Id of a genre.
  package func playlists(ofGenre id: String) throws -> [GeneratedPlaylist] {
    [try playlist(.genre(id))].compactMap(\.self)
  }

  /// Finds up to 20 playlists by words in their names.
  package func search(_ text: String) throws -> [GeneratedPlaylist] {
    let match = WordMatch(text)
    guard !text.isEmpty else { return [] }
    let names = try kinds().filter { match.matches(Self.name($0.kind, genre: $0.name)) }
    return try names.prefix(20).compactMap { try playlist($0.kind) }
  }

  /// - Returns: `nil` for an unknown id or an empty playlist.
  package func playlist(id: String) throws -> GeneratedPlaylist? {
    guard let kind = try kinds().first(where: { Self.id($0.kind) == id })?.kind else { return nil }
    return try playlist(kind)
  }

  /// Returns songs in playlist order; empty for an unknown id.
  package func songs(ofPlaylist id: String, limit: Int = .max, offset: Int = 0) throws -> [Song] {
    guard let kind = try kinds().first(where: { Self.id($0.kind) == id })?.kind else { return [] }
    return Array(try songs(kind).dropFirst(offset).prefix(limit))
  }

  private func kinds() throws -> [(kind: GeneratedPlaylist.Kind, name: String)] {
    [(.likeNewest, "")] + Self.tempi.map { (.tempo($0), "") } + (try store.genres().map { (.genre($0.id), $0.name) })
  }

  private static func id(_ kind: GeneratedPlaylist.Kind) -> String {
    let text =
      switch kind {
      case .tempo(let bpm): "tempo \(bpm)"
      case .genre(let id): "genre \(id)"
      case .likeNewest: "newest"
      }
    return ContentID(hashing: Array("playlist \(text)".utf8)).description
  }

  private static func name(_ kind: GeneratedPlaylist.Kind, genre: String) -> String {
    switch kind {
    case .tempo(let bpm): "Around \(bpm) BPM"
    case .genre: genre
    case .likeNewest: "Similar to the newest tracks"
    }
  }

  private func playlist(_ kind: GeneratedPlaylist.Kind) throws -> GeneratedPlaylist? {
    try recent.value(for: kind) { try made(kind) }
  }

  private func made(_ kind: GeneratedPlaylist.Kind) throws -> GeneratedPlaylist? {
    let songs = try songs(kind)
    if songs.isEmpty { return nil }
    var genre = ""
    if case .genre(let id) = kind { genre = try store.genres().first { $0.id == id }?.name ?? id }
    let description =
      switch kind {
      case .tempo(let bpm): "Tracks from \(bpm - Self.tolerance) to \(bpm + Self.tolerance) beats per minute."
      case .genre: "Tracks of the genre \(genre)."
      case .likeNewest: "Tracks that sound like the ones added last."
      }
    return GeneratedPlaylist(
      id: Self.id(kind), kind: kind, name: Self.name(kind, genre: genre), description: description,
      trackCount: songs.count, cover: songs.first?.id)
  }

  /// Maximum difference in tempo, in beats per minute.
  private static let tolerance = 2

  private func songs(_ kind: GeneratedPlaylist.Kind) throws -> [Song] {
    switch kind {
    case .tempo(let bpm):
      let range = NumberRange(lower: Double(bpm - Self.tolerance), upper: Double(bpm + Self.tolerance))
      let filter = TrackFilter(.condition(.number(.bpm, range)))
      let order = TrackOrder(.confidence, isDescending: true)
      return try store.songs(matching: filter, order: order, limit: Self.maxTracks)
    case .genre(let id):
      let songs = try store.songs(ofGenre: id, limit: Self.maxTracks)
      return songs.count < Self.minTracksPerGenre ? [] : songs
    case .likeNewest:
      let newest = try store.songs(matching: .everything, order: TrackOrder(.added, isDescending: true), limit: 5)
      let near = try neighbors.near(files: newest.map(\.row.fileID), limit: Self.maxTracks)
      return try store.songs(ofFiles: near.prefix(Self.maxTracks).map(\.file))
    }
  }
}
