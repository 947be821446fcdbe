import AnalysisTesting
import Dispatch
import Foundation
import Glibc
import Platform
import Synchronization
import Testing

@testable import Recognition
@testable import RemoteCatalogs

@Suite(.bounded) struct RemoteCatalogTests {
  private func reason(_ catalog: RemoteCatalog) -> String {
    do throws(PartFailure) {
      try catalog.check()
      return ""
    } catch {
      return error.description
    }
  }

  private func reason(_ reply: PartReply) -> String {
    do throws(PartFailure) {
      _ = try reply.get()
      return ""
    } catch {
      return error.description
    }
  }

  private func catalog(_ server: ScriptedServer) throws -> RemoteCatalog {
    RemoteCatalog(try ServerAddress("http://127.0.0.1:\(server.port)"), token: nil)
  }

  private func catalog(_ port: Int, _ clock: SetClock = SetClock()) throws -> RemoteCatalog {
    RemoteCatalog(try ServerAddress("http://127.0.0.1:\(port)"), token: nil) { clock.now }
  }

  /// Servers up to 0.2.0 answer so to a question with a checksum.
  @Test func anOlderServerIsNamed() throws {
    let message =
      "The question to the catalog cannot be read: it is no question to a catalog, or one of another version of Nocturne."
    let server = try ScriptedServer { _ in
      [.answer(400, ["Content-Type": "application/json"], Array("{\"error\":{\"message\":\"\(message)\"}}".utf8))]
    }
    #expect(try reason(catalog(server)).hasPrefix("it runs another version of Nocturne"))
  }

  /// A server that fails is asked more and more rarely, so a slow one cannot take most of the time.
  @Test func pausesGrow() {
    let refused = (1...9).map { RemoteCatalog.pause(afterFailures: $0, last: .zero) }
    #expect(refused == [5, 10, 20, 40, 80, 160, 300, 300, 300].map { .seconds($0) })
    let late = (1...5).map { RemoteCatalog.pause(afterFailures: $0, last: .seconds(10)) }
    #expect(late == [30, 30, 30, 40, 80].map { .seconds($0) })
    #expect(RemoteCatalog.pause(afterFailures: 1_000, last: .seconds(10)) == .seconds(300))
    let short = [900, 1_600, 1_900].map { RemoteCatalog.pause(afterFailures: 1, last: .milliseconds($0)) }
    #expect(short == [.seconds(5), .seconds(5), .milliseconds(5_700)])
  }

