import Analysis
import AnalysisTesting
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

@Suite(.bounded) struct AudioTypeTests {
  @Test func pcmIsDescribedByItsParameters() throws {
    let type = try AudioType(contentType: "Audio/PCM; rate=48000 ;channels=2;encoding=\"f32le\"")
    #expect(type == .pcm(PCMFormat(sampleRate: 48_000, channelCount: 2, encoding: .f32le)))
    #expect(
      try AudioType(contentType: "audio/pcm") == .pcm(PCMFormat(sampleRate: 44_100, channelCount: 1, encoding: .s16le)))
  }

  /// RFC 2586: network byte order.
  @Test func l16IsBigEndianUnlessItSaysOtherwise() throws {
    #expect(
      try AudioType(contentType: "audio/l16;rate=8000")
        == .pcm(PCMFormat(sampleRate: 8000, channelCount: 1, encoding: .s16be)))
    #expect(
      try AudioType(contentType: "audio/l16;rate=8000;endianness=little-endian")
        == .pcm(PCMFormat(sampleRate: 8000, channelCount: 1, encoding: .s16le)))
  }

  /// Both sides of each limit, and each encoding.
  @Test(
    arguments: [
      ("pcm;rate=1000", (1_000, 1, .s16le)), ("pcm;rate=384000", (384_000, 1, .s16le)), ("pcm;rate=999", nil),
      ("pcm;rate=384001", nil), ("pcm;channels=1", (44_100, 1, .s16le)), ("pcm;channels=16", (44_100, 16, .s16le)),
      ("pcm;channels=0", nil), ("pcm;channels=17", nil), ("pcm;encoding=s16le", (44_100, 1, .s16le)),
      ("pcm;encoding=s16be", (44_100, 1, .s16be)), ("pcm; encoding = f32le ", (44_100, 1, .f32le)),
      ("pcm;encoding=f32be", nil), ("pcm;encoding", nil), ("pcm;rate", nil), ("pcm;rate=1000=1", nil),
      ("pcm;endianness=big-endian", (44_100, 1, .s16be)), ("pcm;endianness=little-endian", (44_100, 1, .s16le)),
      ("pcm;encoding=s16be;endianness=little-endian", (44_100, 1, .s16le)),
      ("pcm;encoding=f32le;endianness=big-endian", (44_100, 1, .f32le)), ("pcm;endianness=middle", nil),
      ("pcm;endianness", nil), ("pcm;other=1;;", (44_100, 1, .s16le)), ("l16", (44_100, 1, .s16be)),
      ("l16;endianness=big-endian;channels=2", (44_100, 2, .s16be)), ("l16;encoding=s16be", nil),
    ] as [(String, (Int, Int, PCMFormat.Encoding)?)])
  func parametersHaveLimits(type: String, format: (rate: Int, channels: Int, encoding: PCMFormat.Encoding)?) {
    let expected = format.map { PCMFormat(sampleRate: $0.rate, channelCount: $0.channels, encoding: $0.encoding) }
    let error = expected == nil ? HTTPResponse.Status.badRequest : nil
    do throws(RequestError) {
      #expect(try AudioType(contentType: "audio/\(type)") == expected.map { .pcm($0) })
      #expect(error == nil)
    } catch {
      #expect(error.status == .badRequest && expected == nil, "\(error)")
    }
  }

  @Test(arguments: [nil, "audio/mpeg", "application/octet-stream", ""])
  func anythingElseIsForDecoders(_ type: String?) throws {
    #expect(try AudioType(contentType: type) == .encoded)
  }

  @Test(arguments: ["rate=0", "rate=", "rate=1e9", "channels=0", "channels=17", "encoding=mp3", "rate=-1"])
  func pcmThatCannotBeIsRefused(_ parameter: String) {
    #expect(throws: RequestError.self) { try AudioType(contentType: "audio/pcm;\(parameter)") }
  }

  @Test func samplesBecomeOneChannel() {
    let stereo = PCMFormat(sampleRate: 8000, channelCount: 2, encoding: .s16le)
    // Half and full scale; a frame that is cut off.
    let bytes = ByteBuffer(bytes: [0, 0x40, 0, 0x80, 0, 0])
    #expect(stereo.mono(bytes.readableBytesView) == [-0.25])
    let float = PCMFormat(sampleRate: 8000, channelCount: 1, encoding: .f32le)
    var buffer = ByteBuffer()
    for value in [Float.nan, .infinity, 1000, 0.5] { buffer.writeInteger(value.bitPattern, endianness: .little) }
    #expect(float.mono(buffer.readableBytesView) == [0, 0, 16, 0.5])
    buffer.clear()
    for value in [Float.infinity, -0.25, -1000, 1, -Float.infinity, 0.5] {
      buffer.writeInteger(value.bitPattern, endianness: .little)
    }
    var channels = float
    channels.channelCount = 2
    #expect(channels.mono(buffer.readableBytesView) == [-0.125, -7.5, 0.25])
    var big = stereo
    (big.channelCount, big.encoding) = (1, .s16be)
    #expect(big.mono(ByteBuffer(bytes: [0x40, 0, 0x80, 0, 0]).readableBytesView) == [0.5, -1])
  }

  @Test func bytesAreFrames() {
    for (channels, encoding, size) in [(1, .s16le, 2), (2, .s16be, 4), (1, .f32le, 4), (3, .f32le, 12)]
      as [(Int, PCMFormat.Encoding, Int)]
    {
      let format = PCMFormat(sampleRate: 8_000, channelCount: channels, encoding: encoding)
      #expect(format.frameSize == size && format.seconds(ofBytes: 4_000 * size) == 0.5)
      #expect(format.seconds(ofBytes: size - 1) == 0 && format.seconds(ofBytes: 0) == 0)
    }
  }
}

