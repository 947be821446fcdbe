import Analysis
import AnalysisTesting
import Foundation
import LibraryTesting
import Records
import ResultStore
import SystemPackage
import Testing

@testable import Server

/// Files that `TrackFolder` does not open are not served.
@Suite(.bounded) struct SwappedFolderTests {
  @Test func nothingFromOutsideIsServed() async throws {
    let place = try ExposedLibrary()
    try place.put(ExposedLibrary.picture, place.library.appending("Artist/Album/cover.bmp"))
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
    #expect(try await library.get("/media/tracks/\(id)").body == ExposedLibrary.music)
    #expect(try await library.get("/media/covers/\(id)?size=64").status == 200)

    try place.swap("Artist", for: place.outside)
    for headers in [[:], ["Range": "bytes=0-1"]] {
      for target in ["/media/tracks/\(id)", "/rest/download?u=a&p=a&c=t&v=1.16.1&id=\(id)"] {
        let answer = try await library.get(target, headers)
        #expect(String(decoding: answer.body, as: UTF8.self).contains("has been replaced"), "\(target)")
        #expect(answer.headers["content-range"] == nil)
      }
      #expect(try await library.get("/media/tracks/\(id)", headers).status == 404)
    }
    #expect(try await library.get("/media/covers/\(id)?size=160").status == 404)
    try await library.stop()
  }
}
