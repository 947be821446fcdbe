import AnalysisTesting
import Testing
import Text

@testable import Server

/// `/v1/sessions`.
@Suite(.bounded) struct SessionRoutesTests {
  private let pcm = ["Content-Type": "audio/pcm;rate=8000"]
  /// A tenth of a second.
  private let chunk = [UInt8](repeating: 0, count: 1_600)

  /// A server with a catalog, and the path of a session.
  private func opened() async throws -> (ServedLibrary, String) {
    let library = try await ServedLibrary([])
    let added = try await library.ask(
      "POST", "/v1/catalog", ["Content-Type": "application/json"], body: Array(SnapshotRequests.reference.utf8))
    #expect(200..<300 ~= added.status)
    let session = try await library.ask("POST", "/v1/sessions?min_confidence=1")
    #expect(session.status == 201 && session.json["next_sequence"] == 0 && session.json["last_event_id"] == 0)
    let path = try #require(session.headers["location"])
    #expect(path == "/v1/sessions/\(session.json["id"].text)")
    return (library, path)
  }

  @Test func chunksHaveNumbers() async throws {
    let (library, path) = try await opened()
    for (query, status, sequence, isDuplicate) in [
      ("?sequence=1", 409, nil, false), ("?sequence=-1", 400, nil, false), ("?sequence=x", 400, nil, false),
      ("?sequence=0", 202, 0, false), ("?sequence=0", 202, 0, true), ("", 202, 1, false),
      ("?sequence=2", 202, 2, false),
      ("?sequence=1", 202, 1, true), ("?sequence=4", 409, nil, false),
    ] as [(String, Int, Int64?, Bool)] {
      let answer = try await library.ask("POST", "\(path)/audio\(query)", pcm, body: chunk)
      #expect(answer.status == status, "\(query)")
      guard let sequence else { continue }
      #expect(answer.json["sequence"] == .integer(sequence) && answer.json["duplicate"] == .bool(isDuplicate))
    }
    let progress = try await library.get(path).json
    #expect(progress["next_sequence"] == 3 && progress["received_s"] == 0.3)
    #expect(try await library.ask("POST", "\(path)/audio", ["Content-Type": "audio/pcm"], body: chunk).status == 400)
    #expect(try await library.ask("POST", "\(path)/audio", ["Content-Type": "audio/ogg"], body: chunk).status == 415)
    let large = [UInt8](repeating: 0, count: 4 << 20 + 1)
    #expect(try await library.ask("POST", "\(path)/audio", pcm, body: large).status == 413)
    try await library.stop()
  }

  /// A client that comes back gets what it has missed.
  @Test func eventsAreReadFromAnyNumberOn() async throws {
    let (library, path) = try await opened()
    #expect(try await library.ask("DELETE", path).status == 204)
    func events(_ query: String = "", _ headers: [String: String] = [:]) async throws -> ServedLibrary.Answer {
      try await library.get("\(path)/events\(query)", headers)
    }
    let all = try await events()
    let text = String(decoding: all.body, as: UTF8.self)
    #expect(all.status == 200 && all.headers["content-type"] == "text/event-stream; charset=utf-8")
    #expect(all.headers["x-accel-buffering"] == "no" && all.headers["cache-control"] == "no-store")
    #expect(text.contains("retry: 1000\n\n") && text.contains("id: 1\nevent: end\ndata: {"))
    #expect(text.contains("The client has ended it."))
    for (query, header, isTold) in [
      ("?last_event_id=0", nil, true), ("?last_event_id=1", nil, false), ("", "0", true), ("", "1", false),
      ("?last_event_id=1", "0", true),
    ] as [(String, String?, Bool)] {
      let answer = try await events(query, header.map { ["Last-Event-ID": $0] } ?? [:])
      #expect(String(decoding: answer.body, as: UTF8.self).contains("event: end") == isTold, "\(query) \(header ?? "")")
    }
    for id in ["-1", "x", ""] {
      #expect(try await events("?last_event_id=\(id)").status == 400, "\(id)")
      if !id.isEmpty { #expect(try await events("", ["Last-Event-ID": id]).status == 400, "\(id)") }
    }
    #expect(try await library.ask("POST", "\(path)/audio", pcm, body: chunk).status == 410)
    #expect(try await library.get("/v1/sessions/none/events").status == 404)
    try await library.stop()
  }
}
