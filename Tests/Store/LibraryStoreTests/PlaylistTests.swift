import Analysis
import AnalysisTesting
import Filters
import Foundation
import LibraryStore
import LibraryTesting
import Platform
import Records
import ResultStore
import SystemPackage
import Testing

/// Playlists over four tracks `/music/a` … `/music/d`.
@Suite(.bounded) struct PlaylistTests {
  private let library: ScannedLibrary
  private var store: ResultStore { library.store }

  init() throws {
    library = try ScannedLibrary()
    for name in ["a", "b", "c", "d"] { library.put(FilePath("/music/\(name)")) }
    try library.night()
  }

  private func track(_ name: Character) -> TrackReference {
    let path = FilePath("/music/\(name)")
    return TrackReference(path: path, contentID: ScannedLibrary.contentID(path.string))
  }

  private func tracks(_ names: String) -> [TrackReference] { names.map(track) }

  private func make(_ names: String) throws -> Playlist {
    try store.createPlaylist(named: "Mix", tracks: tracks(names))
  }

  /// Last components of the paths that references currently stand for; `-` for none.
  private func names(_ tracks: [ReferencedTrack]) throws -> String {
    let rows = try store.tracks(matching: .everything)
    return tracks.map { track in
      rows.first { $0.fileID == track.fileID }?.path.lastComponent?.string ?? "-"
    }.joined()
  }

  private func names(_ playlist: Playlist) throws -> String { try names(store.playlistTracks(id: playlist.id)) }

  private func file(_ name: Character) throws -> Int64 {
    let rows = try store.tracks(matching: .everything)
    return try #require(rows.first { $0.path == track(name).path }).fileID
  }

  // MARK: Edits

  @Test func aPlaylistIsMadeReadAndRemoved() throws {
    let playlist = try store.createPlaylist(named: "Mix", description: "For the road", tracks: tracks("abca"))
    #expect(playlist.id.count == 22 && playlist.trackCount == 4)
    #expect(try store.playlist(id: playlist.id) == playlist)
    #expect(try names(playlist) == "abca")
    #expect(try names(store.playlistTracks(id: playlist.id, limit: 2, offset: 1)) == "bc")
    #expect(try store.playlists().map(\.id) == [playlist.id])
    #expect(try store.playlists(matching: "mi").count == 1 && store.playlists(matching: "%").isEmpty)
    #expect(try store.deletePlaylist(id: playlist.id))
    #expect(try !store.deletePlaylist(id: playlist.id))
    #expect(try store.playlist(id: playlist.id) == nil && store.playlistTracks(id: playlist.id).isEmpty)
    #expect(try store.checkIntegrity().isEmpty)
  }

  @Test func whatIsSaidOfItChangesAlone() throws {
    let playlist = try store.createPlaylist(named: "Mix", description: "Old")
    let renamed = try store.describePlaylist(id: playlist.id, name: "Set", isPublic: true)
    #expect(renamed.name == "Set" && renamed.description == "Old" && renamed.isPublic)
    #expect(renamed.snapshot == playlist.snapshot)
    #expect(try store.describePlaylist(id: playlist.id, description: "").description == nil)
    #expect(throws: PlaylistEditError.noSuchPlaylist) { try store.describePlaylist(id: "none", name: "x") }
    let long = String(repeating: "x", count: 10_000)
    #expect(try store.describePlaylist(id: playlist.id, name: long).name.count == Playlist.maximumNameLength)
  }

  @Test(arguments: [
    (PlaylistEdit.move(start: 0, count: 1, target: 4), "bcda"), (.move(start: 3, count: 1, target: 0), "dabc"),
    (.move(start: 1, count: 2, target: 4), "adbc"), (.move(start: 1, count: 2, target: 0), "bcad"),
    (.move(start: 1, count: 2, target: 2), "abcd"), (.move(start: 0, count: 0, target: 2), "abcd"),
    (.remove(positions: [0, 2]), "bd"), (.remove(positions: []), "abcd"), (.replace([]), ""),
  ])
  func positionsCountFromZero(edit: PlaylistEdit, expected: String) throws {
    let playlist = try make("abcd")
    let edited = try store.editPlaylist(id: playlist.id, edit)
    #expect(try names(edited) == expected)
    #expect(edited.trackCount == expected.count && edited.snapshot > playlist.snapshot)
    #expect(try store.check().isEmpty)
  }

