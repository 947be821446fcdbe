import Analysis
import AnalysisTesting
import Filters
import GRDB
import Library
import LibraryStore
import LibraryTesting
import Platform
import ResultStore
import SystemPackage
import Testing

/// Albums, artists and genres of the song catalog, and their ids.
@Suite(.bounded) struct SongAlbumTests {
  private typealias File = (path: FilePath, tags: [String: [String]]?)

  /// Library with these files; a file without tags is broken.
  private func library(_ files: [File]) throws -> ScannedLibrary {
    let library = try ScannedLibrary()
    try put(files, in: library)
    return library
  }

  private func put(_ files: [File], in library: ScannedLibrary) throws {
    let tags = Dictionary(uniqueKeysWithValues: files.map { ($0.path, $0.tags) })
    var random = SplitMix64.fresh()
    for (path, _) in files { library.put(path, size: Int64.random(in: 1...1_000_000, using: &random)) }
    try library.night { file in
      guard let known = tags[file.path] else { return nil }
      guard let fields = known else { return ScannedLibrary.broken }
      var analysis = ScannedLibrary.analysis(of: file)
      analysis.outcomes[0].result = .finding(TagFinding(fields: fields))
      return analysis
    }
    #expect(try library.store.check() == [])
  }

  private func albums(_ library: ScannedLibrary) throws -> [SongAlbum] {
    try library.store.albums(order: .name, limit: 100)
  }

  private func titles(_ album: SongAlbum, in library: ScannedLibrary) throws -> [String] {
    try library.store.songs(ofAlbum: album.id).map(\.title)
  }

  @Test func tracksOfOneAlbumAreInTheirOrder() throws {
    let names = [
      "albumartist": ["Band"], "album": ["Album"], "artist": ["Band"], "genre": ["Rock", "Pop"], "date": ["1999-03"],
    ]
    func tags(_ title: String, disc: String?, track: String?) -> [String: [String]] {
      names.merging(["title": [title], "disc": disc.map { [$0] } ?? [], "track": track.map { [$0] } ?? []]) { $1 }
        .filter { !$0.value.isEmpty }
    }
    let library = try library([
      ("/music/CD 2/a.flac", tags("fourth", disc: "2", track: "1")),
      ("/music/x.flac", tags("third", disc: nil, track: nil)),
      ("/music/z.flac", tags("second", disc: "1", track: "10")),
      ("/music/zz.flac", tags("first", disc: nil, track: "9")),
    ])
    let album = try #require(try albums(library).first)
    #expect(try titles(album, in: library) == ["first", "second", "third", "fourth"])
    #expect(album.name == "Album" && album.artists == [SongArtist(named: "Band")])
    #expect(album.trackCount == 4 && album.discCount == 2 && album.durationSeconds == 40)
    #expect(album.year == 1999 && album.date?.description == "1999-03" && album.genres == ["Pop", "Rock"])
    #expect(album.firstTrack == ContentID(ofPath: "/music/zz.flac").description)
    let song = try #require(try library.store.song(id: album.firstTrack))
    #expect(song.album?.id == album.id && song.album?.name == "Album" && song.track == 9 && song.disc == nil)
    #expect(song.genres == ["Rock", "Pop"] && song.albumArtists == song.artists && song.size > 0)
    #expect(try library.store.songs(ofAlbum: album.id, limit: 2, offset: 1).map(\.title) == ["second", "third"])
  }

  @Test func albumsOfOneNameAreTwoIfTheirArtistsAre() throws {
    func tags(_ artist: String, album: String = "Greatest Hits", _ more: [String: [String]] = [:]) -> [String: [String]]
    {
      ["albumartist": [artist], "album": [album], "artist": [artist]].merging(more) { $1 }
    }
    let library = try library([
      ("/music/a.flac", tags("One")), ("/music/b.flac", tags("Two")),
      ("/music/c.flac", tags("two", album: "greatest  hits")),
      ("/music/d.flac", tags("Two", ["musicbrainz_albumid": ["AB"]])),
    ])
    let albums = try albums(library)
    #expect(albums.map(\.trackCount).sorted() == [1, 1, 2])
    let two = try #require(try library.store.artist(id: SongArtist(named: "TWO").id))
    #expect(two.trackCount == 3 && two.albumCount == 2)
    #expect(try library.store.albums(ofArtist: two.id).map(\.trackCount).sorted() == [1, 2])
  }

