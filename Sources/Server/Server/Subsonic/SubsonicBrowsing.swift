internal import Foundation
internal import LibraryStore
internal import Platform
internal import ResultStore
internal import Serving

extension SubsonicLibrary {
  // MARK: The server

  func ping(_ request: SubsonicRequest) -> SubsonicObject { SubsonicObject() }

  func license(_ request: SubsonicRequest) -> SubsonicObject { .make { $0.put("license") { $0.put("valid", true) } } }

  func extensions(_ request: SubsonicRequest) -> SubsonicObject {
    let offered = ["apiKeyAuthentication", "formPost", "songLyrics", "sonicSimilarity"]
    return .make {
      $0.put(
        "openSubsonicExtensions",
        offered.map { name in
          .make {
            $0.put("name", name)
            $0.put("versions", .list([.integer(1)]))
          }
        })
    }
  }

  /// The name of the user. All clients act as this one person.
  static let userName = "nocturne"

  func tokenInfo(_ request: SubsonicRequest) throws -> SubsonicObject {
    _ = try request.required("apiKey")
    return .make { $0.put("tokenInfo") { $0.put("username", Self.userName) } }
  }

  func user(_ request: SubsonicRequest) throws -> SubsonicObject {
    let name = try request.required("username")
    let folders = try services.folders().roots
    return .make {
      $0.put("user") {
        $0.put("username", name)
        $0.put("scrobblingEnabled", false)
        for role in [
          "admin", "settings", "upload", "coverArt", "comment", "podcast", "share", "jukebox", "videoConversion",
        ] {
          $0.put("\(role)Role", false)
        }
        for role in ["download", "playlist", "stream"] { $0.put("\(role)Role", true) }
        $0.put("folder", .list(folders.indices.map { .integer(Int64($0) + 1) }))
      }
    }
  }

  func scanStatus(_ request: SubsonicRequest) throws -> SubsonicObject {
    let count = try store.trackTotals().count
    let isScanning = RunLock.isHeld(forDatabase: store.path)
    return .make {
      $0.put("scanStatus") {
        $0.put("scanning", isScanning)
        $0.put("count", count)
      }
    }
  }

  func nowPlaying(_ request: SubsonicRequest) -> SubsonicObject { .make { $0.put("nowPlaying") { _ in } } }

  /// Accepts the request and ignores it, because plays are not counted.
  func scrobble(_ request: SubsonicRequest) throws -> SubsonicObject {
    _ = try request.required("id")
    return SubsonicObject()
  }

  // MARK: Folders

  /// Returns the root folders of runs. Their ids are numbers, counted from 1.
  func musicFolders(_ request: SubsonicRequest) throws -> SubsonicObject {
    let roots = try services.folders().roots
    return .make {
      $0.put("musicFolders") {
        $0.put(
          "musicFolder",
          roots.enumerated().map { index, root in
            .make {
              $0.put("id", index + 1)
              $0.put("name", root.name)
            }
          })
      }
    }
  }

  /// Returns the folders and songs that are directly in the music folders, or in one of them. Folders are grouped by
  /// the first letter of their names.
  func indexes(_ request: SubsonicRequest) throws -> SubsonicObject {
    let folders = try services.folders()
    var roots = folders.roots
    if let number = try request.integer("musicFolderId") {
      guard roots.indices.contains(number - 1) else { throw Self.notFound("music folder") }
      roots = [roots[number - 1]]
    }
    let groups = Self.groups(roots.flatMap(\.folders).compactMap { folders[$0] }, by: \.name)
    let songs = try children(store.songs(ofFiles: roots.flatMap(\.files)))
    let changed = try store.releases(order: .newest, limit: 1).first?.added ?? Timestamp(nanoseconds: 0)
    return .make {
      $0.put("indexes") {
        $0.put("lastModified", changed.nanoseconds / 1_000_000)
        $0.put("ignoredArticles", Self.ignoredArticles.joined(separator: " "))
        $0.put(
          "index",
          groups.map { letter, folders in
            .make {
              $0.put("name", letter)
              $0.put(
                "artist",
                folders.map { folder in
                  .make {
                    $0.put("id", folder.id)
                    $0.put("name", folder.name)
                  }
                })
            }
          })
        $0.put("child", songs)
      }
    }
  }

