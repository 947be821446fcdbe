internal import LibraryStore
internal import Platform
internal import Text

/// The user of the server: all clients are one person.
enum ServerUser {
  static let id = "nocturne"
  static let name = "Nocturne"
}

extension CatalogJSON {
  /// - Parameter isOwn: As people see themselves.
  func user(isOwn: Bool = false, _ json: inout JSONWriter) {
    json.object { json in
      identify("user", ServerUser.id, &json)
      if isOwn { json.put("account_id", ServerUser.id) }
      json.put("display_name", ServerUser.name)
      json.putObject("followers") {
        $0.putNull("href")
        $0.put("total", 0)
      }
      images(nil, &json)
    }
  }

  /// As lists have it.
  /// - Parameter cover: Id of a track.
  func playlist(_ playlist: Playlist, cover: String?, _ json: inout JSONWriter) {
    json.object { json in
      members(of: playlist, cover: cover, &json)
      itemCount(playlist.trackCount, ofPlaylist: playlist.id, &json)
    }
  }

  /// With its first tracks.
  func playlist(
    _ playlist: Playlist, cover: String?, _ items: [PlaylistItem], _ page: Page, _ json: inout JSONWriter
  ) {
    json.object { json in
      members(of: playlist, cover: cover, &json)
      json.putObject("followers") {
        $0.putNull("href")
        $0.put("total", 0)
      }
      for name in Self.itemNames {
        json.key(name)
        self.page(items, page, total: playlist.trackCount, "\(base)/v1/playlists/\(playlist.id)/\(name)", [], &json) {
          item($1, &$0)
        }
      }
    }
  }

  /// The names of a playlist's items, the present one and the one before 2026: clients need one or the other.
  private static let itemNames = ["tracks", "items"]

  /// As lists of playlists have it.
  func itemCount(_ count: Int, ofPlaylist id: String, _ json: inout JSONWriter) {
    for name in Self.itemNames {
      json.putObject(name) { json in
        json.put("href", "\(base)/v1/playlists/\(id)/\(name)")
        json.put("total", count)
      }
    }
  }

  private func members(of playlist: Playlist, cover: String?, _ json: inout JSONWriter) {
    json.put("collaborative", false)
    json.put("description", playlist.description ?? "")
    identify("playlist", playlist.id, &json)
    images(cover, &json)
    json.put("name", playlist.name)
    json.putObject("owner") { json in
      identify("user", ServerUser.id, &json)
      json.put("display_name", ServerUser.name)
    }
    json.putNull("primary_color")
    json.put("public", playlist.isPublic)
    json.put("snapshot_id", SnapshotID.text(playlist))
  }

  /// An item of a playlist. If the file is gone, the track is null.
  func item(_ item: PlaylistItem, _ json: inout JSONWriter) {
    json.object { json in
      json.put("added_at", item.added.map { Self.time($0) })
      json.putObject("added_by") { identify("user", ServerUser.id, &$0) }
      json.put("is_local", false)
      json.putNull("primary_color")
      for name in ["track", "item"] {
        json.key(name)
        if let song = item.song { track(song, album: .some(item.album), inPlaylist: true, &json) } else { json.null() }
      }
      json.putObject("video_thumbnail") { $0.putNull("url") }
    }
  }

  /// In whole seconds.
  static func time(_ time: Timestamp) -> String {
    Timestamp(nanoseconds: time.seconds * 1_000_000_000).description
  }
}

/// A place in a playlist.
struct PlaylistItem {
  /// `nil` for tracks that came with their files.
  var added: Timestamp?
  /// `nil`: the file is gone.
  var song: Song?
  var album: SongAlbum?
}

/// How clients name the state of a playlist.
enum SnapshotID {
  static func text(_ playlist: Playlist) -> String { "\(playlist.snapshot),\(playlist.id)" }

  /// - Throws: `PlaylistEditError.unknownSnapshot` for what no playlist of this id has.
  static func number(_ text: String?, of id: String) throws(PlaylistEditError) -> Int? {
    guard let text, !text.isEmpty else { return nil }
    let parts = text.split(separator: ",", maxSplits: 1)
    guard parts.count == 2, parts[1] == id, let number = Int(parts[0]) else { throw .unknownSnapshot }
    return number
  }
}
