public import Analysis
public import Library
public import Platform
internal import ResultStore
internal import SystemPackage
internal import Text

/// A performer, as named on tracks and albums.
public struct SongArtist: Sendable, Hashable {
  /// The 22-character id, derived from the name.
  public var id: String
  public var name: String

  /// - Parameter name: The name. Spellings that differ only in case or spaces have the same id.
  public init(named name: String) {
    id = SongCatalogID.artist(name)
    self.name = name
  }

  /// Represents the unknown performers of tracks and albums. No other artist has this id, because no tag has an empty
  /// name.
  public static let unknown = {
    var artist = SongArtist(named: "")
    artist.name = "Unknown artist"
    return artist
  }()

  /// Returns all names as one text; empty if there are none.
  public static func text(_ artists: [SongArtist]) -> String { ListText.joined(artists.map(\.name)) ?? "" }

  static func list(_ column: String?) -> [SongArtist] {
    NameList.names(in: column).map { SongArtist(named: $0) }
  }
}

/// A track of the song catalog. It is an existing file that was analyzed, at least in part, or, if requested, one that
/// failed. Unknown values are `nil`.
public struct Song: Sendable {
  public struct Album: Sendable, Hashable {
    public var id: String
    public var name: String
  }

  /// The 22-character id, derived from the path.
  public var id: String
  public var row: TrackRow
  /// The title from the tag, or the file name without its extension if there is none.
  public var title: String
  public var isUntitled: Bool
  /// The individual artists; empty if no tag names any.
  public var artists: [SongArtist]
  /// The album artists from the tag; empty if there are none.
  public var albumArtists: [SongArtist]
  public var album: Album?
  public var disc: Int?
  public var track: Int?
  public var date: PartialDate?
  public var genres: [String]
  /// ISRC of 12 letters and digits, if the tag has one.
  public var isrc: String?
  public var recordingID: String?
  /// Bit rate in bits per second.
  public var bitRate: Int?
  /// Sample rate in Hz.
  public var sampleRate: Int?
  public var channelCount: Int?
  public var bitDepth: Int?
  /// The same as `AudioFormat.container`.
  public var container: String?
  /// Size in bytes.
  public var size: Int64
  public var modified: Timestamp
  /// The reason the file failed or is damaged; `nil` if it is intact.
  public var problem: Problem?

  static let columns = """
    \(TrackRow.columns), song.track_id, song.album_id, song.artists, song.album_artists, song.genres, song.disc, song.track, \
    song.date, song.isrc, song.recording_id, format.bit_rate_bps, format.sample_rate_hz, file.size_bytes, file.mtime_ns,
    format.container, format.channels, format.bit_depth, failure.stage, failure.code, failure.message
    """

  init(_ query: Query) {
    row = TrackRow(query)
    let first = TrackRow.columnCount
    id = query.text(first)
    title = Track.title(row.title, of: row.path)
    isUntitled = row.title == nil
    album = query.optionalText(first + 1).map { [row] in Album(id: $0, name: row.album ?? "") }
    artists = SongArtist.list(query.optionalText(first + 2))
    albumArtists = SongArtist.list(query.optionalText(first + 3))
    genres = NameList.names(in: query.optionalText(first + 4))
    disc = query.optionalInteger(first + 5).map { Int($0) }
    track = query.optionalInteger(first + 6).map { Int($0) }
    date = query.optionalText(first + 7).flatMap { PartialDate($0) }
    isrc = query.optionalText(first + 8)
    recordingID = query.optionalText(first + 9)
    bitRate = query.optionalInteger(first + 10).map { Int($0) }
    sampleRate = query.optionalInteger(first + 11).map { Int($0) }
    size = query.integer(first + 12)
    modified = Timestamp(nanoseconds: query.integer(first + 13))
    container = query.optionalText(first + 14)
    channelCount = query.optionalInteger(first + 15).map { Int($0) }
    bitDepth = query.optionalInteger(first + 16).map { Int($0) }
    if row.status != .ok {
      problem = StoredProblem.read(query, stage: first + 17, code: first + 18, message: first + 19)
    }
  }
}

