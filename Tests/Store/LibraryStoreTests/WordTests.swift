import Analysis
import AnalysisTesting
import Filters
import Foundation
import LibraryTesting
import Platform
import Records
import SystemPackage
import Testing

@testable import LibraryStore
@testable import ResultStore

/// Words in names, patterns of full-text searches, files behind tracks, and limits of playlists.
@Suite(.bounded) struct WordTests {
  // MARK: - Words

  @Test(arguments: [
    ("lov", "Love is", true, false), ("love", "Love is", true, true), ("lov is", "Love is", false, false),
    ("love i", "Love is", true, false), ("is love", "Love is", true, true), ("lover", "Love is", false, false),
    ("love", "Is love", true, true), ("strasse", "Die Straße", true, true), ("mø", "MO", true, true),
    ("京", "東京事変", true, true), ("東事", "東京事変", false, false), ("dc", "AC/DC", true, true), ("", "x", true, true),
    ("!", "x", true, true), ("7", "7th", true, false), ("th", "7th", false, false), ("e\u{301}t", "Été", true, false),
  ])
  func wordsOfNames(words: String, name: String, begins: Bool, isWhole: Bool) {
    #expect(WordMatch(words).matches(name) == begins)
    #expect(WordMatch(words, lastIsPrefix: false).matches(name) == isWhole)
  }

  @Test(
    arguments: [
      ("love lo", "Lovely love", ["Lo", "love"]), ("x love", "Love, love!", ["Love", "love"]), ("a", "b", []),
      ("straß", "Straßen", ["Straß"]), ("ae", "Æon", ["Æ"]),
    ] as [(String, String, [String])])
  func longestMatchCounts(words: String, name: String, expected: [String]) {
    #expect(WordMatch(words).ranges(in: name).map { String(name[$0]) } == expected)
  }

  @Test(arguments: [
    ("Moon", "moon", 0), ("MOON", "Moon", 0), ("Moon River", "moon", 1), ("The Moon", "moon", 2),
    ("Moonlight", "moon", 3),
    ("The Moonlight", "moon", 4), ("Moon", "moo", 3), ("Blue Moon", "moon blue", 2),
  ])
  func gradesOfNames(name: String, words: String, grade: Int) {
    #expect(WordRanking.grade(name, words, whole: WordMatch(words, lastIsPrefix: false)) == grade)
  }

