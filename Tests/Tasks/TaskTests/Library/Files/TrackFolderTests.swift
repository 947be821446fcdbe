import AnalysisTesting
import Foundation
import LibraryStore
import LibraryTesting
import Platform
import ResultStore
import SystemPackage
import Testing

@testable import LibraryTasks

/// The text in a file of `ExposedLibrary`.
private func text(of track: TrackFile) throws -> String {
  let file = try OpenFile(track)
  let header = ExposedLibrary.wave("").count
  return try String(decoding: file.read(Int(file.size) - header, at: Int64(header)), as: UTF8.self)
}

@Suite(.bounded) struct TrackFolderTests {
  private let place: ExposedLibrary

  init() throws { place = try ExposedLibrary() }

  @Test(arguments: ["Artist", "Artist/Album"]) func aFolderThatWasSwappedServesNothingElse(name: String) throws {
    let tracks = try [nil, place.library].map { try place.track(place.song, root: $0) }
    for track in tracks { #expect(try text(of: track) == "music") }
    try place.swap(name, for: name == "Artist" ? place.outside : place.outside.appending("Album"))
    for track in tracks { #expect(throws: OpenFile.Failure.replaced) { try text(of: track) } }
  }

  @Test func theFolderOfARunMayLieUnderLinks() throws {
    let linked = place.folder.file("linked")
    try place.link(linked, to: place.library.string)
    let track = try place.track(linked.appending("Artist/Album/song.wav"), root: linked)
    #expect(try text(of: track) == "music")
    // The file may have been edited since.
    try place.put(ExposedLibrary.wave("other music"), place.song)
    #expect(try text(of: track) == "other music")
    try place.put("no music", place.song)
    #expect(throws: OpenFile.Failure.replaced) { try text(of: track) }
  }

  @Test func whatIsNoAudioIsNotOpened() throws {
    var track = try place.track(place.song, root: place.library)
    track.isAudio = false
    #expect(throws: OpenFile.Failure.notAudio) { try text(of: track) }
  }

  @Test func linksLeadOnlyIntoTheLibrary() throws {
    try place.link(place.library.appending("inside.wav"), to: "Artist/Album/song.wav")
    #expect(try text(of: place.track(place.library.appending("inside.wav"), root: place.library)) == "music")
    try place.link(place.library.appending("outside.wav"), to: "../outside/Album/song.wav")
    var track = try place.track(place.library.appending("outside.wav"), root: place.library)
    #expect(throws: OpenFile.Failure.outside) { try text(of: track) }
    track.linkScope = []
    #expect(throws: OpenFile.Failure.outside) { try text(of: track) }
    // Another folder of the library may be a link itself.
    try place.link(place.folder.file("second"), to: "outside")
    track.linkScope = [place.library, place.folder.file("second")]
    #expect(try text(of: track) == "secret")
  }

  @Test func aLinkThatTheRunHasFollowedLeadsToWhatItSaw() throws {
    let path = place.library.appending("more/song.wav")
    try place.link(place.library.appending("more"), to: place.outside.appending("Album").string)
    var track = try place.track(path, root: place.library)
    #expect(throws: OpenFile.Failure.outside) { try text(of: track) }
    track.linkScope = ["/"]
    #expect(try text(of: track) == "secret")
    // A disk that is mounted again may have another device number.
    track.key?.device += 1
    #expect(try text(of: track) == "secret")
    track.statusChanged = nil
    #expect(throws: OpenFile.Failure.replaced) { try text(of: track) }
    track.key?.device -= 1
    try place.put("another secret", path)
    #expect(throws: OpenFile.Failure.replaced) { try text(of: track) }
  }

  // MARK: Covers

  private func cover(_ track: TrackFile) throws -> Bool {
    let request = try #require(CoverRequest(CoverRequest(track).bytes))
    #expect(request.track == track)
    return CoverWorker(side: 64).cover(of: request.track) != nil
  }

  @Test func aCoverBesideTheFileIsServed() throws {
    let track = try place.track(place.song, root: nil)
    #expect(try !cover(track))
    try place.put(ExposedLibrary.picture, place.library.appending("Artist/Album/cover.bmp"))
    #expect(try cover(track))
    // The cover does not need the track itself.
    try FileManager.default.removeItem(atPath: place.song.string)
    #expect(try cover(track))
  }

  @Test func aCoverThatIsALinkComesFromTheLibrary() throws {
    let track = try place.track(place.song, root: place.library)
    let link = place.library.appending("Artist/Album/cover.bmp")
    try place.link(link, to: place.outside.appending("Album/cover.bmp").string)
    #expect(try !cover(track))
    try FileManager.default.removeItem(atPath: link.string)
    try place.link(link, to: "../../../outside/Album/cover.bmp")
    #expect(try !cover(track))
    try FileManager.default.removeItem(atPath: link.string)
    try place.put(ExposedLibrary.picture, place.library.appending("pictures/1.bmp"))
    try place.link(link, to: "../../pictures/1.bmp")
    #expect(try cover(track))
    // Without a root, the extent of the library is unknown.
    #expect(try !cover(place.track(place.song, root: nil)))
  }

  @Test func aFolderThatWasSwappedHasNoCovers() throws {
    let tracks = try [nil, place.library].map { try place.track(place.song, root: $0) }
    try place.swap("Artist", for: place.outside)
    for track in tracks { #expect(try !cover(track)) }
  }

  @Test func aFolderBehindAFollowedLinkHasCovers() throws {
    try place.link(place.library.appending("more"), to: place.outside.appending("Album").string)
    var track = try place.track(place.library.appending("more/song.wav"), root: place.library)
    #expect(try !cover(track))
    track.linkScope = ["/"]
    #expect(try cover(track))
  }
}