  @Test func albumsWithoutAlbumArtistsAreTheirFolders() throws {
    func tags(_ artist: String, _ more: [String: [String]] = [:]) -> [String: [String]] {
      ["album": ["Mix"], "artist": [artist]].merging(more) { $1 }
    }
    let library = try library([
      ("/music/one/a.flac", tags("A")), ("/music/one/b.flac", tags("A feat. B")),
      ("/music/two/CD1/a.flac", tags("A")), ("/music/two/CD2/b.flac", tags("B")),
      ("/music/x/a.flac", tags("C", ["compilation": ["1"]])), ("/music/y/b.flac", tags("D", ["compilation": ["1"]])),
    ])
    let albums = try albums(library)
    #expect(albums.count == 3 && albums.allSatisfy { $0.trackCount == 2 })
    let artists = albums.map { $0.artists.map(\.name) }
    #expect(artists.filter { $0 == ["Various Artists"] }.count == 2 && artists.contains(["A"]))
    #expect(albums.filter(\.isCompilation).count == 1)
    let b = SongArtist(named: "B").id
    #expect(try library.store.albums(ofArtist: b).isEmpty)
    #expect(try library.store.albums(ofArtist: b, .appearsOn).count == 2)
    #expect(try library.store.songs(ofArtist: b).count == 2)
  }

