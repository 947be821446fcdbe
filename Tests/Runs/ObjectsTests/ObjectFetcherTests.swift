import AnalysisTesting
import Foundation
import Platform
import Synchronization
import SystemPackage
import Testing

@testable import Objects

@Suite(.bounded) struct ObjectFetcherTests {
  private typealias Step = ScriptedServer.Step

  private static let bytes = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 7 ^ $0 >> 8) }
  private static let tagged = ["ETag": "\"one\"", "Last-Modified": "Sun, 06 Nov 1994 08:49:37 GMT"]

  private func fetcher(_ folder: TemporaryDirectory, limit: Int = 64 << 20, attempts: Int = 4) -> ObjectFetcher {
    var policy = FetchPolicy(silence: .seconds(2))
    policy.attempts = attempts
    policy.firstPause = .milliseconds(5)
    policy.maxRetryAfter = .milliseconds(50)
    return ObjectFetcher(
      ObjectAccess(environment: [:], home: folder.path), space: FetchSpace(limit: limit, in: folder.path),
      policy: policy)
  }

  private func fetch(
    _ server: ScriptedServer, _ target: String = "/a%20b.flac", with fetcher: ObjectFetcher
  ) throws -> FetchedObject? {
    let address = try ObjectAddress(uri: Array("http://127.0.0.1:\(server.port)\(target)".utf8))
    return try fetcher.fetch(address, isCancelled: { false })
  }

  private func content(_ object: FetchedObject?) throws -> [UInt8] {
    try SmallFile.read(try #require(object).path, limit: 1 << 24)
  }

  private func names(_ folder: TemporaryDirectory) throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: folder.path.string).filter { !$0.hasSuffix(".netrc") }.sorted()
  }

  /// The code of the failure.
  private func failure(_ body: () throws -> FetchedObject?) -> FetchFailure.Code? {
    do {
      _ = try body()
      return nil
    } catch {
      return (error as? FetchFailure)?.code
    }
  }

  @Test func anObjectHasItsBytesItsNameAndItsVersionWhileItLives() throws {
    let folder = try TemporaryDirectory()
    let server = try ScriptedServer { _ in [.answer(200, Self.tagged, Self.bytes)] }
    let fetcher = fetcher(folder)
    var object = try fetch(server, with: fetcher)
    #expect(try content(object) == Self.bytes)
    #expect(object?.path.lastComponent?.string == "a b.flac")
    #expect(object?.version.entityTag == "\"one\"")
    #expect(object?.version.modified?.seconds == 784_111_777)
    #expect(server.requests.map(\.target) == ["/a%20b.flac"])
    object = nil
    #expect(try names(folder).count == 1)
  }

  @Test func busyAnswersAreAskedAgain() throws {
    let folder = try TemporaryDirectory()
    let server = try ScriptedServer { request in
      switch request.number {
      case 1: [.answer(503, ["Retry-After": "1"], Array("<Error><Code>SlowDown</Code></Error>".utf8))]
      case 2: [.answer(429)]
      case 3: []
      default: [.answer(200, Self.tagged, Self.bytes)]
      }
    }
    #expect(try content(fetch(server, with: fetcher(folder))) == Self.bytes)
    #expect(server.requests.count == 4)
    let busy = try ScriptedServer { _ in [.answer(500)] }
    #expect(failure { try fetch(busy, with: fetcher(folder)) } == .unavailable)
    #expect(busy.requests.count == 4)
  }

  @Test func aCutAnswerGoesOnWhereItEnded() throws {
    let folder = try TemporaryDirectory()
    let server = try ScriptedServer { request in
      guard request.number > 1 else {
        return [.answer(200, Self.tagged, Array(Self.bytes[..<100_000]), length: Self.bytes.count)]
      }
      guard request.headers["range"] == "bytes=100000-", request.headers["if-match"] == "\"one\"" else {
        return [.answer(400)]
      }
      let range = ["Content-Range": "bytes 100000-\(Self.bytes.count - 1)/\(Self.bytes.count)"]
      return [.answer(206, Self.tagged.merging(range) { $1 }, Array(Self.bytes[100_000...]))]
    }
    #expect(try content(fetch(server, with: fetcher(folder))) == Self.bytes)
    #expect(server.requests.count == 2)
  }

  /// Also with a server without ranges or tags.
  @Test(arguments: [["ETag": "\"one\""], ["ETag": "W/\"one\""], [:]])
  func aCutAnswerStartsOverOtherwise(headers: [String: String]) throws {
    let folder = try TemporaryDirectory()
    let server = try ScriptedServer { request in
      request.number > 2
        ? [.answer(200, headers, Self.bytes)]
        : [.answer(200, headers, Array(Self.bytes[..<(100_000 * request.number)]), length: Self.bytes.count)]
    }
    #expect(try content(fetch(server, with: fetcher(folder))) == Self.bytes)
    #expect(server.requests.count == 3)
  }

  @Test func anAnswerThatStaysShortFails() throws {
    let folder = try TemporaryDirectory()
    let server = try ScriptedServer { _ in [.answer(200, [:], Self.bytes, length: Self.bytes.count + 1)] }
    #expect(failure { try fetch(server, with: fetcher(folder)) } == .unavailable)
    #expect(try names(folder).isEmpty)
  }

  @Test func otherBytesUnderTheNameAreNoticed() throws {
    let folder = try TemporaryDirectory()
    for second: Step in [
      .answer(412), .answer(404), .answer(200, ["ETag": "\"two\""], Self.bytes),
      .answer(206, ["ETag": "\"two\"", "Content-Range": "bytes 100000-299999/300000"], Array(Self.bytes[100_000...])),
      .answer(200, ["ETag": "\"one\""], Array(Self.bytes[1...])),
    ] {
      let server = try ScriptedServer { request in
        request.number > 1
          ? [second] : [.answer(200, Self.tagged, Array(Self.bytes[..<100_000]), length: Self.bytes.count)]
      }
      #expect(failure { try fetch(server, with: fetcher(folder)) } == .changed)
      #expect(server.requests.count == 2)
    }
    #expect(try names(folder).isEmpty || names(folder).allSatisfy { !$0.contains(".flac") })
  }

  @Test(arguments: [
    (404, FetchFailure.Code.notFound), (410, .notFound), (403, .denied), (401, .denied), (400, .badAnswer),
    (302, .badAnswer),
    (204, .badAnswer),
  ])
  func refusalsAreNotAskedAgain(status: Int, code: FetchFailure.Code) throws {
    let folder = try TemporaryDirectory()
    let server = try ScriptedServer { _ in [.answer(status)] }
    #expect(failure { try fetch(server, with: fetcher(folder)) } == code)
    #expect(server.requests.count == 1)
  }

  @Test func silenceAndTricklesEnd() throws {
    let folder = try TemporaryDirectory()
    let silent = try ScriptedServer { _ in [.pause(20)] }
    #expect(failure { try fetch(silent, with: fetcher(folder, attempts: 1)) } == .unavailable)
    let slow = try ScriptedServer { _ in
      [.answer(200, [:], [1], length: 1_000)] + (0..<40).flatMap { _ in [Step.pause(0.5), .send([1])] }
    }
    #expect(failure { try fetch(slow, with: fetcher(folder, attempts: 1)) } == .unavailable)
  }

  @Test func redirectsAreFollowedAndEnd() throws {
    let folder = try TemporaryDirectory()
    let server = try ScriptedServer { request in
      switch request.target {
      case "/a.flac": [.answer(302, ["Location": "/b/c.flac"], Array("elsewhere".utf8))]
      case "/b/c.flac": [.send(Array("HTTP/1.1 103 Early Hints\r\n\r\n".utf8)), .answer(200, Self.tagged, Self.bytes)]
      default: [.answer(302, ["Location": "/round.flac"])]
      }
    }
    let object = try fetch(server, "/a.flac", with: fetcher(folder))
    #expect(try content(object) == Self.bytes)
    #expect(object?.path.lastComponent?.string == "a.flac")
    #expect(failure { try fetch(server, "/round.flac", with: fetcher(folder)) } == .badAnswer)
    #expect(server.requests.count { $0.target == "/round.flac" } == 6)
  }

  @Test func objectsShareTheirSpace() throws {
    let folder = try TemporaryDirectory()
    let server = try ScriptedServer { request in
      request.target.hasPrefix("/chunked")
        ? [
          .send(Array("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n493e0\r\n".utf8)),
          .send(Self.bytes), .send(Array("\r\n0\r\n\r\n".utf8)),
        ] : [.answer(200, Self.tagged, Self.bytes)]
    }
    #expect(failure { try fetch(server, with: self.fetcher(folder, limit: 200_000)) } == .tooLarge)
    #expect(failure { try fetch(server, "/chunked.flac", with: self.fetcher(folder, limit: 200_000)) } == .tooLarge)
    // Two objects have space; the third waits for one of them.
    let space = FetchSpace(limit: 700_000, in: folder.path)
    let fetcher = ObjectFetcher(ObjectAccess(environment: [:], home: folder.path), space: space)
    let held = Mutex<FetchedObject?>(try fetch(server, "/chunked.flac", with: fetcher))
    #expect(space.used == 700_000)
    let asked = Mutex(0)
    let address = try ObjectAddress(uri: Array("http://127.0.0.1:\(server.port)/x.flac".utf8))
    let waited = try fetcher.fetch(address) {
      let count = asked.withLock { count in
        count += 1
        return count
      }
      if count == 5 { held.withLock { $0 = nil } }
      return count > 500
    }
    #expect(try content(waited) == Self.bytes)
    #expect(space.used == 300_000)
  }

  @Test func whatAKilledProcessLeftIsRemovedAndWhatALivingOneHasStays() throws {
    let folder = try TemporaryDirectory()
    let left = folder.path.appending("nocturne-fetch-abandoned")
    try left.appending("1").makeFolder()
    try FileReplacement.write(Self.bytes, to: left.appending("1").appending("x.flac"))
    let server = try ScriptedServer { _ in [.answer(200, Self.tagged, Self.bytes)] }
    let first = fetcher(folder)
    let object = try fetch(server, with: first)
    #expect(!left.exists)
    let other = try fetch(server, with: fetcher(folder))
    #expect(try content(object) == content(other))
  }

  @Test func aCanceledFetchEnds() throws {
    let folder = try TemporaryDirectory()
    let server = try ScriptedServer { _ in [.pause(20)] }
    let address = try ObjectAddress(uri: Array("http://127.0.0.1:\(server.port)/x.flac".utf8))
    #expect(try fetcher(folder).fetch(address, isCancelled: { true }) == nil)
  }

  @Test func namesThatNoFileCanHaveAreShortened() throws {
    let folder = try TemporaryDirectory()
    let server = try ScriptedServer { _ in [.answer(200, Self.tagged, Self.bytes)] }
    let object = try fetch(server, "/" + String(repeating: "x", count: 300) + ".flac", with: fetcher(folder))
    #expect(object?.path.lastComponent?.string == "object.flac")
  }
}
