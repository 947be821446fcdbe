import Analysis
import AnalysisTesting
import Glibc
import HTTPTypes
import Landmarks
import LibraryTesting
import NIOCore
import NIOPosix
import Platform
import RecognitionTasks
import ResultStore
import Synchronization
import SystemPackage
import Testing
import Text

@testable import Recognition
@testable import Server
@testable import Serving

/// Made-up music with its signature.
private struct Piece {
  static let sampleRate = 8_000

  let name: String
  let samples: [Float]
  let reference: ReferenceSignature

  init(_ name: String, _ signal: Signal) {
    self.name = name
    let samples = signal.mono
    self.samples = samples
    var generator = SignatureGenerator(sampleRate: Self.sampleRate)
    generator.append(samples.span)
    reference = ReferenceSignature(
      identifier: name, signature: generator.signature(), items: [MediaItem(title: "Piece \(name)")])
  }

  static let one = Piece("one", .chords(seed: 3, sampleRate: sampleRate, seconds: 30))
  static let two = Piece("two", .chords(seed: 5, sampleRate: sampleRate, seconds: 30))
  /// Sound that is in no catalog.
  static let other = Piece("other", .noise(seed: 8, sampleRate: sampleRate, seconds: 30))

  /// Part of the piece, in seconds.
  func part(_ range: Range<Double>) -> [Float] {
    Array(samples[Int(range.lowerBound * Double(Self.sampleRate))..<Int(range.upperBound * Double(Self.sampleRate))])
  }

  /// 16-bit samples, little-endian.
  static func bytes(_ samples: [Float]) -> [UInt8] {
    samples.flatMap { sample in
      withUnsafeBytes(of: Int16(max(-1, min(1, sample)) * 32_767).littleEndian) { Array($0) }
    }
  }

  static func catalog(_ pieces: Piece...) throws -> CustomCatalog {
    var catalog = CustomCatalog()
    for piece in pieces { try catalog.add(piece.reference) }
    return catalog
  }
}

/// A catalog on another server, which answers or not.
private final class SwitchedPart: CatalogPart {
  let name = "http://part.example:8642"
  private let session: RecognitionSession
  private let isOn = Mutex(true)

  init(_ catalog: CustomCatalog) throws { session = try RecognitionSession(catalog: catalog) }

  func turn(on: Bool) { isOn.withLock { $0 = on } }

  func ask(_ question: [UInt8]) -> PartReply {
    PartReply { [self] () throws(PartFailure) in
      guard isOn.withLock({ $0 }) else { throw PartFailure("no answer") }
      return try session.answer(toPart: question)
    }
  }
}

/// The catalogs of a server while they change.
@Suite(.bounded) struct ServedCatalogTests {
  private let folder: TemporaryDirectory
  private let path: FilePath

  init() throws {
    folder = try TemporaryDirectory()
    path = folder.file("catalog")
  }

  /// Replaces the catalog with bytes that are none.
  private func damage() throws {
    try folder.write([1, 2, 3], as: "damage")
    guard rename(folder.file("damage").string, path.string) == 0 else { throw Errno(rawValue: errno) }
  }

  @Test func aCatalogMayComeAndGo() throws {
    let catalog = ServedCatalog(path: path)
    for _ in 0..<2 {
      let missing = refusal { _ = try catalog.current() }
      #expect(missing?.status == .serviceUnavailable && missing?.message.hasPrefix("There is no catalog") == true)
      #expect(refusal { try catalog.withSession { _ in } } == missing)
    }
    #expect(catalog.problem == nil && !catalog.isOutdated)
    try Piece.catalog(.one).write(to: path)
    catalog.noteChange()
    #expect(try catalog.current().count == 1 && catalog.problem == nil && !catalog.isOutdated)
    #expect(try catalog.withSession { $0.catalog.count } == 1)
    #expect(unlink(path.string) == 0)
    catalog.noteChange()
    #expect(refusal { _ = try catalog.current() }?.message.hasPrefix("There is no catalog") == true)
    #expect(refusal { try catalog.withSession { _ in } } != nil && !catalog.isOutdated && catalog.problem == nil)
  }

