import AnalysisTesting
import Foundation
import HTTPTypes
import NIOCore
import NIOPosix
import RecognitionTasks
import ResultStore
import SystemPackage
import Testing
import Text

@testable import Server
@testable import Serving

/// The rules of HTTP/1.1 that apply to all requests.
@Suite(.bounded) struct HTTPTests {
  private static let playlist = "POST /v1/users/nocturne/playlists HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"

  @Test func whoWaitsForLeaveToSendGetsIt() async throws {
    let library = try await ServedLibrary([])
    let body = #"{"name": "Mix"}"#
    let head = "\(Self.playlist)Expect: 100-continue\r\nContent-Length: \(body.utf8.count)\r\n\r\n"
    let answer = try await library.converse(head, body)
    #expect(answer.hasPrefix("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 201 Created\r\n"), "\(answer)")
    try await library.stop()
  }

  @Test(arguments: [
    ("POST /v1/users/nocturne/playlists", "Content-Length: 99999999", 413),
    ("POST /nothing", "Content-Length: 5", 404),
  ])
  func whoIsRefusedIsNotAskedToSend(start: String, length: String, status: Int) async throws {
    let library = try await ServedLibrary([])
    let answer = try await library.converse(
      "\(start) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nExpect: 100-continue\r\n\(length)\r\n\r\n")
    #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(answer)")
    try await library.stop()
  }

  @Test func damagedChunksAreAMistakeOfTheClient() async throws {
    let library = try await ServedLibrary([])
    for chunks in ["zz\r\nabc\r\n0\r\n\r\n", "3\r\nabcdef\r\n0\r\n\r\n"] {
      let answer = try await library.converse("\(Self.playlist)Transfer-Encoding: chunked\r\n\r\n\(chunks)")
      #expect(answer.hasPrefix("HTTP/1.1 400 Bad Request\r\n"), "\(answer)")
    }
    try await library.stop()
  }

  @Test(arguments: [
    ("DELETE", "/v1/search", "GET, HEAD, OPTIONS"), ("POST", "/v1/tracks/0", "GET, HEAD, OPTIONS"),
    ("GET", "/api/token", "POST, OPTIONS"), ("PUT", "/rest/ping", "GET, HEAD, POST, OPTIONS"),
    ("PATCH", "/app/api/playlists/0", "GET, HEAD, PUT, DELETE, OPTIONS"), ("POST", "/healthz", "GET, HEAD, OPTIONS"),
  ])
  func otherMethodsAreToldWhatThereIs(method: String, target: String, allowed: String) async throws {
    let library = try await ServedLibrary([])
    let answer = try await library.ask(method, target)
    #expect(answer.status == 405 && answer.headers["allow"] == allowed, "\(answer)")
    let options = try await library.ask("OPTIONS", target)
    #expect(options.status == 204 && options.headers["allow"] == allowed, "\(options)")
    #expect(try await library.ask(method, "/nothing/there").status == 404)
    try await library.stop()
  }

  @Test func whoHasAnAnswerGetsItNotAgain() async throws {
    let library = try await ServedLibrary(
      (1...30).map { ServedLibrary.File(path: FilePath("/music/\($0).flac"), tags: ["title": ["Song \($0)"]]) })
    for target in ["/v1/search?q=song&type=track", "/app/api/tracks", "/rest/search3?f=json", "/openapi.json"] {
      let plain = try await library.get(target)
      let tag = try #require(plain.headers["etag"])
      #expect(plain.headers["content-encoding"] == nil && plain.headers["cache-control"]?.contains("no-store") == false)
      let packed = try await library.get(target, ["Accept-Encoding": "br, gzip;q=0.5"])
      #expect(packed.headers["content-encoding"] == "gzip" && packed.headers["etag"] == tag)
      #expect(packed.headers["vary"]?.contains("Accept-Encoding") == true && packed.body.count < plain.body.count / 2)
      #expect(try GzipBody.unpacked(packed.body, limit: plain.body.count) == plain.body)
      let known = try await library.get(target, ["If-None-Match": "\"other\", \(tag)"])
      #expect(known.status == 304 && known.body.isEmpty && known.headers["etag"] == tag)
      #expect(try await library.get(target, ["If-None-Match": "\"other\""]).status == 200)
    }
    try await library.stop()
  }

