internal import LibraryStore
internal import LibraryTasks
internal import Platform
internal import Records
internal import Serving

/// The user of the server. All clients act as this one person.
enum ServerUser {
  static let id = "nocturne"
  static let name = "Nocturne"
}

extension JSONType<Linked<String>> {
  fileprivate static var identity: [Field<Linked<String>>] { Field.identity("user") { $0 } }
  static var userLink: Self { .object("UserLink", groups: identity) }
  static var owner: Self { .object("Owner", groups: identity, [.displayName]) }
  static var user: Self { .object("User", groups: identity, [.displayName, .followers, .images { _ in nil }]) }

  /// The user's own profile.
  static var privateUser: Self {
    .object(
      "PrivateUser", groups: identity,
      [.required("account_id", .text) { $0.value }, .displayName, .followers, .images { _ in nil }])
  }
}

extension Field<Linked<String>> {
  fileprivate static var displayName: Self { .required("display_name", .text) { _ in ServerUser.name } }
}

/// A playlist, with its first tracks if the response includes them.
struct SpotifyPlaylist: Sendable {
  let playlist: LibraryStore.Playlist
  let snapshot: String
  /// The id of the track that provides the cover.
  let cover: String?
  var items: [PlaylistItem] = []

  init(_ playlist: LibraryStore.Playlist, cover: String?, _ items: [PlaylistItem] = []) {
    self.playlist = playlist
    snapshot = SnapshotID.text(playlist)
    self.cover = cover
    self.items = items
  }

  init(_ playlist: GeneratedPlaylist) {
    self.playlist = playlist.asPlaylist
    snapshot = playlist.id
    cover = playlist.cover
  }
}

extension GeneratedPlaylist {
  var asPlaylist: LibraryStore.Playlist {
    LibraryStore.Playlist(id: id, name: name, description: description, isPublic: true, trackCount: trackCount)
  }
}

extension JSONType<Linked<SpotifyPlaylist>> {
  /// A playlist in a list.
  static var simplePlaylist: Self {
    let count = JSONType<(href: String, total: Int)>.object(
      "ItemCount", .required("href", .text) { $0.href }, .required("total", .integer) { $0.total })
    return .object(
      "SimplePlaylist", groups: members,
      itemNames.map { name in
        .required(name, count) { playlist in
          let list = playlist.value.playlist
          return ("\(playlist.links.base)/v1/playlists/\(list.id)/\(name)", list.trackCount)
        }
      })
  }

  /// A playlist with its first tracks.
  static var playlist: Self {
    .object(
      "Playlist", groups: members, [.followers],
      itemNames.map { name in
        .required(name, .playlistItems) { playlist in
          let (value, links) = (playlist.value, playlist.links)
          return links.page(
            value.items.map { Linked($0, links) }, Page(limit: 100, offset: 0), total: value.playlist.trackCount,
            "playlists/\(value.playlist.id)/\(name)")
        }
      })
  }

  /// The member names for a playlist's items, before and since 2026. Clients need one or the other.
  private static var itemNames: [String] { ["tracks", "items"] }

  private static var members: [Field<Linked<SpotifyPlaylist>>] {
    let first: [Field<Linked<SpotifyPlaylist>>] = [
      .required("collaborative", .flag) { _ in false },
      .required("description", .text) { $0.value.playlist.description ?? "" },
    ]
    let last: [Field<Linked<SpotifyPlaylist>>] = [
      .images { $0.cover }, .required("name", .text) { $0.value.playlist.name },
      .required("owner", .owner) { Linked(ServerUser.id, $0.links) }, .optional("primary_color", .text) { _ in nil },
      .required("public", .flag) { $0.value.playlist.isPublic }, .required("snapshot_id", .text) { $0.value.snapshot },
    ]
    return first + Field.identity("playlist") { $0.playlist.id } + last
  }
}

extension JSONType<SpotifyPage<Linked<SpotifyPlaylist>>> {
  static var playlistPage: Self { .page("PlaylistPage", .simplePlaylist) }
}

extension JSONType<SpotifyPage<Linked<PlaylistItem>>> {
  static var playlistItems: Self { .page("PlaylistItemPage", .item) }
}

extension JSONType<Linked<PlaylistItem>> {
  /// An item of a playlist. Its track is null if the file is gone.
  fileprivate static var item: Self {
    .object(
      "PlaylistItem", .optional("added_at", .text) { $0.value.added?.inSeconds },
      .required("added_by", .userLink) { Linked(ServerUser.id, $0.links) },
      .required("is_local", .flag) { _ in false }, .optional("primary_color", .text) { _ in nil },
      .optional("track", .playlistTrack) { $0.track }, .optional("item", .playlistTrack) { $0.track },
      .required("video_thumbnail", .object("VideoThumbnail", .optional("url", .text) { _ in nil })) { $0 })
  }

  static var savedTrack: Self {
    .object(
      "SavedTrack",
      .optional("added_at", .text) { $0.value.added?.inSeconds }, .optional("track", .track) { $0.track })
  }
}

extension Linked<PlaylistItem> {
  fileprivate var track: LinkedTrack? { value.song.map { LinkedTrack(($0, value.album), links) } }
}

extension Timestamp {
  /// The time, truncated to whole seconds.
  var inSeconds: String { Timestamp(nanoseconds: seconds * 1_000_000_000).description }
}

/// An item of a playlist or of the saved tracks: a track and the time when it was added.
struct PlaylistItem {
  /// The time when the track was added; `nil` if unknown.
  var added: Timestamp?
  /// The track; `nil` if the file is gone.
  var song: Song?
  var album: SongAlbum?
}

/// The id by which clients refer to a version of a playlist.
enum SnapshotID {
  static func text(_ playlist: LibraryStore.Playlist) -> String { "\(playlist.snapshot),\(playlist.id)" }

  /// - Throws: `PlaylistEditError.unknownSnapshot` if the text is neither empty nor a snapshot of this playlist.
  static func number(_ text: String?, of id: String) throws(PlaylistEditError) -> Int? {
    guard let text, !text.isEmpty else { return nil }
    let parts = text.split(separator: ",", maxSplits: 1)
    guard parts.count == 2, parts[1] == id, let number = Int(parts[0]) else { throw .unknownSnapshot }
    return number
  }
}