  /// The files are looked at once a second.
  @Test func changesAreNoticedLater() throws {
    try Piece.catalog(.one).write(to: path)
    let catalog = ServedCatalog(path: path)
    let start = ContinuousClock.now
    #expect(try catalog.current().count == 1)
    try Piece.catalog(.one, .two).write(to: path)
    let count = try catalog.current().count
    if ContinuousClock.now - start < .seconds(1) { #expect(count == 1) }
    catalog.noteChange()
    #expect(try catalog.current().count == 2)
  }

  @Test func sessionsAreUsedAgainUntilTheCatalogChanges() throws {
    try Piece.catalog(.one).write(to: path)
    let catalog = ServedCatalog(path: path)
    let first = try catalog.withSession { $0 }
    for _ in 0..<2 {
      catalog.noteChange()
      #expect(try catalog.withSession { $0 } === first)
    }
    // Sessions that are in use at the same time differ.
    let pair = try catalog.withSession { one in try catalog.withSession { (one, $0) } }
    #expect(pair.0 === first && pair.1 !== first)
    // A session of the previous catalog finishes, but is not used again.
    try catalog.withSession { session in
      try Piece.catalog(.one, .two).write(to: path)
      catalog.noteChange()
      #expect(try catalog.current().count == 2 && session.catalog.count == 1)
    }
    for _ in 0..<3 { #expect(try catalog.withSession { $0.catalog.count } == 2) }
  }

  /// A damaged catalog may be half copied, so the previous version stays in use.
  @Test func aDamagedCatalogIsNotUsed() throws {
    try damage()
    let catalog = ServedCatalog(path: path)
    let unreadable = refusal { _ = try catalog.current() }
    #expect(unreadable?.message.hasPrefix("The catalog of recordings cannot be read.") == true)
    #expect(!catalog.isOutdated && catalog.problem == nil)
    try Piece.catalog(.one).write(to: path)
    catalog.noteChange()
    #expect(try catalog.current().count == 1 && !catalog.isOutdated && catalog.problem == nil)
    try damage()
    catalog.noteChange()
    #expect(try catalog.current().count == 1 && catalog.isOutdated && catalog.problem != nil)
    #expect(try catalog.withSession { $0.catalog.count } == 1)
    #expect(try catalog.withSession { $0.takeMissingCatalogs() } == [])
    try Piece.catalog(.two, .one).write(to: path)
    catalog.noteChange()
    #expect(try catalog.current().count == 2 && !catalog.isOutdated && catalog.problem == nil)
  }

  @Test func otherCatalogsAreSearchedAsWell() throws {
    let other = folder.file("other")
    try Piece.catalog(.two).write(to: other)
    let catalog = ServedCatalog(path: path, others: [other, folder.file("none")])
    #expect(refusal { _ = try catalog.current() }?.status == .serviceUnavailable)
    #expect(try catalog.withSession { $0.catalog.count } == 1 && catalog.problem != nil)
    try Piece.catalog(.one).write(to: path)
    catalog.noteChange()
    #expect(try catalog.current().count == 1)
    #expect(try catalog.withSession { $0.catalog.count } == 2)
    // Parts of the results may be missing if a catalog cannot be read.
    let names = try catalog.withSession { $0.takeMissingCatalogs() }.map(\.name)
    #expect(names == [])
    try damage()
    let damaged = ServedCatalog(path: path, others: [other])
    let losses = try damaged.withSession { $0.takeMissingCatalogs() }
    #expect(losses.count == 1 && losses.allSatisfy { $0.isUnreadable && $0.name.hasSuffix("catalog") })
    #expect(damaged.problem != nil)
  }

  @Test func catalogsOfOtherServersAreEnough() throws {
    let part = try SwitchedPart(Piece.catalog(.one))
    let catalog = ServedCatalog(path: path, parts: [part])
    #expect(refusal { _ = try catalog.current() } != nil)
    var generator = RecognitionQueryGenerator(sampleRate: Piece.sampleRate)
    generator.append(Piece.one.part(5..<15).span)
    let query = generator.query()
    #expect(try catalog.withSession { $0.match(query) }.match?.best.referenceIdentifier == "one")
  }
}

/// Sessions that hear music.
@Suite(.bounded) struct LiveMatchTests {
  private let folder: TemporaryDirectory
  private let store: ResultStore
  private let links: LibraryLinks
  private let format = PCMFormat(sampleRate: Piece.sampleRate, channelCount: 1, encoding: .s16le)

  init() throws {
    folder = try TemporaryDirectory()
    store = try ResultStore(path: folder.file("library.sqlite"), findings: [])
    links = LibraryLinks(store: store)
    try Piece.catalog(.one).write(to: folder.file("catalog"))
  }

  private func session() -> LiveSession {
    LiveSession(id: "a", limit: ConfidenceLimit(), waiting: BufferBudget(limit: 64 << 20))
  }

  private func data(_ event: SessionEvent) throws -> JSONValue { try JSONValue(parsing: event.data) }

  /// Sends audio in chunks of this size, and ends the session.
  private func events(_ bytes: [UInt8], chunkSize: Int, _ catalog: ServedCatalog) throws -> [SessionEvent] {
    let session = session()
    for start in stride(from: 0, to: bytes.count, by: chunkSize) {
      let chunk = ByteBuffer(bytes: bytes[start..<min(start + chunkSize, bytes.count)])
      _ = try session.add(chunk, format, sequence: nil)
      while session.listen(catalog, links) {}
    }
    _ = session.end(because: "It is over.")
    while session.listen(catalog, links) {}
    return session.events(after: 0)
  }

  /// Chunks may end within a sample.
  @Test(arguments: [1 << 20, 40_001, 16_000]) func tracksBeginAndEnd(chunkSize: Int) throws {
    let catalog = ServedCatalog(path: folder.file("catalog"))
    let audio = Piece.bytes(Piece.one.part(17..<30) + Piece.other.part(0..<28))
    let events = try events(audio, chunkSize: chunkSize, catalog)
    let names = events.map(\.name)
    #expect(names.count { $0 == .match } == 1 && names.count { $0 == .trackEnded } == 1 && names.last == .end)
    let begun = try #require(names.firstIndex(of: .match))
    let ended = try #require(names.firstIndex(of: .trackEnded))
    // Nothing else is said while a track plays.
    #expect(ended == begun + 1 && names[(ended + 1)...].contains(.noMatch))
    let text = try data(events[begun])
    #expect(String(decoding: events[begun].data, as: UTF8.self).contains("Piece one"), "\(text)")
    #expect(events.map(\.id) == Array(1...events.count))
  }

  /// The times are those of the ends of the windows.
  @Test func unknownMusicIsToldOf() throws {
    let catalog = ServedCatalog(path: folder.file("catalog"))
    let events = try events(Piece.bytes(Piece.other.part(0..<17)), chunkSize: 16_000, catalog)
    #expect(events.dropLast().allSatisfy { $0.name == .noMatch } && events.last?.name == .end)
    let times = try events.dropLast().map { event -> Double in
      switch try data(event)["time_s"] {
      case .number(let seconds): seconds
      case .integer(let seconds): Double(seconds)
      default: .nan
      }
    }
    #expect(times.prefix(5).map { $0.rounded() } == [3, 5, 8, 12, 16])
    #expect(try data(events[0])["event"] == "no-match" && data(events[0])["heard_at"].text.hasSuffix("Z"))
  }

  /// Catalogs that do not answer are reported once, until all have answered again.
  @Test func missingCatalogsAreToldOfOnce() throws {
    let part = try SwitchedPart(Piece.catalog(.two))
    let catalog = ServedCatalog(path: folder.file("catalog"), parts: [part])
    let session = session()
    var counts: [Int] = []
    for (isOn, second) in [(true, 0), (false, 4), (false, 8), (true, 12), (false, 16), (false, 20)] {
      part.turn(on: isOn)
      let chunk = ByteBuffer(bytes: Piece.bytes(Piece.other.part(Double(second)..<Double(second + 4) + 0.5)))
      _ = try session.add(chunk, format, sequence: nil)
      while session.listen(catalog, links) {}
      counts.append(session.events(after: 0).count { $0.name == .error })
    }
    #expect(counts == [0, 1, 1, 1, 2, 2])
    let error = try #require(session.events(after: 0).first { $0.name == .error })
    #expect(
      try data(error)["message"].text
        == "Not all catalogs answer, so tracks may be missing: http://part.example:8642 (no answer). "
        + "The server keeps asking them.")
  }

  /// Clients that come back get the newest 64 events.
  @Test func oldEventsAreForgotten() throws {
    let catalog = ServedCatalog(path: folder.file("catalog"))
    let events = try events([UInt8](repeating: 0, count: 2 * 280 * Piece.sampleRate), chunkSize: 1 << 20, catalog)
    let last = try #require(events.last?.id)
    #expect(last > 64 && events.map(\.id) == Array(last - 63...last))
  }

  /// Matched audio makes room for more.
  @Test func queuesBecomeEmpty() throws {
    let catalog = ServedCatalog(path: folder.file("catalog"))
    let session = session()
    let format = PCMFormat(sampleRate: 384_000, channelCount: 16, encoding: .f32le)
    let chunk = ByteBuffer(repeating: 0, count: 4 << 20)
    let byte = ByteBuffer(repeating: 0, count: 1)
    for _ in 0..<2 { _ = try session.add(chunk, format, sequence: nil) }
    #expect(throws: RequestError.self) { try session.add(byte, format, sequence: nil) }
    while session.listen(catalog, links) {}
    #expect(try session.add(byte, format, sequence: nil).isWorkNew)
    while session.listen(catalog, links) {}
    // A chunk that has arrived before is no work, even if nobody is at it.
    let again = try session.add(chunk, format, sequence: 0)
    #expect(again.receipt.isDuplicate && !again.isWorkNew)
  }

  @Test func audioEndsIdleness() throws {
    let session = session()
    let isShorter = try (0..<1_000).contains { _ in
      let before = session.idleTime
      _ = try session.add(ByteBuffer(), format, sequence: 0)
      return session.idleTime < before
    }
    #expect(isShorter)
  }

  /// Several wake-ups before a client reads are one.
  @Test func wakeUpsAreJoined() async throws {
    let session = session()
    let end = MultiThreadedEventLoopGroup.singleton.any().makePromise(of: Void.self)
    let wakeUps = try session.wakeUps(until: end.futureResult)
    for _ in 0..<3 { session.wake() }
    end.succeed()
    var count = 0
    for await _ in wakeUps { count += 1 }
    #expect(count == 1)
  }
}

/// The lifetime of sessions.
@Suite(.bounded) struct SessionPaceTests {
  private let folder: TemporaryDirectory
  private let store: ResultStore
  private let owner = Client.Owner.token("phone")

