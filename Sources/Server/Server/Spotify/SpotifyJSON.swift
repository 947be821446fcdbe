internal import Library
internal import LibraryStore
internal import LibraryTasks
internal import Records
internal import Serving
internal import Text

/// The URLs in responses of Spotify's Web API.
///
/// Unknown values are null where clients accept null; elsewhere, they have the values that Spotify uses for unknown
/// ones. Plays are not counted, so `popularity` is 0. The files can be played wherever the server can be reached, so
/// `available_markets` is empty, and `is_playable` is true.
struct SpotifyLinks: Sendable {
  /// The start of absolute URLs.
  let base: String
  /// The key that lets a client without a token see a cover; `nil` if no key is needed.
  let coverKey: @Sendable (_ id: String) -> String?

  /// - Parameter id: The id of a track or album; `nil` if there are no images.
  func images(_ id: String?) -> [SpotifyImage] {
    guard let id else { return [] }
    let key = coverKey(id).map { "&key=\($0)" } ?? ""
    return [640, 300, 64].map { SpotifyImage(url: "\(base)/media/covers/\(id)?size=\($0)\(key)", size: $0) }
  }

  /// - Parameters:
  ///   - path: The path below `/v1/`, without a query.
  ///   - query: The query items that all pages share.
  func page<Item>(
    _ items: [Item], _ page: Page, total: Int, _ path: String, _ query: [(String, String)] = []
  ) -> SpotifyPage<Item> {
    SpotifyPage(page: page, total: total, address: "\(base)/v1/\(path)", query: query, items: items)
  }
}

struct SpotifyImage {
  var url: String
  /// Length of each side in pixels.
  var size: Int
}

extension JSONType<SpotifyImage> {
  static var image: Self {
    .object(
      "Image", .required("url", .text) { $0.url }, .required("height", .integer) { $0.size },
      .required("width", .integer) { $0.size })
  }
}

/// A value of the library, together with the URLs for the response.
struct Linked<Value: Sendable>: Sendable {
  let value: Value
  let links: SpotifyLinks

  init(_ value: Value, _ links: SpotifyLinks) {
    self.value = value
    self.links = links
  }
}

extension Field {
  /// The fields by which clients refer to an object.
  static func identity<Value>(_ kind: String, _ id: @escaping @Sendable (Value) -> String) -> [Self]
  where Record == Linked<Value> {
    [
      .required("external_urls", .map(.text)) { [("spotify", "\($0.links.base)/\(kind)/\(id($0.value))")] },
      .required("href", .text) { "\($0.links.base)/v1/\(kind)s/\(id($0.value))" },
      .required("id", .text) { id($0.value) }, .required("type", .text) { _ in kind },
      .required("uri", .text) { "spotify:\(kind):\(id($0.value))" },
    ]
  }

  static func images<Value>(_ id: @escaping @Sendable (Value) -> String?) -> Self where Record == Linked<Value> {
    .required("images", .list(.image)) { $0.links.images(id($0.value)) }
  }

  static func artists<Value>(_ artists: @escaping @Sendable (Value) -> [SongArtist]) -> Self
  where Record == Linked<Value> {
    .required("artists", .list(.simpleArtist)) { record in
      // Clients show the first artist, so the list must not be empty.
      let artists = artists(record.value)
      return (artists.isEmpty ? [.unknown] : artists).map { Linked($0, record.links) }
    }
  }

  static var followers: Self { .required("followers", .followers) { _ in 0 } }
  static var markets: Self { .required("available_markets", .list(.text)) { _ in [] } }
  static var popularity: Self { .required("popularity", .integer) { _ in 0 } }
}

extension JSONType<Int> {
  fileprivate static var followers: Self {
    .object("Followers", .optional("href", .text) { _ in nil }, .required("total", .integer) { $0 })
  }
}

// MARK: Artists

extension JSONType<Linked<SongArtist>> {
  static var simpleArtist: Self {
    .object("SimpleArtist", groups: Field.identity("artist") { $0.id }, [.required("name", .text) { $0.value.name }])
  }
}

typealias LinkedArtist = Linked<(artist: LibraryArtist, image: String?)>

extension JSONType where Value == LinkedArtist {
  static var artist: Self {
    .object(
      "Artist",
      groups: Field.identity("artist") { $0.artist.id },
      [
        .required("name", .text) { $0.value.artist.name }, .followers,
        .required("genres", .list(.text)) { $0.value.artist.genres }, .images { $0.image }, .popularity,
      ])
  }
}

extension JSONType where Value == [LinkedArtist?] {
  static var artists: Self { .only("artists", .list(.nullable(.artist)), as: "Artists") }
}

// MARK: Albums

/// An album, its group in an artist's list of albums, and its first tracks if the response includes them.
typealias LinkedAlbum = Linked<(album: SongAlbum, group: String?, tracks: [Song])>

extension LinkedAlbum {
  init(_ album: SongAlbum, group: String? = nil, tracks: [Song] = [], _ links: SpotifyLinks)
  where Value == (album: SongAlbum, group: String?, tracks: [Song]) {
    self.init((album, group, tracks), links)
  }
}

extension JSONType where Value == LinkedAlbum {
  static var simpleAlbum: Self { .object("SimpleAlbum", groups: members) }

