import AnalysisTesting
import Exports
import Filters
import Foundation
import Platform
import Records
import SystemPackage
import Testing
import Text

@testable import LibraryTasks

/// Playlist files.
@Suite(.bounded) struct PlaylistFileTests {
  private func lines(_ tracks: [PlaylistTrack], relativeTo folder: FilePath? = nil) -> [String] {
    String(decoding: tracks.m3uFile(relativeTo: folder), as: UTF8.self)
      .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }

  @Test func extendedM3U() {
    let tracks = [
      PlaylistTrack(path: "/music/a/b c.flac", artist: "Ä, B", title: "Evil\n#EXTM3U", duration: 61.6),
      PlaylistTrack(path: "/music/x.mp3"),
    ]
    #expect(
      lines(tracks) == [
        "#EXTM3U", "# Made by Nocturne", "#EXTINF:62,Ä, B - Evil #EXTM3U", "/music/a/b c.flac", "#EXTINF:-1,x",
        "/music/x.mp3", "",
      ])
  }

  @Test func relativePaths() {
    func relative(_ path: FilePath, to folder: FilePath) -> FilePath { M3UFile.relativePath(of: path, to: folder) }
    #expect(relative("/music/a/b.flac", to: "/music") == "a/b.flac")
    #expect(relative("/music/a/b.flac", to: "/music/a") == "b.flac")
    #expect(relative("/music/a/b.flac", to: "/music/lists/x") == "../../a/b.flac")
    #expect(relative("/music/a.flac", to: "/") == "music/a.flac")
    #expect(relative("/a", to: "/a") == "../a")
    #expect(lines([PlaylistTrack(path: "/music/#1.flac")], relativeTo: "/music")[3] == "./#1.flac")
    #expect(lines([PlaylistTrack(path: "/music/ x.flac")], relativeTo: "/music")[3] == "./ x.flac")
  }

  @Test func bytesOfPathsAreKept() {
    let latin = FilePath(bytes: Array("/music/".utf8) + [0xE9, 0x20, 0xFF])
    let bytes = [PlaylistTrack(path: latin)].m3uFile(relativeTo: "/music")
    #expect(bytes.suffix(4) == [0xE9, 0x20, 0xFF, 10])
    // Only a URI can represent a path with a line break.
    #expect(lines([PlaylistTrack(path: "/music/a\nb.flac")], relativeTo: "/music")[3] == "file:///music/a%0Ab.flac")
  }

  // MARK: - Navidrome

  private func smart(
    _ filter: String, _ change: (inout PlaylistProposal.Request) -> Void = { _ in }
  ) throws -> [String: JSONValue] {
    var request = PlaylistProposal.Request()
    request.filter = try TrackFilter(parsing: filter)
    change(&request)
    guard case .object(let fields) = try JSONValue(parsing: NavidromePlaylist.bytes(request, name: "Evening")) else {
      return [:]
    }
    return fields
  }

  /// The rules of a smart playlist as text.
  private func rules(_ filter: String) throws -> String {
    let list = try smart(filter)
    return list["all"].map { "all \($0.text)" } ?? "any \(list["any"]?.text ?? "")"
  }

  @Test func filtersThatNavidromeHas() throws {
    #expect(try rules("") == #"all [{"gt":{"duration":0}}]"#)
    #expect(
      try rules("genre:trance bpm:120..128")
        == #"all [{"contains":{"genre":"trance"}},{"inTheRange":{"bpm":[120,128]}}]"#)
    #expect(try rules("bpm:128") == #"all [{"is":{"bpm":128}}]"#)
    #expect(try rules("bpm:120..") == #"all [{"gt":{"bpm":119}}]"#)
    #expect(try rules("year:..1979") == #"all [{"lt":{"year":1980}}]"#)
    #expect(try rules("-year:1990..1999") == #"any [{"lt":{"year":1990}},{"gt":{"year":1999}}]"#)
    #expect(
      try rules("genre:trance,house") == #"any [{"contains":{"genre":"trance"}},{"contains":{"genre":"house"}}]"#)
    #expect(
      try rules("NOT (genre:trance OR artist:x)")
        == #"all [{"notContains":{"genre":"trance"}},{"notContains":{"artist":"x"}}]"#)
    #expect(try rules("codec:flac -codec:mp3") == #"all [{"is":{"filetype":"flac"}},{"isNot":{"filetype":"mp3"}}]"#)
    #expect(try rules("added:7d") == #"all [{"inTheLast":{"dateadded":7}}]"#)
    #expect(try rules("added:2026-11-01..") == #"all [{"after":{"dateadded":"2026-11-01"}}]"#)
    #expect(
      try rules("lumine") == "any ["
        + ["artist", "title", "album", "albumartist", "genre"].map { #"{"contains":{"\#($0)":"lumine"}}"# }
        .joined(separator: ",") + "]")
  }

  @Test func namesSortsAndLimits() throws {
    let list = try smart("bpm:120..") { request in
      request.order = .tempo
      request.length = .tracks(50)
    }
    #expect(list["name"] == "Evening" && list["sort"] == "bpm" && list["limit"] == 50)
  }

  @Test(arguments: [
    "key:8A", "lufs:-14..-9", "confidence:0.8..", "locked:yes", "status:ok", "missing:isrc", "under:/music",
    "lossless:yes", "codec:aac", "added:12h",
  ]) func filtersThatNavidromeLacksAreNamed(filter: String) throws {
    let name = filter.prefix { $0 != ":" }
    #expect { try smart("genre:trance \(filter)") } throws: { error in
      "\(error)".contains("\(name):") && "\(error)".contains("Navidrome")
    }
  }

  @Test func wishesThatNavidromeLacksAreNamed() throws {
    let changes: [(String, (inout PlaylistProposal.Request) -> Void)] = [
      ("--like", { $0.like = "/a" }), ("--length", { $0.length = .seconds(60) }), ("--order key", { $0.order = .key }),
      ("--no-repeat-artist", { $0.spacing = 2 }),
    ]
    for (name, change) in changes {
      #expect { try smart("genre:trance", change) } throws: { "\($0)".contains(name) }
    }
  }
}
