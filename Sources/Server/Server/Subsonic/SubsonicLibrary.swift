internal import Analysis
internal import Foundation
internal import Library
internal import LibraryStore
internal import Platform
internal import ResultStore
internal import Serving
internal import SystemPackage

/// The library as Subsonic's clients see it: its objects, and the times when they were starred.
struct SubsonicLibrary: Sendable {
  let services: Services
  var store: ResultStore { services.store }

  /// Returns the times when albums or artists were saved, by id.
  func dates(_ kind: ResultStore.SavedKind) throws -> [String: Timestamp] {
    Dictionary(try store.saved(kind).map { ($0.id, $0.saved) }) { first, _ in first }
  }

  static func notFound(_ what: String) -> RequestError { RequestError(.notFound, "There is no \(what) with this id.") }

  // MARK: Songs

  /// Returns the objects for songs, in the same order.
  func children(_ songs: [Song]) throws -> [SubsonicObject] {
    let files = songs.map(\.row.fileID)
    let (starred, gains) = (try store.savedDates(ofFiles: files), try store.replayGains(ofFiles: files))
    return songs.map { child($0, starred: starred[$0.row.fileID], gains[$0.row.fileID]) }
  }

  func children(ofFiles files: [Int64?]) throws -> [SubsonicObject] {
    try children(store.songs(ofFiles: files.compactMap(\.self)))
  }

  private func child(_ song: Song, starred: Timestamp?, _ gain: ReplayGain?) -> SubsonicObject {
    let row = song.row
    let artists = song.artists.isEmpty ? [.unknown] : song.artists
    let credit = row.artist ?? SongArtist.text(artists)
    return .make {
      $0.put("id", song.id)
      $0.put("parent", LibraryFolders.id(ofFolderOf: row.path))
      $0.put("isDir", false)
      $0.put("title", song.title)
      // A track without an album counts as an album of its own.
      $0.put("album", song.album?.name ?? song.title)
      $0.put("artist", credit)
      $0.put("track", song.track)
      $0.put("year", row.year)
      $0.put("genre", song.genres.first)
      $0.put("coverArt", song.id)
      $0.put("size", song.size)
      $0.put("contentType", AudioMediaType.name(container: song.container, codec: row.codec))
      $0.put("suffix", row.path.extension?.lowercased())
      $0.put("duration", row.durationSeconds.map { Int($0.rounded()) })
      $0.put("bitRate", song.bitRate.map { ($0 + 500) / 1000 })
      $0.put("bitDepth", song.bitDepth)
      $0.put("samplingRate", song.sampleRate)
      $0.put("channelCount", song.channelCount)
      $0.put("path", Self.path(of: song))
      $0.put("isVideo", false)
      $0.put("discNumber", song.disc)
      $0.put("created", row.added.description)
      $0.put("starred", starred?.description)
      $0.put("albumId", song.album?.id ?? song.id)
      $0.put("artistId", artists.first?.id)
      $0.put("type", "music")
      $0.put("mediaType", "song")
      // OpenSubsonic requires 0 for a track without a tempo.
      $0.put("bpm", Int((row.bpm ?? 0).rounded()))
      $0.put("sortName", "")
      $0.put("musicBrainzId", song.recordingID ?? "")
      $0.put("isrc", song.isrc.map { [$0] } ?? [])
      $0.put("genres", song.genres.map(Self.named))
      $0.put("artists", artists.map(Self.reference))
      $0.put("displayArtist", credit)
      $0.put("albumArtists", song.albumArtists.map(Self.reference))
      $0.put("displayAlbumArtist", SongArtist.text(song.albumArtists))
      $0.put("replayGain") {
        $0.put("trackGain", gain?.trackGain?.rounded(toPlaces: 2))
        $0.put("albumGain", gain?.albumGain?.rounded(toPlaces: 2))
        $0.put("trackPeak", gain?.trackPeak?.rounded(toPlaces: 6))
        $0.put("albumPeak", gain?.albumPeak?.rounded(toPlaces: 6))
      }
    }
  }

  /// Returns a path that clients can show and store. It consists of the names of the artist, the album and the file,
  /// not of the folders on this machine.
  private static func path(of song: Song) -> String {
    let artist = song.albumArtists.first?.name ?? song.artists.first?.name
    let folders = [artist, song.album?.name].compactMap { $0?.replacing("/", with: "_") }
    return (folders + [song.row.path.lastComponent.map { DisplayPath.text(of: FilePath(root: nil, [$0])) } ?? song.id])
      .joined(separator: "/")
  }

  static func named(_ name: String) -> SubsonicObject { .make { $0.put("name", name) } }

  static func reference(_ artist: SongArtist) -> SubsonicObject {
    .make {
      $0.put("id", artist.id)
      $0.put("name", artist.name)
    }
  }