  @Test(
    arguments: [
      (nil, false), ("gzip", true), ("*", true), ("gzip;q=0, *", false), ("br, GZIP ; q=0.1", true),
      ("identity", false),
    ] as [(String?, Bool)])
  func compressionIsAskedFor(header: String?, isTaken: Bool) {
    #expect(TextDelivery.acceptsGzip(header) == isTaken)
  }

  @Test func aRightTokenPassesAfterManyWrongOnes() async throws {
    let folder = try TemporaryDirectory()
    let file = folder.path.appending("tokens")
    try Data("phone aaaaaaaaaaaaaaaa\n".utf8).write(to: URL(fileURLWithPath: file.string))
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.string)
    let library = try await ServedLibrary([]) { $0.serving.tokenFile = file }
    let form = ["Content-Type": "application/x-www-form-urlencoded"]
    func login(_ token: String) async throws -> Int {
      try await library.ask("POST", "/app/api/login", body: Array("{\"token\": \"\(token)\"}".utf8)).status
    }
    func secret(_ token: String) async throws -> Int {
      let body = "grant_type=client_credentials&client_secret=\(token)"
      return try await library.ask("POST", "/api/token", form, body: Array(body.utf8)).status
    }
    func bearer(_ token: String) async throws -> Int {
      try await library.get("/v1/markets", ["Authorization": "Bearer \(token)"]).status
    }
    for attempt in [login, secret, bearer] {
      for _ in 0..<FailedAttempts.maximum { #expect(try await attempt("wrongwrongwrongwrong") == 401) }
      #expect(try await attempt("wrongwrongwrongwrong") == 429)
      #expect([200, 204].contains(try await attempt("aaaaaaaaaaaaaaaa")))
      #expect(try await attempt("wrongwrongwrongwrong") == 429)
    }
    try await library.stop()
  }
}

/// One client cannot use up the resources of all.
@Suite(.bounded) struct ShareTests {
  private static let (one, other) = (Client.Owner.token("phone"), Client.Owner.network([192, 0, 2, 1]))

  @Test func sessionsAreLimitedForEachClient() throws {
    let folder = try TemporaryDirectory()
    let store = try ResultStore(path: folder.path.appending("library.sqlite"), findings: [])
    let sessions = try LiveSessions(
      catalog: ServedCatalog(path: folder.path.appending("catalog")), links: LibraryLinks(store: store), threadCount: 1,
      maximumCount: 8)
    defer { sessions.endThreads() }
    _ = try sessions.open(ConfidenceLimit(), for: Self.one)
    _ = try sessions.open(ConfidenceLimit(), for: Self.one)
    let error = #expect(throws: RequestError.self) { try sessions.open(ConfidenceLimit(), for: Self.one) }
    #expect(error?.status == .tooManyRequests && error?.retryAfter != nil)
    _ = try sessions.open(ConfidenceLimit(), for: Self.other)
    sessions.close()
  }

  @Test func theNewestListenersOfAClientAreHeard() async throws {
    let hub = EventHub()
    let forever = MultiThreadedEventLoopGroup.singleton.any().makePromise(of: Void.self)
    defer { forever.succeed() }
    let first = try #require(hub.listen(Self.one, until: forever.futureResult))
    // A stream without a holder has ended.
    let others = try (0..<EventHub.maxPerClient).map { _ in
      try #require(hub.listen(Self.one, until: forever.futureResult))
    }
    #expect(hub.count == EventHub.maxPerClient && others.count == EventHub.maxPerClient)
    // The first has ended, so this does not wait.
    for await _ in first {}
    let second = try #require(hub.listen(Self.other, until: forever.futureResult))
    withExtendedLifetime(second) { #expect(hub.listen(Self.one, until: forever.futureResult) != nil) }
  }

  @Test func whoIsGoneListensNoMore() async throws {
    let hub = EventHub()
    let end = MultiThreadedEventLoopGroup.singleton.any().makePromise(of: Void.self)
    let events = try #require(hub.listen(Self.one, until: end.futureResult))
    #expect(hub.count == 1)
    end.succeed()
    for await _ in events {}
    #expect(hub.count == 0)
  }
}