  init() throws {
    folder = try TemporaryDirectory()
    store = try ResultStore(path: folder.file("library.sqlite"), findings: [])
  }

  private func sessions(_ pace: LiveSessions.Pace) throws -> LiveSessions {
    try LiveSessions(
      catalog: ServedCatalog(path: folder.file("catalog")), links: LibraryLinks(store: store), threadCount: 1,
      maximumCount: 200, pace: pace)
  }

  private static func pace(idle: Duration, afterlife: Duration) -> LiveSessions.Pace {
    LiveSessions.Pace(check: .milliseconds(5), idle: idle, afterlife: afterlife, keepAliveChecks: 1)
  }

  /// A session ends after a minute without audio, and can be read for half a minute more.
  @Test func sessionsHaveTimes() {
    let pace = LiveSessions.Pace()
    #expect(pace.idle == .seconds(60) && pace.afterlife == .seconds(30) && pace.check == .seconds(1))
    #expect(pace.keepAliveChecks == 15 && LiveSessions.idleSeconds == 60)
  }

  @Test func idleSessionsEnd() async throws {
    let sessions = try sessions(Self.pace(idle: .zero, afterlife: .seconds(10)))
    defer { sessions.endThreads() }
    let opened = try (0..<2).map { _ in try sessions.open(ConfidenceLimit(), for: owner) }
    // The second ends later than the first, so an ended session has been checked.
    for session in opened { while !session.isEnded { await Task.yield() } }
    let third = try sessions.open(ConfidenceLimit(), for: owner)
    while !third.isEnded { await Task.yield() }
    for session in opened + [third] {
      let event = try JSONValue(parsing: session.events(after: 0).last?.data ?? [])
      #expect(event["reason"] == "No audio arrived for 60 s.")
      #expect(try sessions.session(session.id) === session)
    }
    #expect(sessions.count == 0)
    sessions.close()
  }

