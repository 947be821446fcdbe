import Analysis
import AnalysisTesting
import Filters
import Library
import LibraryTesting
import Platform
import Records
import SystemPackage
import Testing

@testable import LibraryStore
@testable import ResultStore

/// Every field of songs, albums, artists and releases.
@Suite(.bounded) struct SongFieldTests {
  private static let tags: [String: [String]] = [
    "title": ["Song"], "artist": ["A", "B"], "album": ["Album"], "albumartist": ["Band"], "disc": ["2"], "track": ["7"],
    "date": ["1999-03-05"], "genre": ["Rock", "Pop"], "isrc": ["gb-aye-97-00101"], "compilation": ["1"],
    "musicbrainz_recordingid": ["1A1B1C1D-0001-4000-8000-00000000000A"], "releasetype": ["Album", "Live"],
    "label": ["One", "Two"],
  ]

  private func library(_ files: [LibraryFile]) throws -> ScannedLibrary {
    let library = try ScannedLibrary()
    try LibraryFiles(files).merge(into: library.store)
    return library
  }

  private func file(_ path: FilePath, _ more: [String: [String]] = [:], without: Set<String> = []) -> LibraryFile {
    LibraryFile(path: path, tags: Self.tags.filter { !without.contains($0.key) }.merging(more) { $1 })
  }

  // MARK: - Songs