  @Test func aFailedServerIsNotAskedAtOnce() throws {
    let server = try ScriptedServer { _ in [.answer(500)] }
    let catalog = try catalog(server)
    for _ in 0..<5 { #expect(reason(catalog).contains("500")) }
    #expect(server.requests.count == 1)
  }

  @Test func pausesEnd() throws {
    let clock = SetClock()
    let server = try ScriptedServer { _ in [.answer(500)] }
    let catalog = try catalog(server.port, clock)
    for (seconds, pause, count) in [
      (0, nil, 1), (4.9, nil, 1), (5, 10, 2), (14.9, 10, 2), (15, 20, 3), (34.9, 20, 3), (35, 40, 4),
    ] as [(Double, Int?, Int)] {
      clock.set(seconds)
      let suffix = pause.map { " (next attempt in \($0) s)" } ?? ""
      #expect(reason(catalog.ask([])) == "it answers with 500\(suffix)", "after \(seconds) s")
      #expect(server.requests.count == count, "after \(seconds) s")
    }
  }

  @Test func anAnswerEndsAnOutage() throws {
    let clock = SetClock()
    let server = try ScriptedServer { [.answer($0.number == 2 ? 200 : 500, [:], [7])] }
    let catalog = try catalog(server.port, clock)
    #expect(reason(catalog.ask([])) == "it answers with 500")
    clock.set(5)
    #expect(try catalog.ask([]).get() == [7])
    #expect(reason(catalog.ask([])) == "it answers with 500" && server.requests.count == 3)
  }

  /// After a pause, one question at a time tests whether the server is back; the next one follows a second after the
  /// time limit for its answer.
  @Test func oneQuestionTestsAServer() async throws {
    let clock = SetClock()
    let gate = DispatchSemaphore(value: 0)
    let server = try ScriptedServer { request in
      if request.number == 2 { gate.wait() }
      return [.answer(500)]
    }
    let catalog = try catalog(server.port, clock)
    #expect(reason(catalog.ask([])) == "it answers with 500")
    clock.set(5)
    let test = catalog.ask([])
    while server.requests.count < 2 { await Task.yield() }
    for seconds in [5, 15.9] {
      clock.set(seconds)
      #expect(reason(catalog.ask([])) == "it answers with 500" && server.requests.count == 2, "after \(seconds) s")
    }
    clock.set(16)
    #expect(reason(catalog.ask([])) == "it answers with 500 (next attempt in 10 s)" && server.requests.count == 3)
    // A failure of a question that is older than the outage does not prolong it.
    gate.signal()
    #expect(reason(test) == "it answers with 500 (next attempt in 10 s)")
  }

  /// Questions that fail together are one failure.
  @Test(arguments: [(1.0, ""), (4, " (next attempt in 12 s)")])
  func failuresOfOneOutageAreCountedOnce(seconds: Double, suffix: String) throws {
    let clock = SetClock()
    let server = try ScriptedServer { _ in [.answer(500)] }
    let catalog = try catalog(server.port, clock)
    let replies = [catalog.ask([]), catalog.ask([]), catalog.ask([])]
    clock.set(seconds)
    #expect(replies.map { reason($0) } == [String](repeating: "it answers with 500\(suffix)", count: 3))
  }

  // MARK: Questions and answers

  @Test func questionsAreRequests() throws {
    let server = try ScriptedServer { _ in [.answer(200, [:], Array("there".utf8))] }
    for token in ["secret", nil] {
      let catalog = RemoteCatalog(try ServerAddress("http://127.0.0.1:\(server.port)"), token: token)
      #expect(try catalog.ask(Array("ask!".utf8)).get() == Array("there".utf8))
      let request = try #require(server.requests.last)
      #expect(request.method == "POST" && request.target == "/v1/catalog/part")
      #expect(request.headers["host"] == "127.0.0.1:\(server.port)" && request.headers["content-length"] == "4")
      #expect(request.headers["content-type"] == "application/octet-stream")
      #expect(request.headers["authorization"] == token.map { "Bearer \($0)" })
    }
    #expect(server.requests.count == 2)
  }

  private static func message(_ text: String) -> String { #"{"error": {"message": "\#(text)"}}"# }

  @Test(arguments: [
    (401, "", "it rejects the token, or requires one: see the setting catalog_tokens"),
    (404, "", "it is not a Nocturne server, or its version has no remote catalogs"),
    (405, "", "it is not a Nocturne server, or its version has no remote catalogs"),
    (503, "", "it answers with 503"), (500, "{", "it answers with 500"), (500, "[]", "it answers with 500"),
    (500, #"{"error": "It is full."}"#, "it answers with 500"), (500, #"{"error": {}}"#, "it answers with 500"),
    (503, message("It is full."), "it answers with 503: It is full"),
    (400, message("It is full"), "it answers with 400: It is full"),
    (500, message(String(repeating: "x", count: 300)), "it answers with 500: " + String(repeating: "x", count: 300)),
    (500, message(String(repeating: "x", count: 301)), "it answers with 500: " + String(repeating: "x", count: 300)),
  ])
  func refusalsHaveReasons(status: Int, body: String, text: String) throws {
    let server = try ScriptedServer { _ in [.answer(status, [:], Array(body.utf8))] }
    #expect(try reason(catalog(server.port).ask([])) == text)
  }

  @Test func missingServersHaveReasons() throws {
    let (socket, port) = try localSocket()
    defer { close(socket) }
    // Nobody listens at the port.
    #expect(try reason(catalog(port).ask([])) == "no connection (Connection refused)")
    let server = try ScriptedServer { _ in [] }
    #expect(try reason(catalog(server.port).ask([])) == "it closed the connection")
  }

  @Test func lateAnswersAreNotAwaited() async throws {
    let server = try KeepingServer("")
    let clock = SetClock()
    let catalog = RemoteCatalog(
      try ServerAddress("http://127.0.0.1:\(server.port)"), token: nil, answerSeconds: 0, now: { clock.now })
    #expect(reason(catalog.ask(KeepingServer.question)) == "it does not answer within 0 s")
    while server.counts.closed < 1 { await Task.yield() }
  }

  /// Up to 16 connections stay open.
  @Test func connectionsAreUsedAgain() async throws {
    let server = try KeepingServer("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi", together: 18)
    let catalog = try catalog(server.port)
    for count in [18, 20] {
      let replies = (0..<18).map { _ in catalog.ask(KeepingServer.question) }
      for reply in replies { #expect(try reply.get() == Array("hi".utf8)) }
      #expect(server.counts.opened == count)
    }
    while server.counts.closed < 4 { await Task.yield() }
    #expect(server.counts.closed == 4)
  }

  @Test func connectionsEndIfTheServerWantsIt() async throws {
    let server = try KeepingServer("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nhi")
    let catalog = try catalog(server.port)
    for count in 1...2 {
      #expect(try catalog.ask(KeepingServer.question).get() == Array("hi".utf8))
      while server.counts.closed < count { await Task.yield() }
      #expect(server.counts.opened == count)
    }
  }

  /// Answers have up to 32 MiB.
  @Test func answersHaveALimit() async throws {
    let limit = 32 << 20
    for (size, isTaken) in [(limit, true), (limit + 1, false)] {
      let server = try KeepingServer(
        "HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\n\r\n", [UInt8](repeating: 7, count: size))
      let reply = try catalog(server.port).ask(KeepingServer.question)
      guard isTaken else {
        #expect(reason(reply) == "it closed the connection")
        while server.counts.closed < 1 { await Task.yield() }
        continue
      }
      let body = try reply.get()
      #expect(body.count == size && body.first == 7 && body.last == 7)
    }
  }
}

/// A clock that tests set, in seconds.
private final class SetClock: Sendable {
  private let start = ContinuousClock.now
  private let seconds = Mutex(0.0)

  var now: ContinuousClock.Instant { start + .seconds(seconds.withLock { $0 }) }

  func set(_ value: Double) { seconds.withLock { $0 = value } }
}

/// A socket that is bound to a free port of this machine.
private func localSocket() throws -> (socket: CInt, port: Int) {
  let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
  var address = sockaddr_in()
  address.sin_family = sa_family_t(AF_INET)
  address.sin_addr.s_addr = in_addr_t(INADDR_LOOPBACK).bigEndian
  var length = socklen_t(MemoryLayout<sockaddr_in>.size)
  let isBound = withUnsafeMutablePointer(to: &address) { pointer in
    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      bind(socket, $0, length) == 0 && getsockname(socket, $0, &length) == 0
    }
  }
  guard isBound else { throw POSIXError(.EADDRNOTAVAIL) }
  return (socket, Int(UInt16(bigEndian: address.sin_port)))
}

/// A local HTTP server that leaves closing connections to its clients.
private final class KeepingServer: Sendable {
  struct Counts {
    var opened = 0
    var closed = 0
    /// Questions that wait for others.
    var waiting = 0
  }

  /// The only question that it understands.
  static let question = Array("ask!".utf8)

  let port: Int
  private let listener: CInt
  private let served: Served

  var counts: Counts { served.counts.withLock { $0 } }

  private final class Served: Sendable {
    let counts = Mutex(Counts())
    private let arrival = DispatchSemaphore(value: 0)
    private let answer: [UInt8]
    private let together: Int

    init(answer: [UInt8], together: Int) {
      self.answer = answer
      self.together = together
    }

    func serve(_ connection: CInt) {
      var question: [UInt8] = []
      var piece = [UInt8](repeating: 0, count: 1 << 14)
      while true {
        let count = read(connection, &piece, piece.count)
        guard count > 0 else { break }
        question += piece[..<count]
        guard question.suffix(8).elementsEqual("\r\n\r\nask!".utf8) else { continue }
        question = []
        waitForOthers()
        send(over: connection)
      }
      close(connection)
      counts.withLock { $0.closed += 1 }
    }

    private func waitForOthers() {
      let isLast = counts.withLock { counts in
        counts.waiting += 1
        guard counts.waiting == together else { return false }
        counts.waiting = 0
        return true
      }
      guard isLast else { return arrival.wait() }
      for _ in 1..<together { arrival.signal() }
    }

    private func send(over connection: CInt) {
      var rest = answer[...]
      while !rest.isEmpty {
        let count = rest.withUnsafeBytes { write(connection, $0.baseAddress, $0.count) }
        guard count > 0 else { return }
        rest = rest.dropFirst(count)
      }
    }
  }

  /// - Parameters:
  ///   - head: The answer to each question; nothing is sent if it is empty.
  ///   - body: The rest of the answer.
  ///   - together: Number of questions that are answered at once.
  init(_ head: String, _ body: [UInt8] = [], together: Int = 1) throws {
    _ = signal(SIGPIPE, SIG_IGN)
    let (socket, port) = try localSocket()
    guard listen(socket, 64) == 0 else { throw POSIXError(.EADDRNOTAVAIL) }
    (listener, self.port) = (socket, port)
    let served = Served(answer: Array(head.utf8) + body, together: together)
    self.served = served
    Thread.detachNewThread {
      while true {
        let connection = accept(socket, nil, nil)
        guard connection >= 0 else { return }
        served.counts.withLock { $0.opened += 1 }
        Thread.detachNewThread { served.serve(connection) }
      }
    }
  }

  deinit {
    shutdown(listener, Int32(SHUT_RDWR))
    close(listener)
  }
}
