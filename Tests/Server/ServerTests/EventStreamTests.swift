import Analysis
import AnalysisTesting
import Foundation
import Glibc
import Landmarks
import LibraryTesting
import SystemPackage
import Testing
import Text

@testable import Recognition
@testable import Server

/// Streams of events over HTTP.
@Suite(.bounded) struct EventStreamTests {
  /// The response to a request, as far as it has arrived.
  private final class Stream: Sendable {
    private let descriptor: CInt

    init(_ target: String, port: Int) throws {
      descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = in_port_t(port).bigEndian
      address.sin_addr.s_addr = in_addr_t(INADDR_LOOPBACK).bigEndian
      let isConnected = withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
        }
      }
      guard isConnected else { throw Errno(rawValue: errno) }
      let request = "GET \(target) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nConnection: close\r\n\r\n"
      _ = try FileDescriptor(rawValue: descriptor).writeAll(request.utf8)
    }

    deinit { close(descriptor) }

    /// The next part of the response, up to the text `end` or the end of the response.
    func part(until end: String? = nil) async throws -> String {
      let descriptor = descriptor
      return await withCheckedContinuation { done in
        // Sockets block; the pool of tasks must not.
        Thread.detachNewThread {
          var text: [UInt8] = []
          var byte: UInt8 = 0
          while end.map({ !text.suffix($0.utf8.count).elementsEqual($0.utf8) }) ?? true {
            guard recv(descriptor, &byte, 1, 0) == 1 else { break }
            text.append(byte)
          }
          done.resume(returning: String(decoding: text, as: UTF8.self))
        }
      }
    }

    /// The data of the next event of this name.
    func data(of name: String) async throws -> JSONValue {
      _ = try await part(until: "event: \(name)\ndata: ")
      return try JSONValue(parsing: await part(until: "\n").utf8)
    }
  }

  /// Pages learn at once of a tempo that another page has changed. Streams end with the server.
  @Test func tempiAreAnnounced() async throws {
    let tempo = TempoFinding(bpm: 120, confidence: 0.5, candidates: [], isStable: true, map: [], beats: [])
    let file = LibraryFile(path: "/music/1.flac", tags: ["title": ["Song"]], findings: [("tempo", tempo)])
    let library = try await ServedLibrary([file])
    let stream = try Stream("/app/api/events", port: library.port)
    #expect(try await stream.part(until: "\n\n").contains("200 OK"))
    let hello = try await stream.data(of: "hello")
    #expect(hello["tracks"] == 1 && hello["program"] == "Nocturne")
    let target = "/app/api/tracks/\(file.id)/tempo"
    func change(_ method: String, _ target: String, _ body: String = "") async throws -> JSONValue {
      let answer = try await library.ask(
        method, target, ["Content-Type": "application/json"], body: Array(body.utf8))
      #expect(answer.status == 200, "\(method) \(target)")
      return try await stream.data(of: "tempo")
    }
    for (method, target, body, isLocked) in [
      ("PUT", target, #"{"no_tempo": true}"#, true), ("POST", "\(target)/undo", "{}", false),
      ("PUT", target, #"{"no_tempo": true}"#, true), ("DELETE", target, "", false),
    ] {
      let event = try await change(method, target, body)
      #expect(event["id"].text == file.id && event["locked"] == .bool(isLocked))
      #expect(event["bpm"] == (isLocked ? .null : .number(120)))
    }
    // Nothing is removed twice.
    #expect(try await library.ask("DELETE", target).json["saved"] == false)
    let stopping = ContinuousClock.now
    try await library.stop()
    _ = try await stream.part()
    #expect(ContinuousClock.now - stopping < .seconds(8))
  }

  private static let samples = Signal.chords(sampleRate: 8_000, seconds: 30).mono

  /// A live session hears a track of the library.
  @Test func sessionsHearTracks() async throws {
    let file = LibraryFile(path: "/music/chords.flac", tags: ["title": ["Chords"]])
    let library = try await ServedLibrary([file])
    var generator = SignatureGenerator(sampleRate: 8_000)
    generator.append(Self.samples.span)
    let signature = Data(generator.signature().bytes).base64EncodedString()
    let item = #"{"title": "Chords", "properties": {"path": "/music/chords.flac"}}"#
    let added = try await library.ask(
      "POST", "/v1/catalog", ["Content-Type": "application/json"],
      body: Array(#"{"reference": "a", "signature": "\#(signature)", "items": [\#(item)]}"#.utf8))
    #expect(added.status == 201)
    let clip = Self.samples[(5 * 8_000)..<(15 * 8_000)].flatMap { sample in
      withUnsafeBytes(of: sample.bitPattern.littleEndian) { Array($0) }
    }
    let type = ["Content-Type": "audio/pcm;rate=8000;encoding=f32le"]
    // The matches of clips have the ids of the library, too.
    let match = try await library.ask("POST", "/v1/match", type, body: clip)
    #expect(match.json["result"] == "match" && String(decoding: match.body, as: UTF8.self).contains(file.id))
    let path = try #require(try await library.ask("POST", "/v1/sessions").headers["location"])
    let stream = try Stream("\(path)/events", port: library.port)
    #expect(try await stream.part(until: "retry: 1000\n\n").contains("text/event-stream"))
    #expect(try await library.ask("POST", "\(path)/audio", type, body: clip).status == 202)
    let event = try await stream.data(of: "match")
    var json = JSONWriter()
    json.value(event)
    #expect(json.text.contains(file.id) && json.text.contains("Chords"))
    // The stream ends with the server.
    try await library.stop()
    _ = try await stream.part()
  }
}
