import Analysis
import AnalysisTesting
import Foundation
import HTTPTypes
import Landmarks
import LibraryTesting
import Logging
import NIOCore
import NIOPosix
import Platform
import Synchronization
import SystemPackage
import Testing
import Text

@testable import Recognition
@testable import Server
@testable import Serving

/// `/v1/match` and `/v1/catalog`, with music.
@Suite(.bounded) struct MatchRoutesTests {
  private static let samples = Signal.chords(sampleRate: 8_000, seconds: 30).mono

  private static func signature(_ samples: [Float]) -> Signature {
    var generator = SignatureGenerator(sampleRate: 8_000)
    generator.append(samples.span)
    return generator.signature()
  }

  private static let catalog: [UInt8] = {
    var catalog = CustomCatalog()
    let item = MediaItem(title: "Chords")
    try? catalog.add(ReferenceSignature(identifier: "chords", signature: signature(samples), items: [item]))
    guard let folder = try? TemporaryDirectory() else { return [] }
    try? catalog.write(to: folder.file("catalog"))
    return (try? SmallFile.read(folder.file("catalog"), limit: 1 << 24)) ?? []
  }()

  /// A server that recognizes the chords.
  private func opened(_ change: (inout ServerOptions) -> Void = { _ in }) async throws -> ServedLibrary {
    let library = try await ServedLibrary([], change: change)
    let added = try await library.ask("POST", "/v1/catalog", body: Self.catalog)
    #expect(added.status == 201 && added.json["items"].list.map { $0["reference"] } == ["chords"])
    #expect(added.json["items"][0]["items"][0]["title"] == "Chords")
    return library
  }

  private static func floats(_ samples: [Float]) -> [UInt8] {
    samples.flatMap { sample in withUnsafeBytes(of: sample.bitPattern.littleEndian) { Array($0) } }
  }

  // MARK: Recognizing

  /// Uploads of several blocks. An incomplete frame at the end is ignored.
  @Test func pcmIsRecognized() async throws {
    let library = try await opened()
    let clip = Self.samples[(5 * 8_000)..<(15 * 8_000)].map { $0 / 2 }
    // Four channels, of which two are silent.
    let wide = Self.floats(clip.flatMap { [2 * $0, 0, 2 * $0, 0] })
    for (type, body) in [
      ("audio/pcm;rate=8000;encoding=f32le", Self.floats(clip)),
      ("audio/pcm;rate=8000;channels=4;encoding=f32le", wide + [1, 2, 3]),
    ] {
      let answer = try await library.ask("POST", "/v1/match", ["Content-Type": type], body: body)
      #expect(answer.status == 200 && answer.json["result"] == "match", "\(answer.json)")
      #expect(answer.json["tracks"].list.count == 1 && answer.json["duration_s"].seconds.rounded() == 10)
      #expect(String(decoding: answer.body, as: UTF8.self).contains("Chords"))
    }
    let other = Signal.noise(seed: 8, sampleRate: 8_000, seconds: 10).mono
    let unknown = try await library.ask(
      "POST", "/v1/match?min_confidence=0.9", ["Content-Type": "audio/pcm;rate=8000;encoding=f32le"],
      body: Self.floats(other))
    #expect(unknown.status == 200 && unknown.json["result"] == "no-match" && unknown.json["tracks"].list.isEmpty)
    let short = try await library.ask(
      "POST", "/v1/match", ["Content-Type": "audio/pcm;rate=8000"], body: [UInt8](repeating: 0, count: 8_000))
    #expect(short.status == 422 && short.json["error"]["message"].text.hasPrefix("For recognition, "))
    for confidence in ["0.85", "1.01", "x", ""] {
      let answer = try await library.ask("POST", "/v1/match?min_confidence=\(confidence)", body: [0])
      #expect(answer.status == 400, "\(confidence)")
    }
    try await library.stop()
  }