  @Test func tracksAreInsertedWhereAsked() throws {
    let playlist = try make("ab")
    try store.editPlaylist(id: playlist.id, .insert(tracks("cd"), at: 1))
    try store.editPlaylist(id: playlist.id, .insert(tracks("a")))
    try store.editPlaylist(id: playlist.id, .insert(tracks("b"), at: 0))
    #expect(try names(playlist) == "bacdba")
    try store.editPlaylist(id: playlist.id, .replace(tracks("dd")))
    #expect(try names(playlist) == "dd")
  }

  @Test func tracksAreRemovedEverywhereOrAtPositions() throws {
    let playlist = try make("abacab")
    try store.editPlaylist(id: playlist.id, .removeTracks([file("a"): [2]]))
    #expect(try names(playlist) == "abcab")
    #expect(throws: PlaylistEditError.otherTrack(position: 1)) {
      try store.editPlaylist(id: playlist.id, .removeTracks([file("a"): [0, 1]]))
    }
    try store.editPlaylist(id: playlist.id, .removeTracks([file("a"): nil]))
    #expect(try names(playlist) == "bcb")
  }

  @Test(arguments: [
    PlaylistEdit.remove(positions: [2]), .remove(positions: [-1]), .move(start: 2, count: 1, target: 0),
    .move(start: 0, count: 3, target: 0), .move(start: 0, count: 1, target: 3), .move(start: -1, count: 1, target: 0),
    .move(start: 0, count: .max, target: 0), .insert([], at: 3), .insert([], at: -1),
  ])
  func positionsThatAreNotThereChangeNothing(edit: PlaylistEdit) throws {
    let playlist = try make("ab")
    #expect(throws: PlaylistEditError.self) { try store.editPlaylist(id: playlist.id, edit) }
    #expect(try store.playlist(id: playlist.id) == playlist)
    #expect(try names(playlist) == "ab")
  }

  @Test func aPlaylistHasALimit() throws {
    let playlist = try store.createPlaylist(
      named: "Long", tracks: Array(repeating: track("a"), count: Playlist.maximumTrackCount))
    #expect(throws: PlaylistEditError.tooLong) { try store.editPlaylist(id: playlist.id, .insert(tracks("b"))) }
    #expect(try store.playlist(id: playlist.id)?.trackCount == Playlist.maximumTrackCount)
  }

  // MARK: Concurrent edits

  @Test func positionsAreThoseOfTheSnapshot() throws {
    let playlist = try make("abcd")
    try store.editPlaylist(id: playlist.id, .remove(positions: [0]))
    // The client still sees `abcd`.
    try store.editPlaylist(id: playlist.id, snapshot: playlist.snapshot, .remove(positions: [0, 2]))
    #expect(try names(playlist) == "bd")
    try store.editPlaylist(id: playlist.id, snapshot: playlist.snapshot, .move(start: 3, count: 1, target: 1))
    #expect(try names(playlist) == "db")
    // A track that is gone cannot be moved; the next one takes its place.
    try store.editPlaylist(id: playlist.id, snapshot: playlist.snapshot, .move(start: 0, count: 1, target: 4))
    try store.editPlaylist(id: playlist.id, snapshot: playlist.snapshot, .insert(tracks("c"), at: 2))
    #expect(try names(playlist) == "cdb")
    #expect(try store.check().isEmpty)
  }

  @Test func onlyTheLastStatesAreKnown() throws {
    let playlist = try make("a")
    for _ in 0..<30 { try store.editPlaylist(id: playlist.id, .insert(tracks("b"))) }
    #expect(throws: PlaylistEditError.unknownSnapshot) {
      try store.editPlaylist(id: playlist.id, snapshot: playlist.snapshot, .remove(positions: [0]))
    }
    #expect(throws: PlaylistEditError.unknownSnapshot) {
      try store.editPlaylist(id: playlist.id, snapshot: 99, .remove(positions: [0]))
    }
    try store.editPlaylist(id: playlist.id, snapshot: playlist.snapshot + 25, .remove(positions: [0]))
    #expect(try store.playlist(id: playlist.id)?.trackCount == 30)
  }

  @Test func manyEditorsLoseNothing() async throws {
    let playlist = try make("")
    try await withThrowingTaskGroup { group in
      for name in "abcd" {
        let (store, tracks) = (store, tracks(String(name)))
        group.addTask { for _ in 0..<10 { try store.editPlaylist(id: playlist.id, .insert(tracks, at: 0)) } }
      }
      try await group.waitForAll()
    }
    #expect(try names(playlist).sorted() == Array("aaaaaaaaaabbbbbbbbbbccccccccccdddddddddd"))
    #expect(try store.playlist(id: playlist.id)?.snapshot == playlist.snapshot + 40)
  }

  // MARK: Files that change

  @Test func movedFilesAreFoundByTheirAudio() throws {
    let playlist = try make("ab")
    try store.save(tracks("a"))
    library.move("/music/a", to: "/music/z")
    try library.night(analyze: { ScannedLibrary.analysis(of: $0, audio: "/music/a") })
    #expect(try names(playlist) == "zb")
    #expect(try names(store.savedTracks()) == "z")
  }

  @Test func anotherFileWithTheNameIsNotTaken() throws {
    let playlist = try make("ab")
    library.move("/music/a", to: "/music/z")
    library.put("/music/a", size: 77, modified: 6_000_000_000)
    try library.night(analyze: { ScannedLibrary.analysis(of: $0, audio: $0.path == "/music/z" ? "/music/a" : "other") })
    #expect(try names(playlist) == "zb")
  }

  @Test func aFileEncodedAnewStaysInItsPlace() throws {
    let playlist = try make("ab")
    library.put("/music/a", size: 77, modified: 6_000_000_000)
    try library.night(analyze: { ScannedLibrary.analysis(of: $0, audio: "encoded anew") })
    #expect(try names(playlist) == "ab")
  }

  @Test func goneFilesKeepTheirPlaceAndComeBack() throws {
    let playlist = try make("aba")
    try store.save(tracks("ac"))
    library.remove("/music/a")
    try library.night()
    #expect(try names(playlist) == "-b-")
    #expect(try names(store.savedTracks()) == "c" && store.savedTrackCount() == 1)
    // A forgotten track is identified by its path only.
    #expect(try store.pruneVanished(in: nil, isDryRun: false) == 1)
    #expect(try store.playlistTracks(id: playlist.id).first?.reference == track("a"))
    library.put("/music/a")
    try library.night()
    #expect(try names(playlist) == "aba" && names(store.savedTracks()) == "ac")
    try library.reopen()
    #expect(try names(playlist) == "aba")
  }

  @Test func aBackupHasThem() throws {
    let playlist = try make("ab")
    let copy = library.folder.appending("copy.sqlite")
    try store.backUp(to: copy)
    let other = try ResultStore(path: copy, findings: ScannedLibrary.findings, access: .readOnly)
    #expect(try other.playlist(id: playlist.id) == playlist)
    #expect(try other.playlistTracks(id: playlist.id) == store.playlistTracks(id: playlist.id))
  }

  // MARK: Saved tracks

  @Test func savingTwiceIsSavingOnce() throws {
    try store.save(tracks("ab"))
    try store.save(tracks("bc"))
    #expect(try names(store.savedTracks()) == "cab")
    #expect(try names(store.savedTracks(limit: 1, offset: 1)) == "a")
    let dates = try store.savedDates(ofFiles: "abcd".map(file))
    #expect(try Set(dates.keys) == Set("abc".map(file)))
    try store.unsave(files: [file("a"), file("d")])
    #expect(try names(store.savedTracks()) == "cb" && store.savedTrackCount() == 2)
  }

  @Test func albumsAndArtistsAreSavedByTheirIDs() throws {
    try store.save(.album, ids: ["one", "two"])
    try store.save(.artist, ids: ["one"])
    try store.unsave(.album, ids: ["one"])
    #expect(try store.saved(.album).map(\.id) == ["two"])
    #expect(try store.saved(.artist).map(\.id) == ["one"])
  }

  /// Albums that are saved at once keep their order, before all that were saved earlier.
  @Test func albumsKeepTheirOrder() throws {
    try store.save(.album, ids: ["m"])
    try store.save(.album, ids: ["z", "a"])
    try store.save(.album, ids: ["m"])
    #expect(try store.saved(.album).map(\.id) == ["z", "a", "m"])
  }

  /// A track that was renamed since it was saved is not saved again.
  @Test func renamedTrackIsStillSaved() throws {
    try store.save(tracks("a"))
    library.move("/music/a", to: "/music/z")
    try library.night()
    try store.save([TrackReference(path: "/music/z", contentID: track("a").contentID)])
    #expect(try names(store.savedTracks()) == "z" && store.savedTrackCount() == 1)
    let id = try #require(try store.tracks(matching: .everything).first { $0.path == "/music/z" }).fileID
    let saved = try #require(try store.savedTracks().first)
    #expect(try store.savedDates(ofFiles: [id]).count == 1 && saved.fileID == id)
  }
}
