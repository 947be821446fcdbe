import AnalysisTesting
import Foundation
import Glibc
import HTTPTypes
import Hummingbird
import NIOCore
import Platform
import Synchronization
import SystemPackage
import Testing
import Text

@testable import Serving

/// Members of an object; empty for anything else.
private func members(_ value: JSONValue) -> [String: JSONValue] {
  if case .object(let members) = value { members } else { [:] }
}

@Suite(.bounded) struct ServerMetricsTests {
  @Test func aNewServerHasDoneNothing() {
    let state = ServerMetrics().state
    #expect(state.requests == [:] && state.durations.isEmpty && state.ended == [:])
    #expect(state.requestsInProgress == 0 && state.sentBytes == 0)
    #expect(state.connections == 0 && state.allConnections == 0)
  }

  @Test func connectionsAreCounted() {
    let metrics = ServerMetrics()
    metrics.connectionBegan()
    metrics.connectionBegan()
    metrics.connectionEnded()
    metrics.connectionEnded(because: .tooSlow)
    metrics.connectionEnded(because: .tooSlow)
    metrics.connectionEnded(because: .tooMany)
    let state = metrics.state
    #expect(state.connections == 1 && state.allConnections == 2)
    #expect(state.ended == [.tooSlow: 2, .tooMany: 1])
  }

  @Test func requestsAreCountedByRoute() {
    let metrics = ServerMetrics()
    for _ in 0..<3 { metrics.requestBegan() }
    let (ok, missing) = (
      ServerMetrics.Key(method: "GET", route: "/a", status: 200),
      ServerMetrics.Key(method: "GET", route: "/a", status: 404)
    )
    metrics.requestEnded(ok, seconds: 0.5)
    metrics.requestEnded(ok, seconds: 0.25)
    metrics.requestEnded(missing, seconds: 20)
    metrics.sent(5)
    metrics.sent(6)
    let state = metrics.state
    #expect(state.requestsInProgress == 0 && state.requests == [ok: 2, missing: 1] && state.sentBytes == 11)
    #expect(state.durations["/a"]?.sum == 20.75 && state.durations["/a"]?.counts.reduce(0, +) == 3)
  }

  /// A duration belongs to the first bound that it does not exceed.
  @Test func durationsHaveBounds() {
    let bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
    #expect(ServerMetrics.Durations.bounds == bounds)
    for (index, bound) in bounds.enumerated() {
      for (seconds, place) in [(bound, index), (bound.nextUp, index + 1)] {
        var durations = ServerMetrics.Durations()
        durations.add(seconds)
        #expect(durations.counts == (0...13).map { $0 == place ? 1 : 0 }, "\(seconds) s")
        #expect(durations.sum == seconds)
      }
    }
  }
}

@Suite(.bounded) struct RequestLogTests {
  private let metrics = ServerMetrics()

  private func respond(
    _ method: HTTPRequest.Method = .get, path: String? = "/a/{id}", log: AccessLog? = nil,
    _ next: @escaping (Request, ServerContext) async throws -> Response
  ) async throws -> Response {
    let head = HTTPRequest(
      method: method, scheme: "http", authority: "localhost", path: "/a/1?key=secret",
      headerFields: [.userAgent: "test"])
    return try await ServedRoutes.withContext(path: path) { context in
      context.client.token = "phone"
      return try await RequestLog(metrics, log: log).handle(
        Request(head: head, body: RequestBody(buffer: ByteBuffer())), context: context, next: next)
    }
  }

  private func count(_ method: String, _ route: String, _ status: Int) -> Int? {
    metrics.state.requests[.init(method: method, route: route, status: status)]
  }