  @Test func whatIsNotKnownIsLeftOut() throws {
    let library = try library([
      ("/music/No tags at all.flac", [:]), ("/music/broken.flac", nil),
      ("/music/loose.flac", ["artist": ["A"], "title": ["T"]]),
      ("/music/empty.flac", ["album": [" "], "artist": [" "]]),
    ])
    let untitled = try #require(try library.store.song(id: ContentID(ofPath: "/music/No tags at all.flac").description))
    #expect(
      untitled.title == "No tags at all" && untitled.isUntitled && untitled.artists.isEmpty && untitled.album == nil)
    let broken = ContentID(ofPath: "/music/broken.flac").description
    #expect(
      try library.store.songs(ids: [untitled.id, broken, "", "nobody"]).map { $0 == nil } == [false, true, true, true])
    #expect(try albums(library).isEmpty)
    #expect(try library.store.artists(limit: 10).map(\.name) == ["A"])
    #expect(try library.store.songs(matching: .everything, limit: 10).count == 3)
    #expect(try library.store.album(id: "' OR 1") == nil)
    #expect(try library.store.artist(id: "\0") == nil)
  }

  @Test func artistsAreListedOneByOne() throws {
    let credits: [[String: [String]]] = [
      ["artist": ["A", "B"]], ["artist": ["A & B"], "artists": ["A", "B"]], ["artist": ["A feat. B"]],
      ["artist": ["A (ft. B)"]], ["artist": ["A; B"]], ["artist": ["A / B"]], ["artist": ["a featuring B", "A"]],
    ]
    let library = try library(
      credits.enumerated().map { number, tags -> File in (FilePath("/music/\(number).flac"), tags) })
    for song in try library.store.songs(matching: .everything, limit: 10) {
      #expect(song.artists.map { $0.name.uppercased() } == ["A", "B"], "\(song.row.path)")
    }
    #expect(try library.store.artists(limit: 10).map(\.trackCount) == [7, 7])
    let whole = ["AC/DC", "Earth, Wind & Fire", "Feat.", "Little Feat.", "Chicago (Band)"]
    let bands = try self.library(
      whole.enumerated().map { number, name -> File in (FilePath("/music/\(number).flac"), ["artist": [name]]) })
    #expect(try Set(bands.store.artists(limit: 10).map(\.name)) == Set(whole))
  }

  @Test func countsFollowTheFiles() throws {
    let tags = ["albumartist": ["Band"], "album": ["Album"], "artist": ["Band"], "genre": ["Drum & Bass"]]
    let library = try library([("/music/a.flac", tags), ("/music/b.flac", tags)])
    let genre = try #require(try library.store.genres().first)
    #expect(genre.id == "drum-bass" && genre.name == "Drum & Bass" && genre.trackCount == 2 && genre.albumCount == 1)
    #expect(try library.store.songs(ofGenre: LibraryGenre.id(ofName: "drum & BASS"), limit: 9).count == 2)
    library.remove("/music/a.flac")
    try library.night()
    #expect(try albums(library).map(\.trackCount) == [1])
    #expect(try library.store.artists(limit: 9).map(\.trackCount) == [1])
    // Retagged: none of the old names stay.
    try put([("/music/b.flac", ["artist": ["Other"], "album": ["Other"]])], in: library)
    #expect(try albums(library).map(\.name) == ["Other"])
    #expect(try library.store.artists(limit: 9).map(\.name) == ["Other"])
    #expect(try library.store.genres().isEmpty)
    // Correcting a tempo changes none of this.
    try library.store.correctTempo([
      ScannedLibrary.contentID("/music/b.flac"): TempoCorrection(ScannedLibrary.tempoFinding(90), corrected: .now)
    ])
    #expect(try library.store.check() == [])
    #expect(try library.store.songs(matching: .everything, limit: 9).map(\.row.bpm) == [90])
    library.remove("/music/b.flac")
    try library.night()
    #expect(try albums(library).isEmpty)
    #expect(try library.store.artists(limit: 9).isEmpty)
    #expect(try library.store.check() == [])
  }

  @Test func searchHasSections() throws {
    var files: [File] = (0..<400).map { number -> File in
      let tags = [
        "title": ["Love number \(number)"], "artist": ["Lovers \(number % 40)"], "album": ["Lovely \(number % 50)"],
        "albumartist": ["Lovers \(number % 40)"], "date": ["\(1980 + number % 10)"],
        "genre": [number % 2 == 0 ? "Pop" : "Rock"],
      ]
      return (FilePath("/music/\(number).flac"), tags)
    }
    files.append(
      (
        "/music/é.flac",
        [
          "title": ["Love"], "artist": ["Björk"], "album": ["Love"], "isrc": ["GB-AAA-00-00001"], "date": ["2001"],
        ]
      ))
    files.append(("/music/bad.flac", nil))
    let library = try library(files)
    func search(_ text: String = "", _ change: (inout SongQuery) -> Void = { _ in }) throws -> SongQueryResult {
      var query = SongQuery(text, limit: 3)
      change(&query)
      return try library.store.search(songs: query)
    }
    let love = try search("love")
    #expect(love.tracks.hits.first?.title == "Love" && love.tracks.count == 401 && love.tracks.hits.count == 3)
    #expect(love.albums.hits.first?.name == "Love" && love.artists.hits.first?.name.hasPrefix("Lovers") == true)
    #expect(love.artists.count == 40)
    let bjork = try search("bjork")
    #expect(bjork.tracks.count == 1 && bjork.artists.hits.map(\.name) == ["Björk"] && bjork.albums.count == 1)
    #expect(try search { $0.isrc = "gbaaa0000001" }.tracks.hits.map(\.title) == ["Love"])
    #expect(try search("love") { $0.years = 2000...2010 }.tracks.count == 1)
    let years = try search { $0.years = 1985...1986 }
    #expect(years.tracks.count == 80 && years.artists.count == 0)
    #expect(try search { $0.artist = "lovers 7" }.tracks.count == 10)
    #expect(try search("number") { $0.genre = "pop" }.tracks.count == 200)
    #expect(try search { $0.genre = "pop" }.artists.count == 20)
    #expect(try search { $0.addedSince = .now }.albums.count == 0)
    #expect(try search { $0.addedSince = Timestamp(nanoseconds: 0) }.tracks.count == 401)
    #expect(try search("love") { $0.offset = 400 }.tracks.hits.count == 1)
    for text in ["", "!!!", "\"", "a\0b", "NEAR(", "- * :"] { _ = try search(text) }
    #expect(try search("!!!").tracks.count == 0)
  }

  @Test func pagesAreWholeAndShufflesAreKept() throws {
    let library = try library(
      (0..<30).map { number -> File in
        (FilePath("/music/\(number).flac"), ["album": ["Album \(number)"], "albumartist": ["A"]])
      })
    for order in [AlbumOrder.newest, .name, .artist, .year(isDescending: true), .random(seed: 5)] {
      let all = try library.store.albums(order: order, limit: 100)
      let pages = try [0, 10, 20].flatMap { try library.store.albums(order: order, limit: 10, offset: $0) }
      #expect(all == pages && Set(all).count == 30)
    }
    let shuffles = try (1...5).map { try library.store.albums(order: .random(seed: $0), limit: 30).map(\.name) }
    #expect(Set(shuffles).count > 1)
    #expect(try Set(library.store.randomSongs(seed: 3, limit: 20).map(\.id)).count == 20)
  }

  @Test(arguments: [
    ("UPDATE album SET name = 'Other'", "2 rows of album differing"), ("DELETE FROM artist_song", "artist_song"),
    ("UPDATE artist SET track_count = 7", "1 row of artist differing"), ("DELETE FROM artist_album", "artist_album"),
    ("UPDATE song SET album_id = NULL", "of song differing from the findings"),
    ("UPDATE genre SET name = 'Other'", "1 row of genre differing"), ("DELETE FROM genre_album", "genre_album"),
  ])
  func doctorFindsAndMends(_ sql: String, _ complaint: String) throws {
    let library = try library([
      ("/music/a.flac", ["album": ["Album"], "albumartist": ["A"], "artist": ["A"], "genre": ["Pop"]])
    ])
    try DatabaseQueue(path: library.database.string).write { try $0.execute(sql: sql) }
    let store = try ResultStore(path: library.database, findings: ScannedLibrary.findings)
    let complaints = try store.check()
    #expect(complaints.contains { $0.contains(complaint) }, "\(complaints)")
    try store.rebuildSearchIndex()
    #expect(try store.check() == [])
  }
}
