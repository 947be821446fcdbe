internal import Analysis
internal import Library
internal import LibraryStore
internal import LibraryTasks
internal import Records
internal import Text

/// Writes tracks, albums and artists as Spotify's Web API has them.
///
/// Objects of the catalog. Unknown values are null if clients accept that, and otherwise the value that Spotify has for
/// it. Plays are not counted: `popularity` is 0. The files can be played wherever the server is reached:
/// `available_markets` is empty, `is_playable` true.
struct CatalogJSON {
  /// The start of absolute URLs.
  let base: String
  /// The key that lets a client without a token see a cover; `nil` if none is needed.
  let coverKey: @Sendable (_ id: String) -> String?

  // MARK: Parts

  func identify(_ kind: String, _ id: String, _ json: inout JSONWriter) {
    json.putObject("external_urls") { $0.put("spotify", "\(base)/\(kind)/\(id)") }
    json.put("href", "\(base)/v1/\(kind)s/\(id)")
    json.put("id", id)
    json.put("type", kind)
    json.put("uri", "spotify:\(kind):\(id)")
  }

  func images(_ id: String?, _ json: inout JSONWriter) {
    json.key("images")
    imageList(id, &json)
  }

  /// - Parameter id: The id of a track or album; `nil` for no images.
  func imageList(_ id: String?, _ json: inout JSONWriter) {
    json.beginArray()
    if let id {
      let key = coverKey(id).map { "&key=\($0)" } ?? ""
      for size in [640, 300, 64] {
        json.object { json in
          json.put("url", "\(base)/media/covers/\(id)?size=\(size)\(key)")
          json.put("height", size)
          json.put("width", size)
        }
      }
    }
    json.endArray()
  }

  private func artists(_ artists: [SongArtist], _ json: inout JSONWriter) {
    // Clients show the first.
    json.putList("artists", artists.isEmpty ? [.unknown] : artists) { json, artist in
      identify("artist", artist.id, &json)
      json.put("name", artist.name)
    }
  }

  private func date(_ date: PartialDate?, _ json: inout JSONWriter) {
    json.put("release_date", date?.description ?? "")
    json.put("release_date_precision", date?.day != nil ? "day" : date?.month != nil ? "month" : "year")
  }

  // MARK: Artists

  func artist(_ artist: CatalogArtist, image: String?, _ json: inout JSONWriter) {
    json.object { json in
      identify("artist", artist.id, &json)
      json.put("name", artist.name)
      json.putObject("followers") {
        $0.putNull("href")
        $0.put("total", 0)
      }
      json.key("genres")
      strings(artist.genres, &json)
      images(image, &json)
      json.put("popularity", 0)
    }
  }

  // MARK: Albums

  func album(_ album: SongAlbum, group: String? = nil, _ json: inout JSONWriter) {
    json.object { members(of: album, group: group, &$0) }
  }

  /// With its first tracks.
  func album(_ album: SongAlbum, tracks: [Song], _ json: inout JSONWriter) {
    json.object { json in
      members(of: album, group: nil, &json)
      json.key("tracks")
      page(
        tracks, Page(limit: 50, offset: 0), total: album.trackCount, "\(base)/v1/albums/\(album.id)/tracks", [], &json
      ) { track($1, album: nil, &$0) }
      json.putList("copyrights", [String]()) { $0.put("text", $1) }
      json.putObject("external_ids") { _ in }
      json.key("genres")
      strings(album.genres, &json)
      json.put("label", album.label ?? "")
      json.put("popularity", 0)
    }
  }

  private func members(of album: SongAlbum, group: String?, _ json: inout JSONWriter) {
    json.put("album_type", Self.type(of: album))
    json.put("total_tracks", album.trackCount)
    json.key("available_markets")
    strings([], &json)
    identify("album", album.id, &json)
    images(album.firstTrack, &json)
    json.put("name", album.name)
    date(album.date, &json)
    artists(album.artists, &json)
    if let group { json.put("album_group", group) }
    json.put("is_playable", true)
  }