  @Test func everyRequestIsCounted() async throws {
    let metrics = metrics
    for method in [HTTPRequest.Method.get, .head, .post, .put, .delete, .patch, .options] {
      _ = try await respond(method) { _, _ in
        #expect(metrics.state.requestsInProgress == 1)
        return Response(status: .created)
      }
      #expect(count(method.rawValue, "/a/{id}", 201) == 1)
    }
    _ = try await respond(.trace, path: nil) { _, _ in Response(status: .notFound) }
    _ = try await respond(try #require(HTTPRequest.Method("BREW")), path: "*") { _, _ in Response(status: .notFound) }
    #expect(count("other", "none", 404) == 2)
    #expect(metrics.state.requestsInProgress == 0)
    await #expect(throws: CancellationError.self) { try await respond { _, _ in throw CancellationError() } }
    #expect(count("GET", "/a/{id}", 500) == 1 && metrics.state.requestsInProgress == 0)
  }

  @Test func bodiesAreCountedOnceTheyAreSent() async throws {
    // A short body counts at once, and a long one while it is written.
    for (size, counted) in [(0, 0), (1, 1), (1 << 20, 1 << 20), ((1 << 20) + 1, 0)] {
      let before = metrics.state.sentBytes
      let response = try await respond { _, _ in
        Response(status: .ok, body: ResponseBody(byteBuffer: ByteBuffer(repeating: 7, count: size)))
      }
      #expect(metrics.state.sentBytes - before == counted)
      #expect(response.body.contentLength == size)
      #expect(try await ServedRoutes.bytes(of: response.body) == [UInt8](repeating: 7, count: size))
      #expect(metrics.state.sentBytes - before == size)
    }
    let before = metrics.state.sentBytes
    _ = try await respond(.head) { _, _ in
      Response(status: .ok, body: ResponseBody(byteBuffer: ByteBuffer(repeating: 7, count: 5)))
    }
    #expect(metrics.state.sentBytes == before)
  }

  @Test func aStreamCountsWhatWasSentUntilItFailed() async throws {
    let response = try await respond { _, _ in
      Response(
        status: .ok,
        body: ResponseBody { writer in
          try await writer.write(ByteBuffer(string: "abc"))
          try await writer.write(ByteBuffer(string: "de"))
          throw CancellationError()
        })
    }
    #expect(response.body.contentLength == nil && metrics.state.sentBytes == 0)
    await #expect(throws: CancellationError.self) { _ = try await ServedRoutes.bytes(of: response.body) }
    #expect(metrics.state.sentBytes == 5)
  }

  /// The end of a body is passed on, with its trailers.
  @Test func aStreamEnds() async throws {
    struct Ends: ResponseBodyWriter {
      let count: EndCount
      mutating func write(_ buffer: ByteBuffer) async throws {}
      consuming func finish(_ trailingHeaders: HTTPFields?) async throws {
        count.count.add(trailingHeaders?.count ?? 0, ordering: .relaxed)
      }
    }
    final class EndCount: Sendable { let count = Atomic(0) }
    let response = try await respond { _, _ in
      Response(status: .ok, body: ResponseBody { writer in try await writer.finish([.eTag: "a"]) })
    }
    let count = EndCount()
    try await response.body.write(Ends(count: count))
    #expect(count.count.load(ordering: .relaxed) == 1)
  }

  @Test func durationsAreInSeconds() async throws {
    let folder = try TemporaryDirectory()
    let path = folder.file("log")
    let log = try AccessLog(path)
    let clock = ContinuousClock()
    _ = try await respond(log: log) { _, _ in
      let end = clock.now + .milliseconds(20)
      while clock.now < end { await Task.yield() }
      return Response(status: .ok, body: ResponseBody(byteBuffer: ByteBuffer(string: "abc")))
    }
    log.close()
    #expect(metrics.state.durations["/a/{id}"]?.sum ?? 0 >= 0.02)
    let members = members(try JSONValue(parsing: try Data(contentsOf: URL(filePath: path.string))))
    let milliseconds: Double? =
      switch members["ms"] {
      case .number(let number)?: number
      case .integer(let number)?: Double(number)
      default: nil
      }
    #expect(milliseconds ?? 0 >= 20)
    #expect(members["client"] == "127.0.0.1" && members["token"] == "phone" && members["method"] == "GET")
    #expect(members["target"] == "/a/1?key=…" && members["route"] == "/a/{id}" && members["status"] == 200)
    #expect(members["bytes"] == 3 && members["user_agent"] == "test")
  }
}

@Suite(.bounded) struct AccessLogTests {
  private let folder: TemporaryDirectory
  private let path: FilePath

  init() throws {
    folder = try TemporaryDirectory()
    path = folder.file("log")
  }

  private func entry(_ target: String = "/") -> AccessLog.Entry {
    AccessLog.Entry(
      time: Timestamp(nanoseconds: 1_700_000_000_042_999_999), client: nil, token: nil, method: "GET", target: target,
      route: "/", status: 200, byteCount: 0, milliseconds: 0.5, userAgent: nil)
  }

  private func lines(_ path: FilePath) throws -> [JSONValue] {
    guard let data = FileManager.default.contents(atPath: path.string) else { return [] }
    return try data.split(separator: UInt8(ascii: "\n")).map { try JSONValue(parsing: $0) }
  }

  private func waitUntil(_ path: FilePath, has count: Int) async throws {
    while FileManager.default.contents(atPath: path.string)?.count(where: { $0 == UInt8(ascii: "\n") }) != count {
      await Task.yield()
    }
  }