  @Test func everyFieldOfASong() throws {
    var file = file("/music/a.m4a")
    file.format = AudioFormat(
      container: "mp4", codec: "ALAC", sampleRate: 48_000, channelCount: 6, bitDepth: 24, bitRate: 900_123,
      isLossless: true, claimedFrameCount: 96_000, frameCount: 96_000)
    (file.sizeBytes, file.modified) = (12_345, Timestamp(nanoseconds: 67_000_000_089))
    let library = try library([file])
    let song = try #require(try library.store.song(id: file.id))
    #expect(song.id == file.id && song.title == "Song" && !song.isUntitled && song.row.path == "/music/a.m4a")
    #expect(song.artists == [SongArtist(named: "A"), SongArtist(named: "B")])
    #expect(song.albumArtists == [SongArtist(named: "Band")] && song.album?.name == "Album")
    #expect(
      song.disc == 2 && song.track == 7 && song.date?.description == "1999-03-05" && song.genres == ["Rock", "Pop"])
    #expect(song.isrc == "GBAYE9700101" && song.recordingID == "1a1b1c1d-0001-4000-8000-00000000000a")
    #expect(song.bitRate == 900_123 && song.sampleRate == 48_000 && song.channelCount == 6 && song.bitDepth == 24)
    #expect(song.container == "mp4" && song.row.codec == "alac" && song.row.durationSeconds == 2)
    #expect(song.size == 12_345 && song.modified == file.modified && song.problem == nil)
  }

  @Test func damagedSongHasAReason() throws {
    var file = file("/music/a.flac", without: ["title", "album"])
    file.damage = Problem(stage: .decode, code: "truncated", message: "Cut.")
    let library = try library([file])
    let song = try #require(try library.store.song(id: file.id))
    #expect(song.problem == file.damage && song.isUntitled && song.title == "a" && song.album == nil)
  }

  // MARK: - Albums and artists

  @Test func everyFieldOfAnAlbum() throws {
    let files = [
      file("/music/1.flac", ["disc": ["2"], "track": ["1"], "releasetype": ["Single"], "label": ["Three"]]),
      file("/music/2.flac", ["disc": ["1"], "track": ["1"]]),
      file("/music/3.flac", ["disc": ["1"], "track": ["2"], "genre": ["Pop"], "date": ["1998"]]),
    ]
    let library = try library(files)
    let album = try #require(try library.store.albums(order: .name, limit: 9).first)
    #expect(try library.store.album(id: album.id) == album)
    #expect(try library.store.song(id: files[0].id)?.album?.id == album.id)
    #expect(album.name == "Album" && album.artists == [SongArtist(named: "Band")] && album.year == 1998)
    #expect(album.date?.description == "1998" && album.trackCount == 3 && album.discCount == 2)
    #expect(album.durationSeconds == 600 && album.firstTrack == files[1].id && album.genres == ["Pop", "Rock"])
    #expect(album.isCompilation && album.releaseTypes == ["album", "live"] && album.label == "One")
    #expect(album.added == (try library.store.latestRun()?.started))
    let artist = try #require(try library.store.artist(id: SongArtist(named: "a").id))
    #expect(artist.name == "A" && artist.id == SongArtist(named: "A").id && artist.genres == ["Pop", "Rock"])
    #expect(artist.trackCount == 3 && artist.albumCount == 0)
    let band = try #require(try library.store.artist(id: SongArtist(named: "Band").id))
    #expect(band.trackCount == 0 && band.albumCount == 1 && band.genres == [])
  }

  @Test func namesOfArtists() {
    #expect(SongArtist.unknown.name == "Unknown artist" && SongArtist.unknown.id == SongArtist(named: "").id)
    #expect(SongArtist(named: "X").name == "X" && SongArtist(named: "X").id == SongArtist(named: "x").id)
    #expect(SongArtist(named: "X").id != SongArtist(named: "Y").id && SongArtist(named: "X").id.count == 22)
    #expect(SongArtist.text([SongArtist(named: "X"), SongArtist(named: "Y")]) == "X / Y" && SongArtist.text([]) == "")
  }

  // MARK: - Releases

  /// Library with an album of two songs, and three loose songs: by A in 1999, by C without a year, by nobody.
  private func releases() throws -> (library: ScannedLibrary, files: [LibraryFile]) {
    let files = [
      file("/music/1.flac", ["track": ["1"]]), file("/music/2.flac", ["track": ["2"]]),
      file("/music/a.flac", ["title": ["By A"], "artist": ["A"]], without: ["album"]),
      file("/music/c.flac", ["title": ["By C"], "artist": ["C"], "genre": ["Jazz"]], without: ["album", "date"]),
      file("/music/none.flac", ["title": ["By nobody"]], without: ["album", "date", "genre", "artist", "albumartist"]),
    ]
    return (try library(files), files)
  }

  @Test func looseSongsAreReleases() throws {
    let (library, files) = try releases()
    let single = try #require(try library.store.release(id: files[2].id))
    #expect(single.id == files[2].id && single.name == "By A" && single.artists == [SongArtist(named: "A")])
    #expect(single.trackCount == 1 && single.discCount == 1 && single.durationSeconds == 200 && single.year == 1999)
    #expect(single.firstTrack == files[2].id && single.genres == ["Rock", "Pop"] && !single.isCompilation)
    #expect(single.releaseTypes == ["single"] && single.label == nil && single.date?.description == "1999-03-05")
    let album = try #require(try library.store.albums(order: .name, limit: 9).first)
    #expect(try library.store.release(id: album.id) == album)
    // A song of an album is no release.
    #expect(
      try library.store.releases(ids: [files[0].id, "nobody", album.id, files[3].id]).map { $0?.name }
        == [nil, nil, "Album", "By C"])
  }

  @Test func releasesAreListedTogether() throws {
    let (library, _) = try releases()
    func names(_ genre: String? = nil, _ years: ClosedRange<Int>? = nil, limit: Int = 9, offset: Int = 0) throws
      -> [String]
    {
      try library.store.releases(order: .name, genre: genre, years: years, limit: limit, offset: offset).map(\.name)
    }
    let all = ["Album", "By A", "By C", "By nobody"]
    #expect(
      try names() == all && names(limit: 2) == ["Album", "By A"] && names(limit: 2, offset: 1) == ["By A", "By C"])
    #expect(try names("jazz") == ["By C"] && names("rock") == ["Album", "By A"] && names("folk") == [])
    #expect(try names(nil, 1999...1999) == ["Album", "By A"] && names(nil, 2000...2001) == [])
    #expect(try names("pop", 1990...2000) == ["Album", "By A"] && names("jazz", 1990...2000) == [])
    let store = library.store
    #expect(try store.releaseCount() == 4 && store.releaseCount(genre: "rock") == 2)
    #expect(
      try store.releaseCount(genre: "jazz", years: 1990...2000) == 0 && store.releaseCount(years: 1999...1999) == 2)
    #expect(try store.singles(ofArtist: SongArtist(named: "A").id).map(\.name) == ["By A"])
    #expect(try store.singles(ofArtist: SongArtist(named: "A").id, limit: 0).isEmpty)
  }

  @Test func songsOfReleases() throws {
    let (library, files) = try releases()
    let album = try #require(try library.store.albums(order: .name, limit: 9).first).id
    func songs(_ id: String, limit: Int = .max, offset: Int = 0) throws -> [String] {
      try library.store.songs(ofRelease: id, limit: limit, offset: offset).map(\.id)
    }
    #expect(try songs(album) == [files[0].id, files[1].id] && songs(album, offset: 1) == [files[1].id])
    #expect(try songs(album, limit: 1) == [files[0].id] && songs(album, offset: 2) == [])
    #expect(try songs(files[2].id) == [files[2].id] && songs(files[2].id, limit: 1) == [files[2].id])
    #expect(try songs(files[2].id, limit: 0) == [] && songs(files[2].id, offset: 1) == [])
    #expect(try songs(files[0].id) == [] && songs("nobody") == [])
  }

  /// Artists of releases; those of songs alone are not among them, and the unknown one comes last.
  @Test func artistsOfReleases() throws {
    let (library, _) = try releases()
    func names(limit: Int = .max, offset: Int = 0) throws -> [String] {
      try library.store.releaseArtists(limit: limit, offset: offset).map(\.name)
    }
    let all = ["A", "Band", "C", SongArtist.unknown.name]
    #expect(try names() == all)
    for limit in 0...4 { #expect(try names(limit: limit) == Array(all.prefix(limit)), "\(limit)") }
    for offset in 0...3 { #expect(try names(offset: offset) == Array(all.dropFirst(offset)), "\(offset)") }
    #expect(try names(offset: 4) == [])
    let counts = try library.store.releaseCounts()
    let expected = ["A": 2, "B": 1, "Band": 1, "C": 1]
    #expect(counts == Dictionary(uniqueKeysWithValues: expected.map { (SongArtist(named: $0.key).id, $0.value) }))
    let two = ["B", "C"].map { SongArtist(named: $0).id }
    #expect(try library.store.releaseCounts(ofArtists: two) == [two[0]: 1, two[1]: 1])
  }

  // MARK: - Lists of songs and albums

  @Test func songsOfAGenreAndOfYears() throws {
    let (library, files) = try releases()
    let store = library.store
    let totals = try store.trackTotals()
    #expect(totals.count == 5 && totals.seconds == 1000 && totals.failed == 0)
    func random(_ genre: String? = nil, _ years: ClosedRange<Int>? = nil, limit: Int = 9) throws -> Set<String> {
      let songs = try store.randomSongs(seed: 3, genre: genre, years: years, limit: limit)
      #expect(songs.count <= limit)
      return Set(songs.map(\.id))
    }
    let ids = files.map(\.id)
    #expect(try random() == Set(ids) && random(limit: 2).count == 2)
    #expect(try random("rock") == Set(ids[0...2]) && random("jazz") == [ids[3]] && random("folk") == [])
    #expect(try random(nil, 1999...1999) == Set(ids[0...2]) && random(nil, 2000...2001) == [])
    #expect(try random("rock", 1990...2000) == Set(ids[0...2]) && random("jazz", 1990...2000) == [])
    let orders = try (0..<2).map { _ in try store.randomSongs(seed: 3, limit: 9).map(\.id) }
    #expect(orders[0] == orders[1])

    func albums(_ genre: String? = nil, _ years: ClosedRange<Int>? = nil) throws -> Int {
      let count = try store.albumCount(genre: genre, years: years)
      #expect(try store.albums(order: .name, genre: genre, years: years, limit: 9).count == count)
      return count
    }
    #expect(try albums() == 1 && albums("rock") == 1 && albums("jazz") == 0)
    #expect(try albums(nil, 1999...1999) == 1 && albums(nil, 2000...2001) == 0)
    #expect(try albums("rock", 1999...2001) == 1 && albums("rock", 2000...2001) == 0)
  }

  /// Nobody's songs belong to the unknown artist, who exists only if there are any.
  @Test func unknownArtist() throws {
    let (library, files) = try releases()
    let unknown = SongArtist.unknown.id
    let (a, band) = (SongArtist(named: "A").id, SongArtist(named: "Band").id)
    let found = try #require(try library.store.artist(id: unknown))
    #expect(found.name == SongArtist.unknown.name && found.trackCount == 1 && found.albumCount == 0)
    #expect(try library.store.songs(ofArtist: unknown).map(\.id) == [files[4].id])
    #expect(try library.store.albumCount(ofArtist: unknown) == 0)
    #expect(try library.store.albumCount(ofArtist: band) == 1 && library.store.artistCount() > 2)
    let first = try library.store.firstTracks(ofArtists: [unknown, a, "nobody"])
    #expect(first[unknown] == files[4].id && first["nobody"] == nil && first.count == 2)
    #expect(files[0...2].contains { $0.id == first[a] })
    #expect(try library.store.firstTracks(ofArtists: [a])[unknown] == nil)
    let named = try self.library([file("/music/1.flac")])
    #expect(try named.store.artist(id: unknown) == nil && named.store.firstTracks(ofArtists: [unknown]).isEmpty)
  }

  /// Clients page through a random order, which must therefore be the same in all versions.
  @Test(arguments: [
    (5, "(id * 539605 + 5) % 999983, id"), (-5, "(id * 539605 + 5) % 999983, id"),
    (100, "(id * 291928 + 100) % 999983, id"), (1_000_004, "(id * 507929 + 25) % 999983, id"),
  ])
  func randomOrder(seed: Int, expected: String) {
    #expect(SongReader.shuffled("id", seed: seed) == expected)
  }

  // MARK: - Traits and folders

  @Test func traitsOfSongs() throws {
    let library = try ScannedLibrary()
    try library.reopen(findings: ScannedLibrary.findings + [TraitsFinding.self, KeyFinding.self])
    var file = file("/music/a.flac")
    var loudness = LoudnessFinding()
    loudness.integrated = -9.5
    file.findings = [
      ("tempo", ScannedLibrary.tempoFinding(90)), ("loudness", loudness),
      ("traits", TraitsFinding(energy: 0.25, danceability: 0.5, speechiness: 0.75)),
      ("key", KeyFinding(key: MusicalKey.all[0], confidence: 0.5, candidates: [], map: [])),
    ]
    let plain = self.file("/music/b.flac")
    let files = LibraryFiles([file, plain])
    try files.merge(into: library.store)
    let found = try library.store.traits(ofSongs: [plain.id, "nobody", file.id])
    let key = try library.store.tracks(matching: .everything).first?.key
    #expect(key != nil)
    #expect(
      found == [
        AudioFeatures(id: plain.id, durationSeconds: 200), nil,
        AudioFeatures(
          id: file.id, durationSeconds: 200, bpm: 90, metre: "4/4", key: key, integratedLoudness: -9.5, energy: 0.25,
          danceability: 0.5, speechiness: 0.75),
      ])
    // A database without these findings has none of them.
    let other = try self.library([plain])
    #expect(try other.store.traits(ofSongs: [plain.id]) == [AudioFeatures(id: plain.id, durationSeconds: 200)])
  }

  @Test func foldersOfALibrary() throws {
    let library = try ScannedLibrary()
    for path in ["/music/x/1", "/music/x/2", "/music/bad"] { library.put(FilePath(path)) }
    try library.night { $0.path == "/music/bad" ? ScannedLibrary.broken : ScannedLibrary.analysis(of: $0) }
    let folders = try library.store.folders()
    #expect(folders.roots.map(\.name) == ["music"] && folders.roots[0].files.isEmpty)
    let inner = try #require(folders[folders.roots[0].folders[0]])
    let rows = try library.store.tracks(matching: .everything).filter { $0.path != "/music/bad" }
    #expect(inner.name == "x" && inner.files == rows.map(\.fileID) && inner.parent == folders.roots[0].id)
    #expect(inner.cover == ContentID(ofPath: "/music/x/1").description)
  }
}