  static func type(of album: SongAlbum) -> String {
    if album.isCompilation || album.releaseTypes.contains("compilation") { return "compilation" }
    return album.releaseTypes.contains { $0 == "single" || $0 == "ep" } ? "single" : "album"
  }

  // MARK: Tracks

  /// - Parameters:
  ///   - album: The track's album; `nil` if it goes without saying.
  ///   - inPlaylist: There it says that it is no episode of a show.
  func track(_ song: Song, album: SongAlbum??, inPlaylist: Bool = false, _ json: inout JSONWriter) {
    json.object { json in
      if inPlaylist {
        json.put("episode", false)
        json.put("track", true)
      }
      if let album {
        json.key("album")
        self.album(album ?? SongAlbum(loose: song), &json)
        json.putObject("external_ids") { json in if let isrc = song.isrc { json.put("isrc", isrc) } }
        json.put("popularity", 0)
      }
      artists(song.artists, &json)
      json.key("available_markets")
      strings([], &json)
      json.put("disc_number", song.disc ?? 1)
      json.put("duration_ms", Int(((song.row.durationSeconds ?? 0) * 1000).rounded()))
      json.put("explicit", false)
      identify("track", song.id, &json)
      json.put("is_local", false)
      json.put("is_playable", true)
      json.put("name", song.title)
      json.putNull("preview_url")
      json.put("track_number", song.track ?? 1)
    }
  }

  // MARK: Playlists

  /// As lists have it, without its tracks.
  func playlist(_ playlist: GeneratedPlaylist, _ json: inout JSONWriter) {
    json.object { json in
      json.put("collaborative", false)
      json.put("description", playlist.description)
      identify("playlist", playlist.id, &json)
      images(playlist.cover, &json)
      json.put("name", playlist.name)
      json.putObject("owner") { json in
        identify("user", "nocturne", &json)
        json.put("display_name", "Nocturne")
      }
      json.put("public", true)
      json.put("snapshot_id", playlist.id)
      itemCount(playlist.trackCount, ofPlaylist: playlist.id, &json)
      json.putNull("primary_color")
    }
  }

  // MARK: Lists

  func strings(_ texts: [String], _ json: inout JSONWriter) {
    json.beginArray()
    for text in texts { json.string(text) }
    json.endArray()
  }

  /// A paging object: `path` without a query, and what of the query stays from page to page.
  func page<Element>(
    _ items: [Element], _ page: Page, total: Int, _ path: String, _ query: [(String, String)], _ json: inout JSONWriter,
    _ body: (inout JSONWriter, Element) -> Void
  ) {
    func url(_ offset: Int) -> String {
      let all = query + [("offset", String(offset)), ("limit", String(page.limit))]
      return path + "?" + all.map { "\($0.0)=\($0.1.queryEncoded)" }.joined(separator: "&")
    }
    json.object { json in
      json.put("href", url(page.offset))
      json.put("limit", page.limit)
      let next = page.offset + page.limit
      json.put("next", next < total ? url(next) : nil)
      json.put("offset", page.offset)
      json.put("previous", page.offset > 0 ? url(max(0, page.offset - page.limit)) : nil)
      json.put("total", total)
      json.key("items")
      json.beginArray()
      for item in items { body(&json, item) }
      json.endArray()
    }
  }
}

/// The requested part of a list.
struct Page: Sendable, Equatable {
  var limit: Int
  var offset: Int
}

extension String {
  /// For a value in a query.
  var queryEncoded: String {
    var encoded = ""
    for byte in utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"),
        UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"):
        encoded.unicodeScalars.append(Unicode.Scalar(byte))
      default:
        let digits = String(byte, radix: 16, uppercase: true)
        encoded += digits.count == 1 ? "%0\(digits)" : "%\(digits)"
      }
    }
    return encoded
  }
}
