import AnalysisTesting
import GRDB
import LibraryStore
import LibraryTesting
import ResultStore
import SystemPackage
import Testing

@testable import ResultStore

/// Folders of albums, playlists with gaps, and changes that clients are told.
@Suite(.bounded) struct AlbumFolderTests {
  @Test(arguments: [
    ("/m/x/a.mp3", "/m/x/"), ("/m/x/CD1/a.mp3", "/m/x/"), ("/m/x/cd 2/a.mp3", "/m/x/"), ("/m/x/Disc_3/a.mp3", "/m/x/"),
    ("/m/x/disk-4 live/a.mp3", "/m/x/"), ("/m/x/disc.05/a.mp3", "/m/x/"), ("/m/x/cd - 6/a.mp3", "/m/x/"),
    ("/m/x/cd/a.mp3", "/m/x/cd/"), ("/m/x/cdx 1/a.mp3", "/m/x/cdx 1/"), ("/m/x/discs 1/a.mp3", "/m/x/discs 1/"),
    ("/m/x/1 cd/a.mp3", "/m/x/1 cd/"), ("/m/x/disk/a.mp3", "/m/x/disk/"), ("/m/x/dvd1/a.mp3", "/m/x/dvd1/"),
    ("/m/CD1/CD2/a.mp3", "/m/CD1/"), ("/CD1/a.mp3", "/"), ("/a.mp3", "/"), ("/m/cd1", "/m/"), ("a.mp3", ""),
  ])
  func albumFolders(path: String, folder: String) {
    #expect(String(decoding: AlbumLoudness.albumFolder(of: Array(path.utf8)), as: UTF8.self) == folder)
  }

  @Test func gapsInPlaylistsAreFound() throws {
    let library = try ScannedLibrary()
    let tracks = ["a", "b", "c"].map { TrackReference(path: FilePath("/music/\($0)"), contentID: nil) }
    for name in ["Two", "One", "Three", "Empty"] {
      _ = try library.store.createPlaylist(named: name, tracks: name == "Empty" ? [] : tracks)
    }
    let database = try DatabaseQueue(path: library.database.string)
    #expect(try library.store.check() == [])
    for (sql, complaint) in [
      ("position = 3 WHERE playlist = 1 AND position = 2", "1 playlist with gaps between tracks, such as Two"),
      ("position = position + 1 WHERE playlist = 2", "2 playlists with gaps between tracks, such as One"),
      ("position = 0 WHERE playlist = 3 AND position = 1", "3 playlists with gaps between tracks, such as One"),
    ] {
      try database.write { try $0.execute(sql: "UPDATE playlist_entry SET \(sql)") }
      let complaints = try library.store.check()
      #expect(complaints.count == 1 && complaints[0].hasPrefix("\(complaint);"), "\(complaints)")
    }
  }

  /// A rebuilt search index is no change of any track.
  @Test func rebuiltIndexIsNoNews() throws {
    let library = try ScannedLibrary()
    func revision() throws -> Int64 { try library.store.read { try ChangeLog.revision(in: $0) } }
    #expect(try revision() == 0)
    library.put("/music/a")
    try library.night()
    let before = try revision()
    #expect(before > 0)
    try library.store.rebuildSearchIndex()
    try library.night()
    #expect(try revision() == before)
    library.put("/music/a", size: 7)
    try library.night()
    #expect(try revision() > before)
    #expect(try library.store.read { try ChangeLog.isKept(in: $0) })
  }
}