  /// Sessions that were opened after all others were removed end as well.
  @Test func endedSessionsAreRemoved() async throws {
    let sessions = try sessions(Self.pace(idle: .zero, afterlife: .zero))
    defer { sessions.endThreads() }
    for _ in 0..<3 {
      let session = try sessions.open(ConfidenceLimit(), for: owner)
      while (try? sessions.session(session.id)) != nil { await Task.yield() }
      #expect(session.isEnded)
    }
    sessions.close()
  }

  @Test func readersAreKeptAlive() async throws {
    let sessions = try sessions(Self.pace(idle: .seconds(10), afterlife: .zero))
    defer { sessions.endThreads() }
    let session = try sessions.open(ConfidenceLimit(), for: owner)
    let never = MultiThreadedEventLoopGroup.singleton.any().makePromise(of: Void.self)
    defer { never.succeed() }
    var wakeUps = try session.wakeUps(until: never.futureResult).makeAsyncIterator()
    for _ in 0..<4 { #expect(await wakeUps.next() != nil) }
    #expect(!session.isEnded && session.events(after: 0).isEmpty)
    sessions.close()
    while sessions.count > 0 { await Task.yield() }
  }

  /// Between keep-alives, only events wake a reader.
  @Test func readersAreLeftAlone() async throws {
    let sessions = try sessions(
      LiveSessions.Pace(
        check: .milliseconds(5), idle: .milliseconds(60), afterlife: .zero, keepAliveChecks: 1_000_000))
    defer { sessions.endThreads() }
    let session = try sessions.open(ConfidenceLimit(), for: owner)
    let never = MultiThreadedEventLoopGroup.singleton.any().makePromise(of: Void.self)
    defer { never.succeed() }
    var count = 0
    for await _ in try session.wakeUps(until: never.futureResult) { count += 1 }
    // The first is at the beginning, and the other at the end.
    #expect((1...2).contains(count) && session.isEnded)
    sessions.close()
  }

  /// The audio that waits in all sessions has a limit.
  @Test func waitingAudioHasALimit() throws {
    let sessions = try sessions(.init())
    defer { sessions.endThreads() }
    let format = PCMFormat(sampleRate: 8_000, channelCount: 1, encoding: .s16le)
    let chunk = ByteBuffer(repeating: 0, count: 4 << 20)
    for _ in 0..<16 {
      let session = try sessions.open(ConfidenceLimit(), for: owner)
      for _ in 0..<2 { _ = try session.add(chunk, format, sequence: nil) }
    }
    let late = try sessions.open(ConfidenceLimit(), for: owner)
    let error = #expect(throws: RequestError.self) {
      try late.add(ByteBuffer(repeating: 0, count: 1), format, sequence: nil)
    }
    #expect(error?.status == .serviceUnavailable)
  }
}

/// Tracks of the library among the recognized ones.
@Suite(.bounded) struct LibraryLinkTests {
  private static func match(_ item: MediaItem) -> MatchedMediaItem {
    MatchedMediaItem(
      item: item, referenceIdentifier: "a", referenceDuration: 200, matchOffset: 0, elapsed: 0, speed: 1,
      frequencySkew: 0, confidence: 1)
  }