  // MARK: Albums and artists

  /// Returns an `AlbumID3`.
  func object(_ album: SongAlbum, starred: Timestamp?) -> SubsonicObject {
    let artists = album.artists.isEmpty ? [.unknown] : album.artists
    let credit = SongArtist.text(artists)
    return .make {
      $0.put("id", album.id)
      $0.put("name", album.name)
      $0.put("artist", credit)
      $0.put("artistId", artists.first?.id)
      $0.put("coverArt", album.id)
      $0.put("songCount", album.trackCount)
      $0.put("duration", Int(album.durationSeconds.rounded()))
      $0.put("created", album.added.description)
      $0.put("starred", starred?.description)
      $0.put("year", album.year)
      $0.put("genre", album.genres.first)
      $0.put("mediaType", "album")
      $0.put("musicBrainzId", "")
      $0.put("genres", album.genres.map(Self.named))
      $0.put("artists", artists.map(Self.reference))
      $0.put("displayArtist", credit)
      $0.put("releaseTypes", album.releaseTypes)
      $0.put("recordLabels", album.label.map { [Self.named($0)] } ?? [])
      $0.put("isCompilation", album.isCompilation)
      $0.put("originalReleaseDate") { date in
        date.put("year", album.date?.year)
        date.put("month", album.date?.month)
        date.put("day", album.date?.day)
      }
    }
  }

  func objects(_ albums: [SongAlbum]) throws -> [SubsonicObject] {
    let starred = try dates(.album)
    return albums.map { object($0, starred: starred[$0.id]) }
  }

  /// Returns albums as folders, for clients that browse by folder.
  func folders(_ albums: [SongAlbum]) throws -> [SubsonicObject] {
    let starred = try dates(.album)
    return albums.map { album in
      .make {
        let artists = album.artists.isEmpty ? [.unknown] : album.artists
        $0.put("id", album.id)
        $0.put("parent", artists.first?.id)
        $0.put("isDir", true)
        $0.put("title", album.name)
        $0.put("name", album.name)
        $0.put("album", album.name)
        $0.put("artist", SongArtist.text(artists))
        $0.put("year", album.year)
        $0.put("genre", album.genres.first)
        $0.put("coverArt", album.id)
        $0.put("songCount", album.trackCount)
        $0.put("duration", Int(album.durationSeconds.rounded()))
        $0.put("created", album.added.description)
        $0.put("starred", starred[album.id]?.description)
        $0.put("mediaType", "album")
      }
    }
  }

  /// Returns an `ArtistID3`.
  /// - Parameter releaseCount: The number of releases that are by the artist or contain tracks by the artist; `nil` for
  ///   `SongArtist.unknown`.
  func object(_ artist: LibraryArtist, releaseCount: Int? = nil, starred: Timestamp?) -> SubsonicObject {
    .make {
      $0.put("id", artist.id)
      $0.put("name", artist.name)
      $0.put("albumCount", releaseCount ?? artist.albumCount)
      $0.put("starred", starred?.description)
      $0.put("musicBrainzId", "")
      $0.put("sortName", Self.sortName(artist.name))
      $0.put(
        "roles",
        [artist.albumCount > 0 ? "albumartist" : nil, artist.trackCount > 0 ? "artist" : nil].compactMap(\.self))
    }
  }

  func objects(_ artists: [LibraryArtist]) throws -> [SubsonicObject] {
    let (starred, counts) = (try dates(.artist), try store.releaseCounts(ofArtists: artists.map(\.id)))
    return artists.map { object($0, releaseCount: counts[$0.id], starred: starred[$0.id]) }
  }

  // MARK: Names

  static let ignoredArticles = ["The", "An", "A", "Die", "Das", "Ein", "Eine", "Les", "Le", "La"]

  /// Returns the name without a leading article.
  static func sortName(_ name: String) -> String {
    for article in ignoredArticles where name.lowercased().hasPrefix(article.lowercased() + " ") {
      return String(name.dropFirst(article.count + 1))
    }
    return name
  }

  /// Groups elements by the first letter of their names without articles, or under `#` for any other first character.
  /// Groups and elements are sorted.
  static func groups<Element>(
    _ elements: [Element], by name: (Element) -> String
  ) -> [(letter: String, elements: [Element])] {
    let named = elements.map { (element: $0, name: sortName(name($0))) }
    let groups = Dictionary(grouping: named) { _, name -> String in
      guard let first = name.folding(options: .diacriticInsensitive, locale: nil).first, first.isLetter else {
        return "#"
      }
      return String(first).uppercased()
    }
    return groups.sorted { $0.key < $1.key }.map { letter, named in
      // Equal names keep their order.
      (
        letter,
        named.map { (element: $0.element, name: $0.name.lowercased()) }.sorted { $0.name < $1.name }.map(\.element)
      )
    }
  }
}
