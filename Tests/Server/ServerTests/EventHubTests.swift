import AnalysisTesting
import NIOCore
import NIOPosix
import Serving
import Testing

@testable import Server

/// Events for the pages of the app.
@Suite(.bounded) struct EventHubTests {
  private let hub = EventHub()
  private let forever = MultiThreadedEventLoopGroup.singleton.any().makePromise(of: Void.self)

  private func listen(_ owner: String) -> AsyncStream<ServerEvent>? {
    hub.listen(.token(owner), until: forever.futureResult)
  }

  @Test func listenersHaveALimit() throws {
    defer { forever.succeed() }
    var streams: [AsyncStream<ServerEvent>] = []
    for client in 0..<8 {
      for _ in 0..<16 { streams.append(try #require(listen("\(client)"))) }
    }
    #expect(hub.count == 128 && listen("8") == nil)
    // A new listener of a client takes the place of its oldest.
    streams.append(try #require(listen("0")))
    #expect(hub.count == 128 && listen("8") == nil)
  }

  @Test func allListenersGetTheNewestEvents() async throws {
    defer { forever.succeed() }
    let (first, second) = (try #require(listen("a")), try #require(listen("b")))
    for number in 0..<70 { hub.send(ServerEvent(.library, .integer, number)) }
    hub.close()
    #expect(hub.isClosed && listen("c") == nil)
    for stream in [first, second] {
      var events: [String] = []
      for await event in stream { events.append(String(buffer: event.buffer)) }
      #expect(events == (6..<70).map { "event: library\ndata: \($0)\n\n" })
    }
    #expect(hub.count == 0)
    #expect(String(buffer: ServerEvent.heartbeat.buffer) == ": still here\n\n")
  }
}