  /// Returns the contents of a folder on disk. Clients that ignore tags also request artists and releases as folders:
  /// an artist is a folder of releases, and a release is a folder of songs.
  func musicDirectory(_ request: SubsonicRequest) throws -> SubsonicObject {
    let id = try request.required("id")
    let folders = try services.folders()
    // Some clients send the number of a music folder.
    let root = Int(id).flatMap { folders.roots.indices.contains($0 - 1) ? folders.roots[$0 - 1] : nil }
    let (name, parent, children): (String, String?, [SubsonicObject])
    if let folder = root ?? folders[id] {
      let songs = try self.children(store.songs(ofFiles: folder.files))
      let inside = folder.folders.compactMap { folders[$0] }.map { child in
        SubsonicObject.make {
          $0.put("id", child.id)
          $0.put("parent", folder.id)
          $0.put("isDir", true)
          $0.put("title", child.name)
          $0.put("coverArt", child.cover)
        }
      }
      (name, parent, children) = (folder.name, folder.parent, inside + songs)
    } else if let release = try store.release(id: id) {
      let artist = release.artists.first ?? .unknown
      (name, parent, children) = (release.name, artist.id, try self.children(store.songs(ofRelease: id)))
    } else if let artist = try store.artist(id: id) {
      (name, parent, children) = (artist.name, nil, try self.folders(releases(of: id)))
    } else {
      throw Self.notFound("folder")
    }
    return .make {
      $0.put("directory") {
        $0.put("id", id)
        $0.put("parent", parent)
        $0.put("name", name)
        $0.put("child", children)
      }
    }
  }

  // MARK: Artists, albums, songs

  func artists(_ request: SubsonicRequest) throws -> SubsonicObject {
    let starred = try dates(.artist)
    let counts = try store.releaseCounts()
    let groups = Self.groups(try store.releaseArtists(), by: \.name)
    return .make {
      $0.put("artists") {
        $0.put("ignoredArticles", Self.ignoredArticles.joined(separator: " "))
        $0.put(
          "index",
          groups.map { letter, artists in
            .make {
              $0.put("name", letter)
              $0.put("artist", artists.map { object($0, releaseCount: counts[$0.id], starred: starred[$0.id]) })
            }
          })
      }
    }
  }

  /// Returns the artist's own albums, other albums with tracks by the artist, and the artist's tracks that are not in
  /// an album.
  private func releases(of id: String) throws -> [SongAlbum] {
    try store.albums(ofArtist: id) + store.albums(ofArtist: id, .appearsOn) + store.singles(ofArtist: id)
  }

  func artist(_ request: SubsonicRequest) throws -> SubsonicObject {
    let id = try request.required("id")
    guard let artist = try store.artist(id: id) else { throw Self.notFound("artist") }
    let releases = try releases(of: id)
    var object = object(artist, releaseCount: releases.count, starred: try dates(.artist)[id])
    object.put("album", try objects(releases))
    return .make { $0.put("artist", .object(object)) }
  }

  func album(_ request: SubsonicRequest) throws -> SubsonicObject {
    let id = try request.required("id")
    guard let album = try store.release(id: id) else { throw Self.notFound("album") }
    var object = object(album, starred: try dates(.album)[id])
    object.put("song", try children(store.songs(ofRelease: id)))
    return .make { $0.put("album", .object(object)) }
  }

  func song(_ request: SubsonicRequest) throws -> SubsonicObject {
    let song = try song(id: request.required("id"))
    return .make { $0.put("song", .object(song.object)) }
  }

  func song(id: String) throws -> (song: Song, object: SubsonicObject) {
    guard let song = try store.song(id: id), let object = try children([song]).first else {
      throw Self.notFound("song")
    }
    return (song, object)
  }

  func genres(_ request: SubsonicRequest) throws -> SubsonicObject {
    let genres = try store.genres()
    return .make {
      $0.put("genres") {
        $0.put(
          "genre",
          genres.map { genre in
            .make {
              $0.put("songCount", genre.trackCount)
              $0.put("albumCount", genre.albumCount)
              $0.put("value", genre.name)
            }
          })
      }
    }
  }

  /// Returns an empty object, because the server has no data other than the library's own.
  func artistInfo(_ request: SubsonicRequest) throws -> SubsonicObject {
    try artistInfo(request, as: "artistInfo")
  }