@Suite(.bounded) struct LiveSessionTests {
  private let format = PCMFormat(sampleRate: 8000, channelCount: 1, encoding: .s16le)
  private let session = LiveSession(id: "a", limit: ConfidenceLimit(), waiting: BufferBudget(limit: 64 << 20))
  private let second = ByteBuffer(repeating: 0, count: 16_000)
  /// An empty library, and no catalog.
  private let folder: TemporaryDirectory
  private let links: LibraryLinks
  private let catalog: ServedCatalog

  init() throws {
    folder = try TemporaryDirectory()
    links = LibraryLinks(store: try ResultStore(path: folder.file("library.sqlite"), findings: []))
    catalog = ServedCatalog(path: folder.file("catalog"))
  }

  @Test func chunksAreTakenInOrder() throws {
    #expect(try session.add(second, format, sequence: 0).isWorkNew)
    let next = try session.add(second, format, sequence: nil)
    #expect(!next.isWorkNew)
    #expect(next.receipt == .init(sequence: 1, isDuplicate: false, receivedSeconds: 2))
    let again = try session.add(second, format, sequence: 0)
    #expect(again.receipt == .init(sequence: 0, isDuplicate: true, receivedSeconds: 2))
    #expect(throws: RequestError.self) { try session.add(second, format, sequence: 3) }
  }