/// An album: tracks that name it and share a release, album artists or a folder.
public struct SongAlbum: Sendable, Hashable {
  /// The 22-character id, derived from the MusicBrainz release; without one, from the name and the album artists;
  /// without album artists, from the name and the folder.
  public var id: String
  public var name: String
  /// The album artists from a tag; otherwise, unless the album is a compilation, the artists, or at least the first
  /// artist, that all tracks share; otherwise, `Various Artists`. Empty if no track names any artist and the album is
  /// not a compilation.
  public var artists: [SongArtist]
  /// The earliest year of its tracks.
  public var year: Int?
  /// The earliest date of its tracks.
  public var date: PartialDate?
  public var trackCount: Int
  public var discCount: Int
  public var durationSeconds: Double
  /// Time at which the newest of its files was first seen.
  public var added: Timestamp
  /// The id of the first track, whose cover is used.
  public var firstTrack: String
  /// Genres, starting with the most frequent one among its tracks.
  public var genres: [String]
  public var isCompilation: Bool
  /// The release types from the tag of the first track, such as `album`, `single`, `ep`, `live`.
  public var releaseTypes: [String]
  public var label: String?

  /// Creates an album with a single track that does not belong to any album.
  public init(loose song: Song) {
    id = song.id
    name = song.title
    artists = song.artists
    year = song.row.year
    date = song.date
    trackCount = 1
    discCount = 1
    durationSeconds = song.row.durationSeconds ?? 0
    added = song.row.added
    firstTrack = song.id
    genres = song.genres
    isCompilation = false
    releaseTypes = ["single"]
    label = nil
  }

  /// - Parameter tables: Tables in the database.
  static func columns(_ tables: Set<String>) -> String {
    let first = """
      (SELECT id FROM song WHERE song.album_id = album.album_id ORDER BY coalesce(disc, 1), track IS NULL, track, id LIMIT 1)
      """
    func tag(_ name: String) -> String {
      tables.contains("tag")
        ? """
        (SELECT json_group_array(value) FROM (
          SELECT value FROM tag WHERE tag.file = \(first) AND tag.name = '\(name)' ORDER BY position))
        """ : "NULL"
    }
    return """
      album.album_id, album.name, album.artists, album.year, album.date, album.track_count, album.disc_count,
      album.duration_s, album.added_ns, album.compilation, (SELECT track_id FROM song WHERE id = \(first)),
      (SELECT json_group_array(name) FROM (
        SELECT genre.name FROM genre_album JOIN genre ON genre.id = genre_album.genre WHERE genre_album.album = album.id
        ORDER BY genre_album.track_count DESC, genre.name)),
      \(tag("releasetype")), \(tag("label"))
      """
  }

  init(_ query: Query) {
    id = query.text(0)
    name = query.text(1)
    artists = SongArtist.list(query.optionalText(2))
    year = query.optionalInteger(3).map { Int($0) }
    date = query.optionalText(4).flatMap { PartialDate($0) }
    trackCount = Int(query.integer(5))
    discCount = Int(query.integer(6))
    durationSeconds = query.real(7)
    added = Timestamp(nanoseconds: query.integer(8))
    isCompilation = query.flag(9)
    firstTrack = query.text(10)
    genres = NameList.names(in: query.optionalText(11))
    releaseTypes = NameList.names(in: query.optionalText(12)).map { $0.lowercased() }
    label = NameList.names(in: query.optionalText(13)).first
  }
}

/// A performer of tracks or of whole albums.
public struct LibraryArtist: Sendable, Hashable {
  public var id: String
  public var name: String
  /// Number of tracks that name the artist as a performer.
  public var trackCount: Int
  public var albumCount: Int
  /// Up to five genres, the most frequent first among up to 100 of the artist's tracks; empty for `SongArtist.unknown`.
  public var genres: [String]

  static let columns = """
    artist.artist_id, artist.name, artist.track_count, artist.album_count,
    (SELECT json_group_array(name) FROM (
      SELECT genre.name FROM (SELECT song FROM artist_song WHERE artist = artist.id LIMIT 100) own
      JOIN genre_song ON genre_song.song = own.song JOIN genre ON genre.id = genre_song.genre
      GROUP BY genre.id ORDER BY count(*) DESC, genre.name LIMIT 5))
    """

  init(id: String, name: String, trackCount: Int, albumCount: Int, genres: [String]) {
    self.id = id
    self.name = name
    self.trackCount = trackCount
    self.albumCount = albumCount
    self.genres = genres
  }

  init(_ query: Query) {
    id = query.text(0)
    name = query.text(1)
    trackCount = Int(query.integer(2))
    albumCount = Int(query.integer(3))
    genres = NameList.names(in: query.optionalText(4))
  }
}

public struct LibraryGenre: Sendable, Hashable {
  /// The id, which consists of letters and digits with `-` between words, such as `drum-bass`.
  public var id: String
  /// The first spelling that was found.
  public var name: String
  public var trackCount: Int
  public var albumCount: Int

  /// Returns the id of the genre with this name. Spellings that differ only in case or symbols have the same id.
  public static func id(ofName name: String) -> String { SongCatalogID.genre(name) }
}