  func artistInfo2(_ request: SubsonicRequest) throws -> SubsonicObject {
    try artistInfo(request, as: "artistInfo2")
  }

  private func artistInfo(_ request: SubsonicRequest, as name: String) throws -> SubsonicObject {
    let id = try request.required("id")
    guard
      try store.artist(id: id) != nil || store.song(id: id) != nil || store.album(id: id) != nil
        || services.folders()[id] != nil
    else { throw Self.notFound("artist") }
    return .make { $0.put(name) { _ in } }
  }

  func albumInfo(_ request: SubsonicRequest) throws -> SubsonicObject {
    let id = try request.required("id")
    guard try store.album(id: id) != nil || store.song(id: id) != nil else { throw Self.notFound("album") }
    return .make { $0.put("albumInfo") { _ in } }
  }

  // MARK: Lists

  func albumList(_ request: SubsonicRequest) throws -> SubsonicObject {
    let albums = try folders(listedAlbums(request))
    return .make { $0.put("albumList") { $0.put("album", albums) } }
  }

  func albumList2(_ request: SubsonicRequest) throws -> SubsonicObject {
    let albums = try objects(listedAlbums(request))
    return .make { $0.put("albumList2") { $0.put("album", albums) } }
  }

  private func listedAlbums(_ request: SubsonicRequest) throws -> [SongAlbum] {
    let type = try request.required("type")
    let (limit, offset) = (try request.count("size", else: 10), try request.offset("offset"))
    switch type {
    case "newest": return try store.releases(order: .newest, limit: limit, offset: offset)
    case "random":
      return try store.releases(order: .random(seed: Int.random(in: 0..<1_000_000)), limit: limit, offset: offset)
    case "alphabeticalByName": return try store.releases(order: .name, limit: limit, offset: offset)
    case "alphabeticalByArtist": return try store.releases(order: .artist, limit: limit, offset: offset)
    case "byGenre":
      let genre = LibraryGenre.id(ofName: try request.required("genre"))
      return try store.releases(order: .name, genre: genre, limit: limit, offset: offset)
    case "byYear":
      guard let from = try request.integer("fromYear"), let to = try request.integer("toYear") else {
        throw RequestError.subsonic(.missingParameter, .badRequest, "byYear needs fromYear and toYear.")
      }
      return try store.releases(
        order: .year(isDescending: from > to), years: min(from, to)...max(from, to), limit: limit, offset: offset)
    case "starred":
      let ids = try store.saved(.album).map(\.id)
      return Array(try store.releases(ids: ids).compactMap(\.self).dropFirst(offset).prefix(limit))
    // Plays and ratings are not stored.
    case "frequent", "recent", "highest": return []
    default: throw RequestError(.badRequest, "type is not a list that Subsonic has: \(type.prefix(50)).")
    }
  }

  func randomSongs(_ request: SubsonicRequest) throws -> SubsonicObject {
    let (from, to) = (try request.integer("fromYear"), try request.integer("toYear"))
    let years = from == nil && to == nil ? nil : min(from ?? 0, to ?? 9999)...max(from ?? 0, to ?? 9999)
    let songs = try store.randomSongs(
      seed: Int.random(in: 0..<1_000_000), genre: request["genre"].map { LibraryGenre.id(ofName: $0) }, years: years,
      limit: request.count("size", else: 10))
    let children = try children(songs)
    return .make { $0.put("randomSongs") { $0.put("song", children) } }
  }

  func songsByGenre(_ request: SubsonicRequest) throws -> SubsonicObject {
    let genre = LibraryGenre.id(ofName: try request.required("genre"))
    let songs = try children(
      store.songs(ofGenre: genre, limit: request.count("count", else: 10), offset: request.offset("offset")))
    return .make { $0.put("songsByGenre") { $0.put("song", songs) } }
  }

  /// Returns an artist's songs in the order of the albums, because plays are not counted.
  func topSongs(_ request: SubsonicRequest) throws -> SubsonicObject {
    let artist = SongArtist(named: try request.required("artist"))
    let songs = try children(store.songs(ofArtist: artist.id, limit: request.count("count", else: 50)))
    return .make { $0.put("topSongs") { $0.put("song", songs) } }
  }
}