  @Test func aLineSaysWhatHappened() throws {
    let log = try AccessLog(path)
    var entry = entry("/a?b=c")
    entry.client = "192.0.2.1"
    entry.token = "phone"
    entry.route = "/a"
    entry.byteCount = 12
    entry.milliseconds = 1.2346
    entry.userAgent = "test"
    log.write(entry)
    log.write(self.entry())
    log.close()
    #expect(
      try lines(path) == [
        [
          "time": "2023-11-14T22:13:20.042Z", "client": "192.0.2.1", "token": "phone", "method": "GET",
          "target": "/a?b=c", "route": "/a", "status": 200, "bytes": 12, "ms": 1.235, "user_agent": "test",
        ],
        [
          "time": "2023-11-14T22:13:20.042Z", "client": .null, "token": .null, "method": "GET", "target": "/",
          "route": "/", "status": 200, "bytes": 0, "ms": 0.5, "user_agent": .null,
        ],
      ])
  }

  /// Requests follow each other in the log, which goes on after a restart.
  @Test func linesStayInOrder() throws {
    for part in 0..<2 {
      let log = try AccessLog(path)
      for number in 0..<200 { log.write(entry("/\(part * 200 + number)")) }
      log.close()
    }
    let targets = try lines(path).map { members($0)["target"] }
    #expect(targets == (0..<400).map { JSONValue.string("/\($0)") })
    #expect(AccessLog.maxWaiting == 10_000)
  }

  /// A renamed file is left after a second, and closed.
  @Test func aRotatedFileIsReplaced() async throws {
    let (start, old) = (ContinuousClock.now, folder.file("log.1"))
    let time = Time(start)
    let log = try AccessLog(path, maxWaiting: 10) { time.now.withLock { $0 } }
    func openFiles() -> Set<String> {
      let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
      return Set(names.compactMap { try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)") })
    }
    time.set(start + .seconds(1))
    log.write(entry("/1"))
    try await waitUntil(path, has: 1)
    try FileManager.default.moveItem(atPath: path.string, toPath: old.string)
    time.set(start + .milliseconds(1_999))
    log.write(entry("/2"))
    try await waitUntil(old, has: 2)
    #expect(openFiles().contains(old.string))
    time.set(start + .seconds(2))
    log.write(entry("/3"))
    try await waitUntil(path, has: 1)
    #expect(!openFiles().contains(old.string))
    log.write(entry("/4"))
    // A deleted file is replaced as well.
    try await waitUntil(path, has: 2)
    try FileManager.default.removeItem(atPath: path.string)
    time.set(start + .seconds(3))
    log.write(entry("/5"))
    try await waitUntil(path, has: 1)
    log.close()
    #expect(try lines(old).count == 2 && lines(path).count == 1)
  }

  /// Lines that nobody reads are dropped beyond a number, and the next line says how many.
  @Test func droppedLinesAreCounted() async throws {
    #expect(mkfifo(path.string, 0o600) == 0)
    let reader = try FileDescriptor.open(path, .readOnly, options: .nonBlocking)
    defer { try? reader.close() }
    let log = try AccessLog(path, maxWaiting: 2) { .now }
    var received: [UInt8] = []
    func receive(upTo count: Int) async throws {
      var buffer = [UInt8](repeating: 0, count: count)
      while true {
        do {
          let number = try buffer.withUnsafeMutableBytes { try reader.read(into: $0) }
          received += buffer[..<number]
          if number > 0 { return }
        } catch Errno.wouldBlock {}
        await Task.yield()
      }
    }
    for _ in 0..<2 {
      received = []
      // More than a pipe holds, so its first byte shows that the log waits with the rest.
      log.write(entry(String(repeating: "x", count: 300_000)))
      try await receive(upTo: 1)
      for target in ["/1", "/2", "/3"] { log.write(entry(target)) }
      while received.count(where: { $0 == UInt8(ascii: "\n") }) < 3 { try await receive(upTo: 1 << 16) }
      let lines = try received.split(separator: UInt8(ascii: "\n")).dropFirst().map { try JSONValue(parsing: $0) }
      #expect(lines.map { members($0)["target"] } == ["/1", "/2"])
      #expect(lines.map { members($0)["dropped"] } == [1, nil])
    }
    log.close()
  }

  private final class Time: Sendable {
    let now: Mutex<ContinuousClock.Instant>
    init(_ now: ContinuousClock.Instant) { self.now = Mutex(now) }
    func set(_ time: ContinuousClock.Instant) { now.withLock { $0 = time } }
  }
}