  /// The album with its first tracks.
  static var album: Self {
    .object(
      "Album",
      groups: members,
      [
        .required("tracks", .page("SimpleTrackPage", .simpleTrack)) { $0.trackPage },
        .required("copyrights", .list(.any)) { _ in [] }, .required("external_ids", .map(.text)) { _ in [] },
        .required("genres", .list(.text)) { $0.value.album.genres },
        .required("label", .text) { $0.value.album.label ?? "" }, .popularity,
      ])
  }

  private static var members: [Field<LinkedAlbum>] {
    let kind: [Field<LinkedAlbum>] = [
      .required("album_type", .text) { $0.value.album.spotifyType },
      .required("total_tracks", .integer) { $0.value.album.trackCount }, .markets,
    ]
    let facts: [Field<LinkedAlbum>] = [
      .images { $0.album.firstTrack }, .required("name", .text) { $0.value.album.name },
      .required("release_date", .text) { $0.value.album.date?.description ?? "" },
      .required("release_date_precision", .text) { linked in
        let date = linked.value.album.date
        return date?.day != nil ? "day" : date?.month != nil ? "month" : "year"
      },
      .artists { $0.album.artists }, .ifAny("album_group", .text) { $0.value.group },
      .required("is_playable", .flag) { _ in true },
    ]
    return kind + Field.identity("album") { $0.album.id } + facts
  }
}

extension LinkedAlbum where Value == (album: SongAlbum, group: String?, tracks: [Song]) {
  fileprivate var trackPage: SpotifyPage<LinkedTrack> {
    links.page(
      value.tracks.map { LinkedTrack(($0, nil), links) }, Page(limit: 50, offset: 0), total: value.album.trackCount,
      "albums/\(value.album.id)/tracks")
  }
}

extension SongAlbum {
  var spotifyType: String {
    if isCompilation || releaseTypes.contains("compilation") { return "compilation" }
    return releaseTypes.contains { $0 == "single" || $0 == "ep" } ? "single" : "album"
  }
}

// MARK: Tracks

/// A track and its album. A track without an album counts as an album of its own.
typealias LinkedTrack = Linked<(song: Song, album: SongAlbum?)>

extension JSONType where Value == LinkedTrack {
  /// The track without its album, for responses that already identify the album.
  static var simpleTrack: Self { .object("SimpleTrack", groups: members) }
  static var track: Self { .object("Track", groups: fullMembers) }

  /// A track in a playlist, marked as not being an episode of a show.
  static var playlistTrack: Self {
    .object(
      "PlaylistTrack", groups: [.required("episode", .flag) { _ in false }, .required("track", .flag) { _ in true }],
      fullMembers)
  }

  private static var fullMembers: [Field<LinkedTrack>] {
    let facts: [Field<LinkedTrack>] = [
      .required("album", .simpleAlbum) { track in
        LinkedAlbum(track.value.album ?? SongAlbum(loose: track.value.song), track.links)
      },
      .required("external_ids", .map(.text)) { $0.value.song.isrc.map { [("isrc", $0)] } ?? [] }, .popularity,
    ]
    return facts + members
  }

  private static var members: [Field<LinkedTrack>] {
    let first: [Field<LinkedTrack>] = [
      .artists { $0.song.artists }, .markets, .required("disc_number", .integer) { $0.value.song.disc ?? 1 },
      .required("duration_ms", .integer) { Int((($0.value.song.row.durationSeconds ?? 0) * 1000).rounded()) },
      .required("explicit", .flag) { _ in false },
    ]
    let last: [Field<LinkedTrack>] = [
      .required("is_local", .flag) { _ in false }, .required("is_playable", .flag) { _ in true },
      .required("name", .text) { $0.value.song.title }, .optional("preview_url", .text) { _ in nil },
      .required("track_number", .integer) { $0.value.song.track ?? 1 },
    ]
    return first + Field.identity("track") { $0.song.id } + last
  }
}

extension JSONType where Value == [LinkedTrack?] {
  static var tracks: Self { .only("tracks", .list(.nullable(.track)), as: "Tracks") }
}

// MARK: Lists

/// A page of a list, for one of Spotify's paging objects.
struct SpotifyPage<Item: Sendable>: Sendable {
  let page: Page
  let total: Int
  let address: String
  let query: [(String, String)]
  let items: [Item]

  fileprivate func url(_ offset: Int) -> String {
    let all = query + [("offset", String(offset)), ("limit", String(page.limit))]
    return address + "?" + all.map { "\($0.0)=\($0.1.queryEncoded)" }.joined(separator: "&")
  }

  fileprivate var next: Int { page.offset + page.limit }
}

extension JSONType {
  static func page<Item>(_ name: String, _ item: JSONType<Item>) -> Self where Value == SpotifyPage<Item> {
    .object(
      name, .required("href", .text) { $0.url($0.page.offset) }, .required("limit", .integer) { $0.page.limit },
      .optional("next", .text) { $0.next < $0.total ? $0.url($0.next) : nil },
      .required("offset", .integer) { $0.page.offset },
      .optional("previous", .text) { $0.page.offset > 0 ? $0.url(max(0, $0.page.offset - $0.page.limit)) : nil },
      .required("total", .integer) { $0.total }, .required("items", .list(item)) { $0.items })
  }
}

extension JSONType<SpotifyPage<JSONValue>> {
  /// The paging object of an empty list.
  static var emptyPage: Self { .page("EmptyPage", .any) }
}

/// The requested range of a list: at most `limit` items, starting at `offset`.
struct Page: Sendable, Equatable {
  var limit: Int
  var offset: Int
}

extension String {
  /// The text, percent-encoded for use as a value in a query.
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
