import Analysis
import AnalysisEngine
import AnalysisTesting
import BuiltInAnalyzers
import LibraryStore
import LibraryTesting
import NIOCore
import NIOPosix
import Platform
import Records
import ResultStore
import SystemPackage
import Testing
import Text

@testable import AnalysisTasks
@testable import Server
@testable import Serving

/// Changes that the pages of the app make.
@Suite(.bounded) struct AppChangesTests {
  private static let problem = Problem(stage: .open, code: "empty", message: "The file is empty.")
  private static let files =
    (1...4).map { LibraryFile(path: FilePath("/music/\($0).flac"), tags: ["title": ["Song \($0)"]]) } + [
      LibraryFile(path: "/music/failed.mp3", tags: [:], failure: problem)
    ]
  private static let ids = files.map(\.id)

  private func ask(
    _ library: ServedLibrary, _ method: String, _ target: String, _ body: String = ""
  ) async throws -> ServedLibrary.Answer {
    try await library.ask(
      method, "/app/api/\(target)", ["Content-Type": "application/json"], body: Array(body.utf8))
  }

  private func list(_ ids: some Sequence<String>) -> String {
    "[" + ids.map { "\"\($0)\"" }.joined(separator: ", ") + "]"
  }

  @Test func playlistsAreEdited() async throws {
    let library = try await ServedLibrary(Self.files)
    let references = Self.files.map {
      TrackReference(path: $0.path, contentID: $0.failure == nil ? $0.contentID : nil)
    }
    let id = try library.store.createPlaylist(named: "Mix", tracks: references).id
    func names() async throws -> [String] {
      try await library.get("/app/api/playlists/\(id)").json["entries"].list.map { $0["track"]["file"].text }
    }
    // Failed files are shown.
    #expect(try await names() == ["1.flac", "2.flac", "3.flac", "4.flac", "failed.mp3"])
    #expect(try await ask(library, "PUT", "playlists/\(id)/order", #"{"start": 0, "before": 2}"#).status == 200)
    #expect(try await names() == ["2.flac", "1.flac", "3.flac", "4.flac", "failed.mp3"])
    #expect(
      try await ask(library, "PUT", "playlists/\(id)/order", #"{"start": 3, "length": 2, "before": 0}"#).status == 200)
    #expect(try await names() == ["4.flac", "failed.mp3", "2.flac", "1.flac", "3.flac"])
    for (method, target, body, status) in [
      ("PUT", "order", "{}", 422), ("PUT", "order", #"{"start": -1, "before": 0}"#, 422),
      ("PUT", "order", #"{"start": 0}"#, 422), ("PUT", "order", #"{"start": 0, "before": 1000001}"#, 422),
      ("PUT", "order", #"{"start": 0, "before": 1000000}"#, 400),
      ("POST", "entries", #"{"tracks": [], "position": -1}"#, 422),
      ("POST", "entries", #"{"tracks": [], "position": 1.5}"#, 422),
      ("POST", "entries", #"{"tracks": [7]}"#, 422), ("POST", "entries", "{}", 422),
      ("POST", "entries", #"{"tracks": [], "snapshot": "x"}"#, 422),
      ("POST", "entries", #"{"tracks": [], "snapshot": 7}"#, 422), ("DELETE", "entries", "{}", 422),
      ("DELETE", "entries", #"{"positions": [-1]}"#, 422), ("DELETE", "entries", #"{"positions": ["0"]}"#, 422),
      ("DELETE", "entries", #"{"positions": [0, 1]}"#, 200),
    ] {
      #expect(try await ask(library, method, "playlists/\(id)/\(target)", body).status == status, "\(target) \(body)")
    }
    #expect(try await names() == ["2.flac", "1.flac", "3.flac"])
    #expect(
      try await ask(library, "POST", "playlists/\(id)/entries", #"{"tracks": \#(list([Self.ids[3]])), "position": 0}"#)
        .status == 200)
    #expect(try await names() == ["4.flac", "2.flac", "1.flac", "3.flac"])
    try await library.stop()
  }

  @Test func playlistsAreDescribed() async throws {
    let library = try await ServedLibrary(Self.files)
    let id = try await ask(library, "POST", "playlists", #"{"name": "Mix"}"#).json["playlist"]["id"].text
    for (body, status, name, description) in [
      (#"{"description": "d"}"#, 200, "Mix", "d"), (#"{"name": "New"}"#, 200, "New", "d"),
      (#"{"name": null, "description": "e"}"#, 200, "New", "e"), (#"{"name": " \t"}"#, 422, "New", "e"),
      (#"{"name": ""}"#, 422, "New", "e"), (#"{"name": 7}"#, 422, "New", "e"),
      (#"{"description": 7}"#, 422, "New", "e"),
    ] {
      #expect(try await ask(library, "PUT", "playlists/\(id)", body).status == status, "\(body)")
      let shown = try await library.get("/app/api/playlists/\(id)").json["playlist"]
      #expect(shown["name"].text == name && shown["description"].text == description, "\(body)")
    }
    for (count, status) in [(1_000, 201), (1_001, 422)] {
      let tracks = list([String](repeating: Self.ids[0], count: count))
      let answer = try await ask(library, "POST", "playlists", #"{"name": "Long", "tracks": \#(tracks)}"#)
      #expect(answer.status == status, "\(count) tracks")
    }
    for body in ["{}", #"{"name": ""}"#, #"{"name": " "}"#, #"{"name": 7}"#] {
      #expect(try await ask(library, "POST", "playlists", body).status == 422, "\(body)")
    }
    let plain = try await ask(library, "POST", "playlists", #"{"name": "a-Z 09/é"}"#).json["playlist"]["id"].text
    let file = try await library.get("/app/api/playlists/\(plain).m3u8")
    #expect(file.headers["content-disposition"] == "attachment; filename=\"a-Z_09__.m3u8\"")
    try await library.stop()
  }

  @Test func decisionsAboutDuplicatesAreChecked() async throws {
    let library = try await ServedLibrary(Self.files)
    for (body, status) in [
      ("{}", 400), (#"{"decision": "keep"}"#, 400), (#"{"decision": "keep", "tracks": []}"#, 400),
      (#"{"decision": "keep", "tracks": [7]}"#, 400),
      (#"{"decision": "drop", "tracks": \#(list(Self.ids[..<2]))}"#, 400),
      (#"{"decision": "distinct", "tracks": \#(list(Self.ids[..<1]))}"#, 400),
      (#"{"decision": "keep", "tracks": ["0000000000000000000000"]}"#, 404),
      (#"{"decision": "forget", "tracks": \#(list(Self.ids[..<1]))}"#, 200),
    ] {
      #expect(try await ask(library, "POST", "duplicates/decisions", body).status == status, "\(body)")
    }
    try await library.stop()
  }

  /// Bodies of up to 4096 bytes.
  @Test func loginsHaveASize() async throws {
    let library = try await ServedLibrary([])
    let start = #"{"token": ""#
    for (size, status) in [(4_096, 204), (4_097, 413)] {
      let body = start + String(repeating: "x", count: size - start.utf8.count - 2) + "\"}"
      #expect(try await ask(library, "POST", "login", body).status == status, "\(size) bytes")
    }
    try await library.stop()
  }

  @Test func theFilesOfThePageAreKnown() async throws {
    let library = try await ServedLibrary([])
    let page = try await library.get("/")
    #expect(page.status == 200 && page.headers["content-type"] == "text/html; charset=utf-8" && !page.body.isEmpty)
    let tag = try #require(page.headers["etag"])
    let known = try await library.get("/", ["If-None-Match": tag])
    #expect(known.status == 304 && known.body.isEmpty)
    #expect(try await library.get("/", ["If-None-Match": "\"other\""]).status == 200)
    let html = String(decoding: page.body, as: UTF8.self)
    let files = Set(html.matches(of: /\/app\/[a-z0-9_.-]+\.(css|js|svg)/).map { String($0.output.0) })
    #expect(!files.isEmpty)
    for file in files {
      let answer = try await library.get(file)
      let type = ["css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8", "svg": "image/svg+xml"]
      #expect(answer.status == 200 && !answer.body.isEmpty, "\(file)")
      #expect(answer.headers["content-type"] == type[String(file.split(separator: ".").last ?? "")], "\(file)")
    }
    #expect(try await library.get("/app/nothing.js").status == 404)
    try await library.stop()
  }

  /// A library without runs has no state.
  @Test func statusesHaveTexts() async throws {
    let library = try await ServedLibrary(filling: { _ in })
    let status = try await library.get("/app/api/status").json
    #expect(status["text"] == "0 tracks" && status["damaged"] == 0 && status["last_run"] == .null)
    #expect(status["features"]["watching"] == false && status["catalog"]["is_there"] == false)
    try await library.stop()
    for (tracks, failed, text) in [(0, 0, "0 tracks"), (1, 0, "1 track"), (2, 1, "2 tracks, 1 failed")] {
      #expect(LibraryStatus.text(tracks: tracks, failed: failed) == text)
    }
  }

  @Test func runsHaveOutcomes() {
    for (totals, pending, text) in [
      (RunTotals(), 0, "Nothing new"), (RunTotals(cached: 9, skipped: 3), 0, "Nothing new"),
      (RunTotals(analyzed: 1), 0, "1 analyzed"),
      (RunTotals(analyzed: 12, partial: 1, failed: 1, vanished: 1), 0, "12 analyzed, 1 damaged, 1 failed, 1 gone"),
      (RunTotals(), 1, "Nothing new, 1 left for the next run"),
      (RunTotals(failed: 2), 3, "2 failed, 3 left for the next run"),
    ] {
      let run = RunRecord(
        id: 1, started: .now, state: .finished, programVersion: "1", pipeline: "p", configuration: .null,
        configurationDigest: "", analyzers: [], roots: [], totals: totals, pending: pending)
      #expect(run.outcomeText == text)
    }
  }

  /// A watch that cannot notice changes scans now and then.
  @Test func watchesHaveStates() throws {
    for (state, limitation, shown) in [
      (.watching, nil, "watching"), (.watching, "a network", "polling"), (.analyzing, nil, "analyzing"),
      (.analyzing, "a network", "analyzing"), (.settling, "a network", "settling"),
    ] as [(LibraryWatch.State, String?, String)] {
      let report = LibraryWatch.Report(state: state, folders: ["/music"], limitation: limitation)
      var json = JSONWriter()
      JSONType<LibraryWatch.Report>.watch.write(report, &json)
      let value = try JSONValue(parsing: json.bytes)
      #expect(value["state"].text == shown && value["folders"] == ["/music"] && value["absent"] == [])
      #expect(value["limitation"] == limitation.map { .string($0) } ?? .null)
    }
  }
}

/// Events about changes of the library.
@Suite(.bounded) struct LibraryObserverTests {
  private let folder: TemporaryDirectory
  private let store: ResultStore
  private let library: AppLibrary
  private let hub = EventHub()
  private let forever = MultiThreadedEventLoopGroup.singleton.any().makePromise(of: Void.self)

  init() throws {
    folder = try TemporaryDirectory()
    store = try ResultStore(path: folder.file("library.sqlite"), findings: BuiltInAnalyzers.findings)
    library = try AppLibrary(
      Services(
        store: store,
        options: ServerOptions(
          catalog: folder.file("catalog"), fileAnalysis: SingleFileAnalysis(timeLimit: .standard))), watch: nil)
  }

  @Test func changesAreSent() async throws {
    defer {
      forever.succeed()
      library.services.close()
    }
    let observer = LibraryObserver(library: library, hub: hub, interval: .milliseconds(5), heartbeat: 10)
    let standard = LibraryObserver(library: library, hub: hub)
    #expect(standard.interval == .seconds(1) && standard.heartbeat == 15)
    let stream = try #require(hub.listen(.token("a"), until: forever.futureResult))
    let running = Task { await observer.run() }
    var events = stream.makeAsyncIterator()
    /// Skips events until one of this name has such data.
    func wait(for name: ServerEvent.Name, _ isExpected: (JSONValue) -> Bool = { _ in true }) async throws {
      while let event = await events.next() {
        guard event.name == name else { continue }
        if name == .heartbeat { return }
        if isExpected(try JSONValue(parsing: event.data)) { return }
      }
      Issue.record("the events ended before \(name.rawValue)")
    }
    // The library is known once a heartbeat has followed a look at it. Nothing changes by itself.
    try await wait(for: .heartbeat)
    for _ in 0..<2 { #expect(await events.next()?.name == .heartbeat) }
    try LibraryFiles([LibraryFile(path: "/music/1.flac", tags: [:])]).merge(into: store)
    try await wait(for: .library) { $0["tracks"] == 1 && $0["failed"] == 0 && $0["text"] == "1 track" }
    try folder.write([1, 2, 3], as: "catalog")
    try await wait(for: .catalog) { $0["is_there"] == false }
    let lock = try RunLock.acquire(forDatabase: store.path)
    try await wait(for: .run) { $0["is_own"] == false }
    lock.release()
    try await wait(for: .runEnded) { !$0["text"].text.isEmpty }
    try await wait(for: .heartbeat)
    hub.close()
    await running.value
  }
}