  @Test func patternsOfWords() {
    #expect(FullTextPattern.words("one  two", lastIsPrefix: true) == #""one" AND "two" *"#)
    #expect(FullTextPattern.words("one ! two", lastIsPrefix: false) == #""one" AND "two""#)
    #expect(
      FullTextPattern.words(" ! ", lastIsPrefix: true) == nil && FullTextPattern.words("", lastIsPrefix: true) == nil)
    #expect(FullTextPattern.words("a\"b\0c", lastIsPrefix: false) == #""a""b c""#)
    #expect(FullTextPattern.words("Straße", lastIsPrefix: true) == #"("Straße" * OR "Strasse" *)"#)
    #expect(FullTextPattern.words("東京", lastIsPrefix: false) == #"("東京" OR "東 京")"#)
    for count in [31, 32, 33] {
      let words = (0..<count).map { "w\($0)" }.joined(separator: " ")
      let pattern = FullTextPattern.words(words, lastIsPrefix: true) ?? ""
      #expect(pattern.components(separatedBy: " AND ").count == min(count, 32))
      #expect(pattern.hasSuffix("\"w\(min(count, 32) - 1)\" *"))
    }
    #expect(FullTextPattern.phrase("a b", isPrefix: true, columns: ["x", "y"]) == #"{x y} : ("a b" *)"#)
    #expect(
      FullTextPattern.phrase("東", isPrefix: false, columns: ["x", "full_path"]) == #"{x variants} : (("東" OR "東"))"#)
    #expect(FullTextPattern.phrase("!", isPrefix: false, columns: ["x"]) == nil)
  }

  @Test func answersAreEmptyWithoutHits() {
    #expect(SearchAnswer().isEmpty)
    var answer = SearchAnswer()
    answer.albums = SearchHits([SearchAnswer.Album(title: "A", artist: nil, year: nil, trackCount: 1)])
    #expect(!answer.isEmpty)
    for place in [\SearchAnswer.artists, \.genres] {
      answer = SearchAnswer()
      answer[keyPath: place] = SearchHits([SearchAnswer.Name(name: "A", trackCount: 1)])
      #expect(!answer.isEmpty)
    }
    #expect(SearchHits<Int>().count == 0 && SearchHits<Int>().isCountExact)
  }

  /// Names with more tracks come first among equals, then by name; the usual spelling stands for all.
  @Test func namesByTheirTracks() throws {
    let library = try ScannedLibrary()
    let songs = [
      ("Moon A", "Rock", "Moon", "1999"), ("Moon C", "ROCK", "Moon", "1995"), ("Moon B", "Jazz", "Other", "2001"),
      ("Moon B", "jazz", "Moons", "2002"), ("Moon C", "jazz", "Moons", "2003"),
    ]
    let files = songs.enumerated().map { number, song in
      LibraryFile(
        path: FilePath("/music/\(number)"),
        tags: ["artist": [song.0], "genre": [song.1], "album": [song.2], "date": [song.3], "title": ["T"]])
    }
    try LibraryFiles(files).merge(into: library.store)
    let moon = try library.store.search(SearchRequest("moon"))
    #expect(
      moon.artists.hits == [
        .init(name: "Moon B", trackCount: 2), .init(name: "Moon C", trackCount: 2),
        .init(name: "Moon A", trackCount: 1),
      ])
    #expect(
      moon.albums.hits == [
        .init(title: "Moon", artist: nil, year: 1995, trackCount: 2),
        .init(title: "Moons", artist: nil, year: 2002, trackCount: 2),
      ])
    #expect(moon.genres.hits.isEmpty && moon.tracks.hits.count == 5)
    #expect(try library.store.search(SearchRequest("rock")).genres.hits == [.init(name: "ROCK", trackCount: 2)])
    #expect(try library.store.search(SearchRequest("jazz")).genres.hits == [.init(name: "jazz", trackCount: 3)])
    for section in SearchSection.allCases {
      let one = try library.store.search(SearchRequest("moon", sections: [section]))
      #expect(one.tracks.hits.isEmpty == (section != .tracks) && one.albums.hits.isEmpty == (section != .albums))
      #expect(one.artists.hits.isEmpty == (section != .artists) && one.genres.hits.isEmpty && one.paths.hits.isEmpty)
    }
  }

  // MARK: - Files of tracks

  @Test func fileOfATrack() throws {
    let library = try ScannedLibrary()
    let stamp = FileStamp(
      path: "/music/x/a.flac", device: 12, inode: 34, sizeBytes: 56, modified: Timestamp(nanoseconds: 78_000_000_000),
      statusChanged: Timestamp(nanoseconds: 90_000_000_000))
    library.put(stamp)
    for name in ["cut", "bad"] { library.put(FilePath("/music/\(name)")) }
    try library.night { file in
      var analysis = ScannedLibrary.analysis(of: file)
      analysis.format?.codec = "flac16"
      if file.path != stamp.path {
        analysis.status = file.path == "/music/cut" ? .partial : .failed
        analysis.problem = Problem(stage: .decode, code: "corrupt", message: "Damaged.")
      }
      return analysis
    }
    try library.store.finishRun(
      library.run, state: .finished, exitStatus: 0,
      roots: ["/music", "/music/x", "/other", "/music/x/a.flac", "s3:/b"].map {
        RunRecord.Root(path: $0, condition: .scanned)
      }, totals: RunTotals(), newlyFailed: 0, newlyDamaged: 0, pending: 0)
    let track = try #require(try self.track(stamp.path, library))
    #expect(track.path == stamp.path && track.container == "flac" && track.codec == "flac16" && track.size == 56)
    #expect(track.key == FileKey(device: 12, inode: 34) && track.modified == stamp.modified)
    #expect(track.statusChanged == stamp.statusChanged && track.isAudio && track.root == "/music")
    #expect(Set(track.linkScope) == ["/music", "/music/x", "/other", "/music/x/a.flac"])
    #expect(
      try self.track("/music/cut", library)?.isAudio == true && self.track("/music/bad", library)?.isAudio == false)
    #expect(try library.store.trackFile(id: "nobody") == nil)
    #expect(TrackFile(path: "/a", container: "wav").isAudio && !TrackFile(path: "/a").isAudio)
  }

  private func track(_ path: FilePath, _ library: ScannedLibrary) throws -> TrackFile? {
    try library.store.trackFile(id: ContentID(ofPath: path).description)
  }

  /// A file on a disk that was mounted again has another device, but the same times.
  @Test func filesAreRecognized() throws {
    let folder = try TemporaryDirectory()
    let file = try #require(FileIdentity(try folder.write([1, 2, 3], as: "a")))
    var track = TrackFile(path: "/a")
    (track.size, track.key) = (file.size, FileKey(device: file.device, inode: file.inode))
    (track.modified, track.statusChanged) = (file.modified, file.changed)
    #expect(track.isSeen(as: file))
    func isSeen(_ change: (inout TrackFile) -> Void) -> Bool {
      var other = track
      change(&other)
      return other.isSeen(as: file)
    }
    let time = Timestamp(nanoseconds: 5)
    let remounted = FileKey(device: file.device + 1, inode: file.inode)
    #expect(isSeen { ($0.modified, $0.statusChanged) = (time, nil) } && isSeen { $0.key?.device += 1 })
    #expect(!isSeen { $0.size = 4 } && !isSeen { $0.key?.inode += 1 } && !isSeen { $0.key = nil })
    #expect(!isSeen { ($0.key, $0.modified) = (remounted, time) })
    #expect(!isSeen { ($0.key, $0.statusChanged) = (remounted, time) })
    #expect(!isSeen { ($0.key, $0.statusChanged) = (remounted, nil) })
    var unnumbered = file
    unnumbered.inode = 0
    track.key?.inode = 0
    #expect(!track.isSeen(as: unnumbered))
  }

  // MARK: - Playlists

  @Test func playlistsHoldTenThousandTracks() throws {
    let library = try ScannedLibrary()
    let one = TrackReference(path: "/music/a", contentID: nil)
    func tracks(_ count: Int) -> [TrackReference] { Array(repeating: one, count: count) }
    let store = library.store
    let playlist = try store.createPlaylist(named: "Long", tracks: tracks(9_999))
    #expect(throws: PlaylistEditError.tooLong) { try store.editPlaylist(id: playlist.id, .insert(tracks(2))) }
    #expect(try store.editPlaylist(id: playlist.id, .insert(tracks(1))).trackCount == 10_000)
    #expect(throws: PlaylistEditError.tooLong) { try store.editPlaylist(id: playlist.id, .replace(tracks(10_001))) }
    #expect(try store.editPlaylist(id: playlist.id, .replace(tracks(10_000))).trackCount == 10_000)
    let long = String(repeating: "x", count: 9_000)
    let described = try store.describePlaylist(id: playlist.id, name: long, description: long)
    #expect(described.name.count == 500 && described.description?.count == 4_000)
  }

  @Test func editsAreDated() throws {
    let library = try ScannedLibrary()
    let store = library.store
    let before = Timestamp.now
    let playlist = try store.createPlaylist(named: "Mix", tracks: [TrackReference(path: "/music/a", contentID: nil)])
    #expect(playlist.created >= before && playlist.changed >= before)
    let edited = try store.editPlaylist(id: playlist.id, .insert([TrackReference(path: "/music/b", contentID: nil)]))
    #expect(
      edited.created == playlist.created && edited.changed > playlist.changed
        && edited.snapshot == playlist.snapshot + 1)
    #expect(try store.playlist(id: playlist.id) == edited)
    let tracks = try store.playlistTracks(id: playlist.id)
    #expect(tracks[0].added >= before && tracks[1].added == edited.changed && tracks.map(\.fileID) == [nil, nil])
    #expect(tracks.map(\.reference.path) == ["/music/a", "/music/b"])
    for (edit, error) in [
      (PlaylistEdit.move(start: 2, count: 0, target: 0), nil),
      (.move(start: 3, count: 0, target: 0), .noSuchPosition(3)),
      (.move(start: 0, count: 0, target: 3), .noSuchPosition(3)), (.move(start: 0, count: 2, target: 2), nil),
      (.move(start: -1, count: 0, target: 0), .noSuchPosition(-1)), (.insert([], at: 3), .noSuchPosition(3)),
      (.insert([], at: 2), nil), (.insert([], at: 0), nil), (.remove(positions: [2]), .noSuchPosition(2)),
      (.removeTracks([1: [2]]), .noSuchPosition(2)),
    ] as [(PlaylistEdit, PlaylistEditError?)] {
      guard let error else {
        try store.editPlaylist(id: playlist.id, edit)
        continue
      }
      #expect(throws: error) { try store.editPlaylist(id: playlist.id, edit) }
    }
    #expect(try store.playlistTracks(id: playlist.id).map(\.reference.path) == ["/music/a", "/music/b"])
  }
}
