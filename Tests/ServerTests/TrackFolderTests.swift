import Analysis
import AnalysisTesting
import Foundation
import Platform
import Records
import ResultStore
import SystemPackage
import Testing

@testable import Server

/// A library, and other files that somebody would like to have served.
private struct Place {
  let folder: TemporaryDirectory
  var library: FilePath { folder.file("library") }
  var outside: FilePath { folder.file("outside") }
  var song: FilePath { library.appending("Artist/Album/song.wav") }

  init() throws {
    folder = try TemporaryDirectory()
    try put("music", song)
    try put("secret", outside.appending("Album/song.wav"))
    try put(Self.picture, outside.appending("Album/cover.bmp"))
  }

  func put(_ bytes: some Sequence<UInt8>, _ path: FilePath) throws {
    try FileManager.default.createDirectory(
      atPath: path.removingLastComponent().string, withIntermediateDirectories: true)
    try Data(bytes).write(to: URL(filePath: path.string))
  }

  func put(_ text: String, _ path: FilePath) throws { try put(text.utf8, path) }

  func link(_ path: FilePath, to target: String) throws {
    try FileManager.default.createSymbolicLink(atPath: path.string, withDestinationPath: target)
  }

  /// What somebody does who may write into the library.
  func swap(_ name: String, for target: FilePath) throws {
    let path = library.appending(name)
    try FileManager.default.moveItem(atPath: path.string, toPath: path.string + ".away")
    try link(path, to: target.string)
  }

  /// As the last run saw it.
  func track(_ path: FilePath, root: FilePath?) throws -> TrackFile {
    let file = try #require(FileIdentity(path))
    var track = TrackFile(path: path, root: root)
    track.size = file.size
    track.key = FileKey(device: file.device, inode: file.inode)
    track.modified = file.modified
    track.statusChanged = file.changed
    return track
  }

  /// Two by two pixels.
  static let picture: [UInt8] = {
    func little(_ value: UInt32, _ count: Int = 4) -> [UInt8] {
      (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
    let header = little(40) + little(2) + little(2) + little(1, 2) + little(24, 2) + little(0) + little(16)
    return Array("BM".utf8) + little(70) + little(0) + little(54) + header + little(2835) + little(2835) + little(0)
      + little(0) + [0, 0, 255, 0, 255, 0, 0, 0, 255, 0, 0, 255, 255, 255, 0, 0]
  }()
}

private func text(of track: TrackFile) throws -> String {
  let file = try OpenFile(track)
  return try String(buffer: file.read(Int(file.size), at: 0))
}

@Suite struct TrackFolderTests {
  private let place: Place

  init() throws { place = try Place() }

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
    // It may have been edited since.
    try place.put("other music", place.song)
    #expect(try text(of: track) == "other music")
  }

  @Test func aLinkThatTheRunHasFollowedLeadsToWhatItSaw() throws {
    let path = place.library.appending("more/song.wav")
    try place.link(place.library.appending("more"), to: place.outside.appending("Album").string)
    var track = try place.track(path, root: place.library)
    #expect(try text(of: track) == "secret")
    // Mounted again, the disk may have another number.
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
    try place.put(Place.picture, place.library.appending("Artist/Album/cover.bmp"))
    #expect(try cover(track))
    // It needs no file.
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
    try place.put(Place.picture, place.library.appending("pictures/1.bmp"))
    try place.link(link, to: "../../pictures/1.bmp")
    #expect(try cover(track))
    // Where no run was given the library, nobody knows how far it reaches.
    #expect(try !cover(place.track(place.song, root: nil)))
  }

  @Test func aFolderThatWasSwappedHasNoCovers() throws {
    let tracks = try [nil, place.library].map { try place.track(place.song, root: $0) }
    try place.swap("Artist", for: place.outside)
    for track in tracks { #expect(try !cover(track)) }
  }

  @Test func aFolderBehindAFollowedLinkHasCovers() throws {
    try place.link(place.library.appending("more"), to: place.outside.appending("Album").string)
    let track = try place.track(place.library.appending("more/song.wav"), root: place.library)
    #expect(try cover(track))
  }
}

/// The same over HTTP.
@Suite struct SwappedFolderTests {
  @Test func nothingFromOutsideIsServed() async throws {
    let place = try Place()
    try place.put(Place.picture, place.library.appending("Artist/Album/cover.bmp"))
    let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    let program = FilePath(tests).removingLastComponent().appending("analyze").string
    let library = try await ServedLibrary([.init(path: place.song, tags: ["title": ["Song"]])]) {
      $0.coverCommand = [program, "cover-process"]
    }
    // A watching server starts runs over folders within the library, too.
    for root in [place.song.removingLastComponent(), place.library] {
      _ = try library.store.beginRun(
        programVersion: "1", pipeline: "p", configuration: .null, configurationDigest: "", analyzers: [],
        roots: [RunRecord.Root(path: root, condition: .scanned)])
    }
    let id = ContentID(ofPath: place.song).description
    #expect(try library.store.trackFile(id: id)?.root == place.library)
    #expect(try await library.get("/media/tracks/\(id)").body == Array("music".utf8))
    #expect(try await library.get("/media/covers/\(id)?size=64").status == 200)

    try place.swap("Artist", for: place.outside)
    for headers in [[:], ["Range": "bytes=0-1"]] {
      for target in ["/media/tracks/\(id)", "/rest/download?u=a&p=a&c=t&v=1.16.1&id=\(id)"] {
        let answer = try await library.get(target, headers)
        #expect(String(decoding: answer.body, as: UTF8.self).contains("was replaced"), "\(target)")
        #expect(answer.headers["content-range"] == nil)
      }
      #expect(try await library.get("/media/tracks/\(id)", headers).status == 404)
    }
    #expect(try await library.get("/media/covers/\(id)?size=160").status == 404)
    try await library.stop()
  }
}