  /// Blocks of a megabyte are written and read in order.
  @Test func largeUploadsAreReadInOrder() async throws {
    let library = try await opened()
    let clip = Self.samples[(5 * 8_000)..<(12 * 8_000)]
    // Each frame is repeated six times: 48 kHz, of two channels.
    let body = Self.floats(clip.flatMap { [Float](repeating: $0, count: 12) })
    #expect(body.count > 5 << 19)
    let answer = try await library.ask(
      "POST", "/v1/match", ["Content-Type": "audio/pcm;rate=48000;channels=2;encoding=f32le"], body: body)
    #expect(answer.json["result"] == "match" && answer.json["duration_s"].seconds.rounded() == 7, "\(answer.json)")
    try await library.stop()
  }

  /// The program that decodes gets the upload as its standard input, and a limit.
  @Test func filesAreDecodedElsewhere() async throws {
    let folder = try TemporaryDirectory()
    let audio = try folder.write(Self.floats(Array(Self.samples[(5 * 8_000)..<(15 * 8_000)])), as: "audio")
    let (input, words) = (folder.file("input"), folder.file("words"))
    let library = try await opened {
      $0.decoder = [
        "/bin/sh", "-c", "cat > \(input); printf '%s' \"$*\" > \(words); cat \(audio)", "sh", "decode",
      ]
    }
    let file = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 * 7 / 3) }
    let answer = try await library.ask("POST", "/v1/match", ["Content-Type": "audio/mpeg"], body: file)
    #expect(answer.status == 200 && answer.json["result"] == "match", "\(answer.json)")
    #expect(try SmallFile.read(input, limit: 1 << 20) == file)
    #expect(try SmallFile.read(words, limit: 1 << 10) == Array("decode --audio-limit 3600.0".utf8))
    try await library.stop()
  }

  @Test func filesThatCannotBeDecodedSayWhy() async throws {
    for (code, status) in [
      ("unknown_format", 415), ("unsupported_codec", 415), ("corrupt", 422), ("no_audio", 422), ("empty", 422),
    ] {
      let text = #"{"code": "\#(code)", "message": "It is \#(code)."}"#
      let library = try await opened { $0.decoder = ["/bin/sh", "-c", "echo '\(text)' >&2; exit 3", "sh"] }
      let answer = try await library.ask("POST", "/v1/match", body: [1, 2, 3])
      #expect(answer.status == status && answer.json["error"]["message"].text == "It is \(code).", "\(code)")
      try await library.stop()
    }
  }

  @Test func questionsOfOtherServersAreAnswered() async throws {
    let library = try await opened()
    let question = PartQuestion.size.bytes
    let answer = try await library.ask("POST", "/v1/catalog/part", body: question)
    #expect(answer.status == 200 && answer.headers["content-type"] == "application/octet-stream")
    #expect(try PartAnswer.read(answer.body, to: question).postingCount > 0)
    for (size, status) in [(4 << 20, 400), (4 << 20 + 1, 413)] {
      let zeros = [UInt8](repeating: 0, count: size)
      #expect(try await library.ask("POST", "/v1/catalog/part", body: zeros).status == status, "\(size) bytes")
    }
    try await library.stop()
  }

  // MARK: The catalog

  @Test func recordingsComeInPages() async throws {
    let library = try await opened()
    let json = ["Content-Type": "application/json; charset=utf-8"]
    let added = try await library.ask("POST", "/v1/catalog", json, body: Array(SnapshotRequests.reference.utf8))
    #expect(added.status == 201)
    for (query, count, next, limit, offset) in [
      ("", 2, nil, 50, 0), ("?limit=1", 1, "/v1/catalog?limit=1&offset=1", 1, 0), ("?limit=1&offset=1", 1, nil, 1, 1),
      ("?limit=2", 2, nil, 2, 0), ("?offset=1", 1, nil, 50, 1), ("?offset=2", 0, nil, 50, 2),
      ("?limit=1000&offset=2147483647", 0, nil, 1_000, 2_147_483_647),
    ] as [(String, Int, String?, Int64, Int64)] {
      let page = try await library.get("/v1/catalog\(query)").json
      #expect(page["items"].list.count == count && page["total"] == 2, "\(query)")
      #expect(page["next"] == next.map { .string($0) } ?? .null, "\(query)")
      #expect(page["limit"] == .integer(limit) && page["offset"] == .integer(offset), "\(query)")
    }
    for query in ["limit=0", "limit=1001", "offset=-1", "offset=2147483648"] {
      #expect(try await library.get("/v1/catalog?\(query)").status == 400, "\(query)")
    }
    let signature = try await library.get("/v1/catalog/chords/signature")
    #expect(signature.status == 200 && signature.body == Self.signature(Self.samples).bytes)
    #expect(try await library.get("/v1/catalog/chords").json["duration_s"].seconds.rounded() == 30)
    #expect(try await library.ask("DELETE", "/v1/catalog/chords").status == 204)
    #expect(try await library.get("/v1/catalog/chords").status == 404)
    #expect(try await library.get("/v1/catalog").json["total"] == 1)
    try await library.stop()
  }

  /// Media items may lack anything. A recording without a name gets one.
  @Test func itemsAreChecked() async throws {
    let library = try await ServedLibrary([])
    let signature = Data(Self.signature(Self.samples).bytes).base64EncodedString()
    func add(_ members: String) async throws -> ServedLibrary.Answer {
      let body = #"{"signature": "\#(signature)"\#(members)}"#
      return try await library.ask("POST", "/v1/catalog", ["Content-Type": "application/json"], body: Array(body.utf8))
    }
    for members in ["", #", "reference": """#, #", "reference": 7, "items": null"#, #", "items": []"#] {
      let added = try await add(members)
      #expect(added.status == 201 && added.json["items"].list.count == 1, "\(members)")
      #expect(added.json["items"][0]["items"] == [] && !added.json["items"][0]["reference"].text.isEmpty, "\(members)")
    }
    let item = #"{"title": "A", "artist": null, "genres": null}"#
    let added = try await add(#", "reference": "a", "items": [\#(item)]"#).json["items"][0]
    #expect(added["reference"] == "a" && added["items"][0]["title"] == "A" && added["items"][0]["genres"] == [])
    for (items, message) in [
      ("7", "items must be a list"), ("{}", "items must be a list"), ("[7]", "The members of a media item"),
      (#"[{"title": 7}]"#, "The members of a media item"), (#"[{"genres": "a"}]"#, "The members of a media item"),
    ] {
      let answer = try await add(#", "items": \#(items)"#)
      #expect(answer.status == 400 && answer.json["error"]["message"].text.hasPrefix(message), "\(items)")
    }
    let garbage = try await library.ask("POST", "/v1/catalog", body: [1, 2, 3])
    #expect(garbage.status == 422, "\(garbage.json)")
    try await library.stop()
  }

  /// A catalog in a single file can be searched, but not changed.
  @Test func aCatalogMayBeAFile() async throws {
    let library = try await ServedLibrary([]) { options in
      try? Data(Self.catalog).write(to: URL(filePath: options.catalog.string))
    }
    let page = try await library.get("/v1/catalog").json
    #expect(page["total"] == 1 && page["problem"] == .null)
    let added = try await library.ask("POST", "/v1/catalog", body: Self.catalog)
    #expect(added.status == 409, "\(added.json)")
    let removed = try await library.ask("DELETE", "/v1/catalog/chords")
    #expect(removed.status == 409, "\(removed.json)")
    try await library.stop()
  }
}

extension JSONValue {
  /// The number; NaN for other values.
  fileprivate var seconds: Double {
    switch self {
    case .number(let number): number
    case .integer(let number): Double(number)
    default: .nan
    }
  }
}

/// Uploads take turns.
@Suite(.bounded) struct UploadsTests {
  private final class Seen: Sendable {
    let running = Mutex(0)
    let refused = Mutex<[RequestError]>([])
  }

  /// Eight uploads per thread are received at a time, and 200 wait.
  @Test func uploadsHaveALimit() async throws {
    let uploads = try Uploads(threadCount: 1)
    defer { uploads.close() }
    let gate = MultiThreadedEventLoopGroup.singleton.any().makePromise(of: Void.self)
    let seen = Seen()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<209 {
        group.addTask {
          do {
            try await uploads.admit { @Sendable in
              seen.running.withLock { $0 += 1 }
              try await gate.futureResult.get()
            }
          } catch let error as RequestError {
            seen.refused.withLock { $0.append(error) }
          }
        }
      }
      while seen.refused.withLock({ $0.isEmpty }) || seen.running.withLock({ $0 }) < 8 { await Task.yield() }
      gate.succeed()
      try await group.waitForAll()
    }
    let errors = seen.refused.withLock { $0 }
    #expect(errors.count == 1 && errors[0].status == .serviceUnavailable && errors[0].retryAfter == 5)
    #expect(seen.running.withLock { $0 } == 208 && Uploads.maxWait == .seconds(30))
    #expect(try await uploads.run { 7 } == 7)
  }
}

/// The server beside its routes.
@Suite(.bounded) struct ServerStartTests {
  @Test func aPortInUseIsNamed() async throws {
    let library = try await ServedLibrary([])
    let error = await #expect(throws: ListenError.self) {
      try await ServedLibrary([]) { $0.serving.port = library.port }
    }
    #expect(error.map { "\($0)".contains("\(library.port)") } == true)
    try await library.stop()
  }

  /// Requests are counted by route, and their durations add up.
  @Test func requestsAreCounted() async throws {
    let library = try await ServedLibrary([])
    for _ in 0..<2 { _ = try await library.get("/healthz") }
    _ = try await library.get("/v1/markets")
    let text = String(decoding: try await library.get("/metrics").body, as: UTF8.self)
    let lines = text.split(separator: "\n").map(String.init)
    func values(_ name: String, _ labels: String) -> [Double] {
      lines.filter { $0.hasPrefix("\(name){") && $0.contains(labels) }
        .compactMap { $0.split(separator: " ").last.flatMap { Double($0) } }
    }
    let duration = "nocturne_server_request_duration_seconds"
    let buckets = values("\(duration)_bucket", #"route="/healthz""#)
    #expect(buckets.count > 3 && buckets == buckets.sorted() && buckets.last == 2)
    #expect(values("\(duration)_count", #"route="/healthz""#) == [2])
    #expect(values("\(duration)_count", #"route="/v1/markets""#) == [1])
    #expect(values("\(duration)_sum", #"route="/healthz""#).allSatisfy { $0 > 0 && $0 < 600 })
    #expect(values("\(duration)_sum", #"route="/healthz""#).count == 1)
    #expect(values("nocturne_server_requests_total", #"route="/healthz""#) == [2])
    try await library.stop()
  }

  /// Messages of packages have the form of those of the program.
  @Test func messagesArePassedOn() {
    let written = Mutex<[String]>([])
    let logger = Logger(label: "test") { _ in
      ServerLog { message in
        written.withLock { $0.append("\(message.level) \(message.event) \(message.text) [\(message.fields.count)]") }
      }
    }
    var named = logger
    named[metadataKey: "b"] = "1"
    logger.info("not shown")
    logger.notice("started")
    logger.warning("slow", metadata: ["z": "9", "a": "2", "m": "5"])
    logger.error("broken")
    named.critical("gone", metadata: ["a": "3"])
    named.error("again", metadata: ["b": "2"])
    #expect(
      written.withLock { $0 } == [
        "notice server started [0]", "warning server slow a=2 m=5 z=9 [3]", "error server broken [0]",
        "error server gone a=3 b=1 [2]", "error server again b=2 [1]",
      ])
  }
}
