import Analysis
import AnalysisTesting
import Dispatch
import Foundation
import GRDB
import LibraryStore
import ResultStore
import SystemPackage
import Testing
import Text

@testable import Server
@testable import Serving

/// Work of one kind does not keep other kinds waiting. More of each waits here than any lane has threads.
@Suite(.bounded) struct LaneTests {
  private static let files = (1...8).map { number in
    ServedLibrary.File(
      path: FilePath("/music/\(number).flac"),
      tags: ["title": ["Song \(number)"], "artist": ["Band"], "album": ["Album"]])
  }
  private static let ids = files.map { ContentID(ofPath: $0.path).description }

  private struct Change: Sendable {
    var method: String
    var target: String
    var body: [UInt8]
    /// Subsonic's responses have status 200 even for errors.
    var isSubsonic: Bool { target.hasPrefix("/rest/") }

    init(_ method: String, _ target: String, _ body: String = "") {
      self.method = method
      self.target = target
      self.body = Array(body.utf8)
    }

    func ask(_ library: ServedLibrary) async throws -> ServedLibrary.Answer {
      try await library.ask(method, target, ["Content-Type": "application/json"], body: body)
    }
  }

  /// Each of them works, in any order.
  private static let changes = [
    Change("POST", "/v1/users/nocturne/playlists", #"{"name": "Mix"}"#),
    Change("PUT", "/v1/me/tracks?ids=\(ids[0])"), Change("DELETE", "/v1/me/tracks?ids=\(ids[1])"),
    Change("PUT", "/v1/me/library?uris=\(ids[2])"),
    Change("PUT", "/v1/me/following?type=artist&ids=\(SongArtist(named: "Band").id)"),
    Change("POST", "/app/api/playlists", #"{"name": "Mix", "tracks": ["\#(ids[3])"]}"#),
    Change("PUT", "/app/api/tracks/\(ids[4])/tempo", #"{"no_tempo": true}"#),
    Change("GET", "/rest/star?f=json&id=\(ids[5])"),
    Change("GET", "/rest/createPlaylist?f=json&name=Mix&songId=\(ids[6])"),
  ]

  private static let questions = [
    "/v1/search?q=song&type=track,album,artist", "/healthz", "/", "/openapi.json", "/app/api/search?q=song",
    "/app/api/tracks", "/app/api/playlists", "/app/api/status", "/v1/me/playlists", "/v1/me/tracks",
    "/v1/me/library/contains?uris=\(ids[0])", "/rest/search3?f=json&query=song", "/rest/getStarred?f=json",
  ]

  /// Another program in the middle of a write.
  private func lock(_ library: ServedLibrary) throws -> DatabaseQueue {
    var configuration = Configuration()
    configuration.allowsUnsafeTransactions = true
    let program = try DatabaseQueue(path: library.store.path.string, configuration: configuration)
    try program.writeWithoutTransaction { try $0.execute(sql: "BEGIN IMMEDIATE") }
    return program
  }

  private func unlock(_ program: DatabaseQueue) throws {
    try program.writeWithoutTransaction { try $0.execute(sql: "ROLLBACK") }
  }

  /// Requests that are waiting or running in a lane, from `/metrics`.
  private func count(_ lane: String, _ library: ServedLibrary) async throws -> Int? {
    let text = String(decoding: try await library.get("/metrics").body, as: UTF8.self)
    let line = text.split(separator: "\n").first { $0.hasPrefix("nocturne_server_waiting{lane=\"\(lane)\"}") }
    return line?.split(separator: " ").last.flatMap { Int($0) }
  }

  private func waitUntil(_ lane: String, has number: Int, _ library: ServedLibrary) async throws {
    while try await count(lane, library) != number { try await Task.sleep(for: .milliseconds(5)) }
  }

  // MARK: Writing

  @Test func questionsAreAnsweredWhileTheDatabaseIsLocked() async throws {
    let library = try await ServedLibrary(Self.files) { $0.writeTimeout = .seconds(3600) }
    let program = try lock(library)
    let writes = Self.changes.map { change in Task { try await change.ask(library) } }
    try await waitUntil("writing", has: writes.count, library)
    for target in Self.questions { #expect(try await library.get(target).status == 200, "\(target)") }
    // All of this while each of them waits.
    #expect(try await count("writing", library) == writes.count)
    try unlock(program)
    for (change, write) in zip(Self.changes, writes) {
      let answer = try await write.value
      #expect(200..<300 ~= answer.status, "\(change.target): \(answer.status) \(answer.json)")
      if change.isSubsonic { #expect(answer.json["subsonic-response"]["status"] == .string("ok"), "\(change.target)") }
    }
    #expect(try library.store.playlistCount() == 3 && library.store.savedTracks().count == 3)
    try await library.stop()
  }

  @Test func whoWaitsTooLongToWriteIsToldWhy() async throws {
    let library = try await ServedLibrary(Self.files) { $0.writeTimeout = .milliseconds(300) }
    let program = try lock(library)
    let writes = Self.changes.map { change in Task { try await change.ask(library) } }
    for (change, write) in zip(Self.changes, writes) {
      let answer = try await write.value
      #expect(answer.headers["retry-after"] != nil, "\(change.target)")
      let error = change.isSubsonic ? answer.json["subsonic-response"]["error"] : answer.json["error"]
      #expect(error["message"] == .string(RequestError.lockedDatabase.message), "\(change.target)")
      #expect(answer.status == (change.isSubsonic ? 200 : 503), "\(change.target)")
    }
    #expect(try library.store.playlistCount() == 0 && library.store.savedTracks().isEmpty)
    try unlock(program)
    for change in Self.changes {
      let answer = try await change.ask(library)
      #expect(200..<300 ~= answer.status, "\(change.target): \(answer.status) \(answer.json)")
    }
    #expect(try library.store.playlistCount() == 3)
    try await library.stop()
  }

  // MARK: Pictures

  @Test func questionsAndChangesDoNotWaitForPictures() async throws {
    let folder = try TemporaryDirectory()
    let gate = folder.file("gate")
    let library = try await ServedLibrary(Self.files) {
      $0.coverCommand = ["/bin/sh", "-c", "while [ ! -e '\(gate)' ]; do sleep 0.02; done", "sh"]
      $0.coverTimeout = .seconds(3600)
      $0.coverThreadCount = 2
    }
    let pictures = Self.ids.map { id in Task { try await library.get("/media/covers/\(id)?missing=empty") } }
    try await waitUntil("picturing", has: pictures.count, library)
    for target in Self.questions { #expect(try await library.get(target).status == 200, "\(target)") }
    #expect(try await Self.changes[0].ask(library).status == 201)
    #expect(try await count("picturing", library) == pictures.count)
    try Data().write(to: URL(filePath: gate.string))
    for picture in pictures { #expect(try await picture.value.status == 204) }
    // Cached covers do not wait.
    #expect(try await library.get("/media/covers/\(Self.ids[0])").status == 404)
    try await library.stop()
  }

  @Test func picturesAreMadeWithALowerPriority() async throws {
    let folder = try TemporaryDirectory()
    let niceness = folder.file("niceness")
    let library = try await ServedLibrary(Self.files) {
      $0.coverCommand = ["/bin/sh", "-c", "nice > '\(niceness)'", "sh"]
    }
    #expect(try await library.get("/media/covers/\(Self.ids[0])").status == 404)
    let text = try String(contentsOf: URL(filePath: niceness.string), encoding: .utf8)
    #expect(try #require(Int(text.trimmingCharacters(in: .whitespacesAndNewlines))) >= 10)
    try await library.stop()
  }

  // MARK: Bounds

  @Test func aLaneRefusesWhatItCannotDoInTime() async throws {
    let lane = try Lane(threadCount: 1, maxQueueLength: 1, maxWait: .milliseconds(300), overdue: .lockedDatabase)
    let gate = DispatchSemaphore(value: 0)
    let first = Task { try await lane.run { gate.wait() } }
    while lane.count != 1 { await Task.yield() }
    var refusals: [RequestError?] = []
    for task in (1...2).map({ _ in Task { try await lane.run {} } }) {
      refusals.append(await #expect(throws: RequestError.self) { try await task.value })
    }
    // One is too many, and the other waits too long.
    #expect(refusals.contains(.overload) && refusals.contains(.lockedDatabase))
    gate.signal()
    try await first.value
    #expect(try await lane.run { 1 } == 1)
    #expect(lane.count == 0)
    lane.close()
  }
}