  private static func item(_ file: LibraryFile?, artworkURL: String? = nil) -> MediaItem {
    var item = MediaItem(title: "Song")
    if let file { item.properties[LibraryItem.path] = .string(file.path.string) }
    item.artworkURL = artworkURL
    return item
  }

  @Test func matchesHaveTheirTracks() throws {
    let folder = try TemporaryDirectory()
    let store = try ResultStore(path: folder.file("library.sqlite"), findings: [])
    let files = ["plain", "picture", "gone"].map { LibraryFile(path: FilePath("/music/\($0).flac"), tags: [:]) }
    let library = LibraryFiles(files)
    try library.merge(into: store)
    try library.run(in: store, root: "/music", without: [files[2].path], skipping: [], analyzed: .now)
    let links = LibraryLinks(store: store)
    let foreign = LibraryFile(path: "/elsewhere/1.flac", tags: [:])
    for (file, artwork, id, shown) in [
      (files[0], nil, files[0].id, nil), (files[1], nil, files[1].id, nil), (files[1], "x", files[1].id, "x"),
      (files[0], "x", files[0].id, "x"), (files[2], nil, nil, nil), (foreign, nil, nil, nil), (nil, "x", nil, "x"),
    ] as [(LibraryFile?, String?, String?, String?)] {
      let match = Self.match(Self.item(file, artworkURL: artwork))
      let linked = try links.linked(match)
      #expect(linked.item.properties[LibraryLinks.trackID] == id.map { .string($0) }, "\(file?.path.string ?? "-")")
      #expect(linked.item.artworkURL == shown)
      if id == nil { #expect(linked == match) }
      let cue = CueSheet.Cue(
        start: 0, end: 9, match: match, alternatives: [match, match], speed: 1, confidence: 1)
      let linkedCue = try links.linked(cue)
      #expect(linkedCue.match == linked && linkedCue.alternatives == [linked, linked])
    }
  }
}