  @Test func memoryIsBounded() throws {
    let chunk = ByteBuffer(repeating: 0, count: LiveSession.maximumChunkSize)
    let error = #expect(throws: RequestError.self) {
      for _ in 0..<100 { _ = try session.add(chunk, format, sequence: nil) }
    }
    #expect(error?.status == .tooManyRequests)
    #expect(error?.retryAfter != nil)
  }

  @Test func manySmallChunksAreTooMuchAsWell() {
    #expect(throws: RequestError.self) {
      for _ in 0..<1_000 { _ = try session.add(ByteBuffer(), format, sequence: nil) }
    }
  }

  @Test func formatsAreNotMixed() throws {
    _ = try session.add(second, format, sequence: nil)
    var other = format
    other.sampleRate = 16_000
    #expect(throws: RequestError.self) { try session.add(second, other, sequence: nil) }
  }

  /// Both sides of the limits of queued audio.
  @Test func queuesHaveLimits() throws {
    #expect(LiveSession.maximumChunkSize == 4 << 20)
    let half = ByteBuffer(repeating: 0, count: 4 << 20)
    for _ in 0..<2 { _ = try session.add(half, format, sequence: nil) }
    let large = #expect(throws: RequestError.self) {
      try session.add(ByteBuffer(repeating: 0, count: 1), format, sequence: nil)
    }
    #expect(large?.status == .tooManyRequests && large?.retryAfter == 1)
    let receipt = try session.add(ByteBuffer(), format, sequence: 2).receipt
    #expect(receipt == .init(sequence: 2, isDuplicate: false, receivedSeconds: Double(8 << 20) / 16_000))
    let other = LiveSession(id: "b", limit: ConfidenceLimit(), waiting: BufferBudget(limit: 64 << 20))
    for _ in 0..<256 { _ = try other.add(ByteBuffer(), format, sequence: nil) }
    let many = #expect(throws: RequestError.self) { try other.add(ByteBuffer(), format, sequence: nil) }
    #expect(many?.status == .tooManyRequests && many?.retryAfter == 1)
    // An old chunk is known, even if there is no room for a new one.
    #expect(try other.add(ByteBuffer(), format, sequence: 255).receipt.isDuplicate)
  }

  @Test func chunksThatDoNotFitAreRefused() throws {
    let gap = #expect(throws: RequestError.self) { try session.add(second, format, sequence: 1) }
    #expect(gap?.status == .conflict && gap?.message.hasPrefix("Chunk 0 ") == true)
    _ = try session.add(second, format, sequence: 0)
    var other = format
    other.encoding = .s16be
    let mixed = #expect(throws: RequestError.self) { try session.add(second, other, sequence: nil) }
    #expect(mixed?.status == .badRequest)
    #expect(session.progress.nextSequence == 1 && session.progress.receivedSeconds == 1)
  }

  /// The budget is shared by all sessions, and given back when the audio is matched.
  @Test func waitingAudioHasABudget() throws {
    let budget = BufferBudget(limit: 20_000)
    let one = LiveSession(id: "a", limit: ConfidenceLimit(), waiting: budget)
    let other = LiveSession(id: "b", limit: ConfidenceLimit(), waiting: budget)
    _ = try one.add(second, format, sequence: nil)
    let error = #expect(throws: RequestError.self) { try other.add(second, format, sequence: nil) }
    #expect(error?.status == .serviceUnavailable && other.progress.nextSequence == 0)
    #expect(other.progress.receivedSeconds == 0)
    #expect(one.listen(catalog, links) && !one.listen(catalog, links))
    #expect(try other.add(second, format, sequence: nil).isWorkNew)
    #expect(throws: RequestError.self) { try one.add(second, format, sequence: nil) }
  }

  private func data(_ event: SessionEvent?) throws -> JSONValue { try JSONValue(parsing: event?.data ?? []) }

  /// A session ends once its queue is matched, and says why.
  @Test func aSessionEnds() throws {
    #expect(!session.isEnded && session.events(after: 0).isEmpty)
    #expect(try session.add(second, format, sequence: nil).isWorkNew)
    #expect(try !session.add(second, format, sequence: nil).isWorkNew)
    // Somebody is listening already.
    #expect(!session.end(because: "The client has ended it.") && !session.end(because: "Again."))
    let error = #expect(throws: RequestError.self) { try session.add(second, format, sequence: nil) }
    #expect(error?.status == .gone)
    #expect(session.listen(catalog, links) && session.listen(catalog, links) && !session.isEnded)
    #expect(!session.listen(catalog, links) && session.isEnded)
    let events = session.events(after: 0)
    #expect(events.last?.name == .end)
    #expect(try data(events.last) == ["event": "end", "reason": "The client has ended it."])
    #expect(session.progress.lastEventID == events.last?.id && events.map(\.id) == Array(1...events.count))
    #expect(session.events(after: events.count - 1).map(\.id) == [events.count])
    #expect(session.events(after: events.count).isEmpty && session.progress.receivedSeconds == 2)
    #expect(!session.listen(catalog, links) && !session.end(because: "Again."))
  }

  @Test func aSilentSessionEndsAtOnce() throws {
    #expect(session.end(because: "It was idle."))
    #expect(!session.listen(catalog, links) && session.isEnded)
    #expect(session.events(after: 0).count == 1 && session.progress.receivedSeconds == 0)
  }

  /// Work is new whenever nobody is at it.
  @Test func aSessionIsListenedToAgain() throws {
    for _ in 0..<2 {
      #expect(try session.add(second, format, sequence: nil).isWorkNew)
      #expect(session.listen(catalog, links) && !session.listen(catalog, links))
    }
    #expect(session.idleTime < .seconds(60) && session.idleTime >= .zero)
  }

  /// A missing catalog is reported once.
  @Test func aMissingCatalogIsReportedOnce() throws {
    let music = ByteBuffer(bytes: (0..<100_000).map { UInt8(truncatingIfNeeded: $0 * $0 / 7) })
    for _ in 0..<2 {
      _ = try session.add(music, format, sequence: nil)
      while session.listen(catalog, links) {}
    }
    let events = session.events(after: 0)
    #expect(events.map(\.name) == [.error])
    #expect(try data(events.first)["event"] == "error")
    #expect(try data(events.first)["message"].text.hasPrefix("There is no catalog of recordings yet."))
  }

  /// Four clients may read the events of a session.
  @Test func watchersHaveALimit() async throws {
    let ends = (0..<4).map { _ in MultiThreadedEventLoopGroup.singleton.any().makePromise(of: Void.self) }
    let never = MultiThreadedEventLoopGroup.singleton.any().makePromise(of: Void.self)
    var watchers = try ends.map { try session.wakeUps(until: $0.futureResult).makeAsyncIterator() }
    let error = #expect(throws: RequestError.self) { try session.wakeUps(until: never.futureResult) }
    #expect(error?.status == .tooManyRequests)
    // Each is awake at the beginning, and whenever there is something new.
    for index in watchers.indices { #expect(await watchers[index].next() != nil) }
    session.wake()
    for index in watchers.indices { #expect(await watchers[index].next() != nil) }
    // Once one has gone, another may come.
    ends[0].succeed()
    #expect(await watchers[0].next() == nil)
    var replacement: AsyncStream<Void>?
    while replacement == nil {
      replacement = try? session.wakeUps(until: never.futureResult)
      await Task.yield()
    }
    var next = try #require(replacement).makeAsyncIterator()
    #expect(await next.next() != nil)
    #expect(throws: RequestError.self) { try session.wakeUps(until: never.futureResult) }
    _ = session.end(because: "It was idle.")
    _ = session.listen(catalog, links)
    #expect(await next.next() != nil)
    #expect(await next.next() == nil)
    // The kept events of an ended session can still be read.
    var late = try session.wakeUps(until: never.futureResult).makeAsyncIterator()
    #expect(await late.next() != nil)
    #expect(await late.next() == nil)
    for end in ends.dropFirst() + [never] { end.succeed() }
  }

  @Test func anEventIsOneBlockOfLines() {
    var buffer = ByteBuffer()
    SessionEvent(id: 7, name: .noMatch, data: Array("{}".utf8)).write(to: &buffer)
    #expect(String(buffer: buffer) == "id: 7\nevent: no-match\ndata: {}\n\n")
  }
}

@Suite(.bounded) struct LiveSessionsTests {
  private let folder: TemporaryDirectory
  private let store: ResultStore

  init() throws {
    folder = try TemporaryDirectory()
    store = try ResultStore(path: folder.file("library.sqlite"), findings: [])
  }

  private func sessions(_ maximumCount: Int) throws -> LiveSessions {
    try LiveSessions(
      catalog: ServedCatalog(path: folder.file("catalog")), links: LibraryLinks(store: store), threadCount: 1,
      maximumCount: maximumCount)
  }

  /// A client gets a quarter of all sessions, and at least one.
  @Test(arguments: [(1, 1), (3, 1), (4, 1), (7, 1), (8, 2), (200, 50)])
  func aClientHasAShare(maximumCount: Int, share: Int) throws {
    let sessions = try sessions(maximumCount)
    defer { sessions.endThreads() }
    let limit = ConfidenceLimit()
    for _ in 0..<share { _ = try sessions.open(limit, for: .token("phone")) }
    let error = refusal { _ = try sessions.open(limit, for: .token("phone")) }
    #expect(error?.status == .tooManyRequests && error?.retryAfter == 10)
    #expect(error?.message.contains("already has \(share) sessions") == true && sessions.count == share)
    sessions.close()
  }

  @Test func allTogetherHaveALimit() async throws {
    let sessions = try sessions(3)
    defer { sessions.endThreads() }
    let limit = ConfidenceLimit()
    let opened = try (0..<3).map { try sessions.open(limit, for: .token("\($0)")) }
    let error = refusal { _ = try sessions.open(limit, for: .token("3")) }
    #expect(error?.status == .serviceUnavailable && error?.retryAfter == 10 && sessions.count == 3)
    #expect(Set(opened.map(\.id)).count == 3)
    for session in opened { #expect(try sessions.session(session.id) === session) }
    #expect(refusal { _ = try sessions.session("none") }?.status == .notFound)
    // An ended session makes room, and can still be read.
    sessions.end(opened[1], because: "The client has ended it.")
    while !opened[1].isEnded { await Task.yield() }
    #expect(sessions.count == 2)
    #expect(try sessions.session(opened[1].id) === opened[1])
    _ = try sessions.open(limit, for: .token("1"))
    #expect(refusal { _ = try sessions.open(limit, for: .token("1")) }?.status == .tooManyRequests)
    sessions.close()
    while sessions.count > 0 { await Task.yield() }
    let stopping = refusal { _ = try sessions.open(limit, for: .token("4")) }
    #expect(stopping?.status == .serviceUnavailable && stopping?.retryAfter == 5)
    #expect(opened[0].events(after: 0).map(\.name) == [.end])
  }

  /// The audio of a session is matched chunk by chunk, until none is left.
  @Test func audioIsMatched() async throws {
    let sessions = try sessions(1)
    defer { sessions.endThreads() }
    let session = try sessions.open(ConfidenceLimit(), for: .token("phone"))
    let format = PCMFormat(sampleRate: 8000, channelCount: 1, encoding: .s16le)
    for _ in 0..<3 { _ = try session.add(ByteBuffer(repeating: 0, count: 160), format, sequence: nil) }
    sessions.listen(to: session)
    // Ending the session does not need another call.
    sessions.end(session, because: "The client has ended it.")
    while !session.isEnded { await Task.yield() }
    #expect(session.events(after: 0).last?.name == .end)
    sessions.close()
  }
}

@Suite(.bounded) struct AcoustIDAnswerTests {
  @Test func idsHaveTheFormOfUUIDs() {
    let content = ContentID(high: 0x0123_4567_89ab_cdef, low: 0x1)
    #expect(AcoustIDAnswer.uuid(of: content) == "01234567-89ab-cdef-0000-000000000001")
    #expect(AcoustIDAnswer.content(ofUUID: "01234567-89AB-cdef-0000-000000000001") == content)
    for text in ["", "7", "0123456789abcdef0000000000000001", "0123456z-89ab-cdef-0000-000000000001"] {
      #expect(AcoustIDAnswer.content(ofUUID: text) == nil)
    }
  }
}

@Suite(.bounded) struct GzipBodyTests {
  /// `gzip` of "a=1".
  private let packed: [UInt8] = [
    31, 139, 8, 0, 0, 0, 0, 0, 2, 3, 75, 180, 53, 4, 0, 129, 48, 98, 141, 3, 0, 0, 0,
  ]

  @Test func bodiesAreUnpackedUpToALimit() throws {
    #expect(try GzipBody.unpacked(packed, limit: 3) == Array("a=1".utf8))
    #expect(throws: RequestError.self) { try GzipBody.unpacked(packed, limit: 2) }
  }

  @Test func damageIsRefused() {
    #expect(throws: RequestError.self) { try GzipBody.unpacked([], limit: 10) }
    #expect(throws: RequestError.self) { try GzipBody.unpacked([1, 2, 3], limit: 10) }
    #expect(throws: RequestError.self) { try GzipBody.unpacked(Array(packed.dropLast(12)), limit: 10) }
  }
}
