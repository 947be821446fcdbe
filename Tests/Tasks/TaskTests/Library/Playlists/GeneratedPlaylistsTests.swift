import Analysis
import AnalysisTesting
import BuiltInAnalyzers
import LibraryStore
import LibraryTasks
import LibraryTesting
import Platform
import ResultStore
import SystemPackage
import Testing

/// Playlists that the library makes by itself.
@Suite(.bounded) struct GeneratedPlaylistsTests {
  private let folder: TemporaryDirectory
  private let store: ResultStore

  init() throws {
    folder = try TemporaryDirectory()
    store = try ResultStore(path: folder.file("library.sqlite"), findings: BuiltInAnalyzers.findings)
  }

  private func playlists(_ files: [LibraryFile]) throws -> GeneratedPlaylists {
    try LibraryFiles(files).merge(into: store)
    return try playlists()
  }

  private func playlists() throws -> GeneratedPlaylists {
    try GeneratedPlaylists(store: store, descriptors: DescriptorCache(in: store))
  }

  @Test func tempi() throws {
    let tempi = [80, 90, 100, 110, 120, 128, 140, 160, 174]
    let files = tempi.flatMap { tempo in
      [(-2.5, 1.0), (-2, 0.5), (2, 0.75), (2.5, 1)].map { offset, confidence in
        LibraryFile.sounding(
          "\(tempo) \(offset)", angle: nil, [LibraryFile.tempo(Double(tempo) + offset, confidence: confidence)])
      }
    }
    let playlists = try playlists(files)
    let featured = try playlists.featured()
    #expect(featured.map(\.kind) == tempi.map { .tempo($0) } && featured.map(\.trackCount) == tempi.map { _ in 2 })
    #expect(featured.map(\.name) == tempi.map { "Around \($0) BPM" })
    #expect(featured.first?.description == "Tracks from 78 to 82 beats per minute.")
    for (number, playlist) in featured.enumerated() {
      // The surest tempi come first.
      let songs = try playlists.songs(ofPlaylist: playlist.id)
      #expect(songs.map(\.id) == [files[4 * number + 2].id, files[4 * number + 1].id])
      #expect(playlist.cover == songs[0].id)
      #expect(try playlists.songs(ofPlaylist: playlist.id, limit: 1, offset: 1).map(\.id) == [songs[1].id])
      #expect(try playlists.playlist(id: playlist.id) == playlist)
    }
    #expect(Set(featured.map(\.id)).count == 9)
    #expect(try playlists.playlist(id: "none") == nil && playlists.songs(ofPlaylist: "none").isEmpty)
    #expect(try playlists.search("around").count == 9 && playlists.search("around 128").map(\.kind) == [.tempo(128)])
  }

  @Test func genres() throws {
    let many = (1...21).map { "Zeta \($0)" }
    let files = (0..<51).map { number in
      LibraryFile.sounding(
        "\(number)", angle: nil,
        genres: ["Big"] + (number < 3 ? ["Three"] + many : []) + (number < 2 ? ["Two"] : []))
    }
    let playlists = try playlists(files)
    func playlist(_ name: String) throws -> [GeneratedPlaylist] {
      try playlists.playlists(ofGenre: LibraryGenre.id(ofName: name))
    }
    #expect(try playlist("Big").map(\.trackCount) == [50] && playlist("Three").map(\.trackCount) == [3])
    #expect(try playlist("Two").isEmpty && playlist("none").isEmpty)
    let three = try #require(try playlist("three").first)
    #expect(three.name == "Three" && three.description == "Tracks of the genre Three.")
    #expect(three.kind == .genre(LibraryGenre.id(ofName: "Three")))
    #expect(try playlists.playlist(id: three.id) == three && playlists.songs(ofPlaylist: three.id).count == 3)
    #expect(try playlists.search("zeta").count == 20 && playlists.search("three") == [three])
    #expect(try playlists.search("").isEmpty && playlists.search("two").isEmpty)
    #expect(try playlists.featured().isEmpty)
  }

  @Test func likeTheNewest() throws {
    let clock = try DatabaseClock(store)
    let files = (0..<7).map { LibraryFile.sounding("\($0)", angle: Double(10 * $0)) }
    let all = LibraryFiles(files)
    for (day, file) in files.enumerated() {
      let time = UntidyLibrary.time("2024-02-0\(day + 1)T01:00:00Z")
      try clock.at(time) { try all.merge([file.path], into: store, analyzed: time) }
    }
    let newest = try #require(try playlists().featured().first)
    #expect(newest.kind == .likeNewest && newest.trackCount == 2 && newest.name == "Similar to the newest tracks")
    #expect(try playlists().songs(ofPlaylist: newest.id).map(\.title).sorted() == ["0", "1"])
    #expect(try playlists().search("newest").map(\.id) == [newest.id])
  }
}
