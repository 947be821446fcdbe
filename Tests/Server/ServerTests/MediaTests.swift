import Analysis
import AnalysisTesting
import Foundation
import Platform
import SystemPackage
import Testing
import Text

@testable import Server

/// Files of tracks, and covers.
@Suite(.bounded) struct MediaTests {
  /// A library with one real file, of more than two of the blocks that are read at a time.
  private struct Place {
    let folder: TemporaryDirectory
    let path: FilePath
    let bytes: [UInt8]
    let library: ServedLibrary
    let target: String

    /// - Parameter modified: Seconds since 1970.
    init(_ name: String = "song.wav", modified: TimeInterval = 784_111_777.5) async throws {
      folder = try TemporaryDirectory()
      let samples = (0..<140_000).map { Float($0 % 1_000) / 2_000 }
      bytes = WAVFile(Signal(sampleRate: 44_100, channels: [samples])).bytes
      path = try folder.write(bytes, as: name)
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSince1970: modified)], ofItemAtPath: path.string)
      let file = ServedLibrary.File(path: path, tags: ["title": ["Song"]])
      library = try await ServedLibrary([file])
      target = "/media/tracks/\(file.id)"
    }
  }

  @Test func aFileIsServedWholeOrInParts() async throws {
    let place = try await Place()
    let (bytes, size, library) = (place.bytes, place.bytes.count, place.library)
    let whole = try await library.get(place.target)
    #expect(whole.status == 200 && whole.body == bytes && whole.headers["content-length"] == "\(size)")
    #expect(whole.headers["accept-ranges"] == "bytes" && whole.headers["content-range"] == nil)
    #expect(whole.headers["content-type"] == "audio/flac" && whole.headers["cache-control"] == "private, no-cache")
    #expect(whole.headers["last-modified"] == "Sun, 06 Nov 1994 08:49:37 GMT")
    #expect(whole.headers["etag"] == "\"\(String(size, radix: 16))-\(String(784_111_777_500_000_000, radix: 16))\"")
    let block = 131_072
    for part in [
      0..<1, 0..<block, 0..<block + 1, block - 1..<block + 1, 5..<2 * block + 6, size - 1..<size, 100..<size,
    ] {
      let range = ["Range": "bytes=\(part.lowerBound)-\(part.upperBound - 1)"]
      let answer = try await library.get(place.target, range)
      #expect(answer.status == 206 && answer.body == Array(bytes[part]), "\(part)")
      #expect(answer.headers["content-range"] == "bytes \(part.lowerBound)-\(part.upperBound - 1)/\(size)")
      #expect(answer.headers["content-length"] == "\(part.count)" && answer.headers["content-type"] == "audio/flac")
      let head = try await library.ask("HEAD", place.target, range)
      #expect(head.status == 206 && head.body.isEmpty && head.headers["content-length"] == "\(part.count)")
    }
    let beyond = try await library.get(place.target, ["Range": "bytes=\(size)-"])
    #expect(beyond.status == 416 && beyond.headers["content-range"] == "bytes */\(size)" && beyond.body.isEmpty)
    #expect(beyond.headers["content-type"] == nil)
    let head = try await library.ask("HEAD", place.target)
    #expect(head.status == 200 && head.body.isEmpty && head.headers["content-length"] == "\(size)")
    try await library.stop()
  }

  /// Conditions of requests (RFC 9110, section 13).
  @Test func aClientThatKnowsTheFileGetsNoBody() async throws {
    let place = try await Place()
    let library = place.library
    let tag = try #require(try await library.ask("HEAD", place.target).headers["etag"])
    let (before, then, after) = (
      "Sun, 06 Nov 1994 08:49:36 GMT", "Sun, 06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:38 GMT"
    )
    for (headers, status) in [
      (["If-None-Match": tag], 304), (["If-None-Match": "\"a\", W/\(tag)"], 304), (["If-None-Match": "\"a\""], 200),
      (["If-Modified-Since": before], 200), (["If-Modified-Since": then], 304), (["If-Modified-Since": after], 304),
      (["If-Modified-Since": "yesterday"], 200), (["If-None-Match": "\"a\"", "If-Modified-Since": after], 200),
      (["If-None-Match": tag, "If-Modified-Since": before], 304), (["If-Range": tag], 206), (["If-Range": then], 206),
      (["If-Range": "\"a\""], 200), (["If-Range": before], 200), (["If-Range": after], 200), ([:], 206),
    ] {
      let isPart = headers["If-Range"] != nil || headers.isEmpty
      let answer = try await library.ask(
        "HEAD", place.target, isPart ? headers.merging(["Range": "bytes=0-0"]) { first, _ in first } : headers)
      #expect(answer.status == status && answer.headers["etag"] == tag, "\(headers)")
    }
    let known = try await library.get(place.target, ["If-None-Match": tag])
    #expect(known.body.isEmpty && known.headers["last-modified"] == then)
    try await library.stop()
  }

  /// The name without folders, in ASCII and in UTF-8; and whether the file is to be saved.
  @Test func clientsLearnTheNameOfTheFile() async throws {
    let place = try await Place("a ~!\"%;é.wav", modified: -5)
    let media = try await place.library.ask("HEAD", place.target)
    let names = "filename=\"a ~!____.wav\"; filename*=UTF-8''"
    #expect(media.headers["content-disposition"]?.hasPrefix("inline; \(names)") == true)
    let id = place.target.split(separator: "/").last ?? ""
    let download = try await place.library.ask("HEAD", "/rest/download?u=a&p=a&c=t&v=1.16.1&id=\(id)")
    #expect(download.headers["content-disposition"]?.hasPrefix("attachment; \(names)") == true)
    let stream = try await place.library.ask("HEAD", "/rest/stream?u=a&p=a&c=t&v=1.16.1&id=\(id)")
    #expect(stream.headers["content-disposition"]?.hasPrefix("inline; ") == true)
    // No date before 1970.
    #expect(media.headers["last-modified"] == "Thu, 01 Jan 1970 00:00:00 GMT")
    try await place.library.stop()
  }

  @Test func filesThatCannotBeServedSayWhy() async throws {
    let folder = try TemporaryDirectory()
    let text = try folder.write(Array("text".utf8), as: "text.wav")
    let failed = try folder.write(Array("text".utf8), as: "failed.wav")
    let problem = Problem(stage: .open, code: "empty", message: "The file is empty.")
    let files = [
      ServedLibrary.File(path: text, tags: [:]), ServedLibrary.File(path: failed, tags: [:], failure: problem),
      ServedLibrary.File(path: folder.file("gone.wav"), tags: [:]),
    ]
    let library = try await ServedLibrary(files)
    for (file, message) in zip(files, ["has been replaced", "no ", "is gone"]) {
      let answer = try await library.get("/media/tracks/\(file.id)")
      #expect(answer.status == 404 && answer.json["error"]["message"].text.contains(message), "\(answer.json)")
    }
    try await library.stop()
  }

  @Test func coversHaveSizesAndTags() async throws {
    let file = ServedLibrary.File(path: "/music/song.flac", tags: ["title": ["Song"], "album": ["Album"]])
    let library = try await ServedLibrary([file]) {
      $0.coverCommand = ["/bin/sh", "-c", "cat > /dev/null; printf 'picture %s' \"$2\"", "sh"]
    }
    let target = "/media/covers/\(file.id)"
    for (size, side) in [("", 640), ("?size=1", 64), ("?size=64", 64), ("?size=65", 160), ("?size=9999", 640)] {
      let answer = try await library.get("\(target)\(size)")
      #expect(answer.status == 200 && String(decoding: answer.body, as: UTF8.self) == "picture \(side)", "\(size)")
      #expect(answer.headers["content-type"] == "image/jpeg")
      let tag = try #require(answer.headers["etag"])
      let known = try await library.get("\(target)\(size)", ["If-None-Match": tag])
      #expect(known.status == 304 && known.body.isEmpty && known.headers["etag"] == tag)
      #expect(try await library.get("\(target)\(size)", ["If-None-Match": "\"a\""]).status == 200)
    }
    for size in ["0", "-1", "x", ""] {
      #expect(try await library.get("\(target)?size=\(size)").status == 400, "\(size)")
    }
    let album = try await library.get("/v1/tracks/\(file.id)").json["album"]["id"].text
    #expect(try await library.get("/media/covers/\(album)?size=64").status == 200)
    #expect(try await library.get("/media/covers/\(String(repeating: "0", count: 22))").status == 404)
    try await library.stop()
  }

  @Test(
    arguments: [
      ("flac", "flac", "audio/flac"), ("mp3", "mp3", "audio/mpeg"), ("adts", "aac", "audio/aac"),
      ("loas", "aac", "audio/aac"), ("mp4", "aac", "audio/mp4"), ("ogg", "opus", "audio/ogg; codecs=opus"),
      ("ogg", "vorbis", "audio/ogg"), ("ogg", nil, "audio/ogg"), ("wav", nil, "audio/wav"), ("w64", nil, "audio/wav"),
      ("aifc", nil, "audio/aiff"), ("opus", "opus", "application/octet-stream"), (nil, nil, "application/octet-stream"),
      ("dtshd", nil, "audio/vnd.dts"), ("amrwb", nil, "audio/amr"),
    ] as [(String?, String?, String)])
  func mediaTypesAreThoseOfContainers(container: String?, codec: String?, type: String) {
    #expect(AudioMediaType.name(container: container, codec: codec) == type)
  }
}
