import AnalysisTesting
import Glibc
import Listening
import Synchronization
import SystemPackage
import Testing

@testable import Recognition

@Suite(.bounded) struct ManagedSessionTests {
  /// Plays a file, then nothing, until the command is stopped.
  private static func endless(_ file: FilePath) -> RecordingSource {
    .command(
      ["sh", "-c", "cat \(file); exec sleep 100000"], sampleRate: Music.sampleRate, channelCount: 1, encoding: .f32)
  }

  private static func write(_ samples: [Float], to path: FilePath) throws {
    try Catalogs.write(
      samples.flatMap { sample in (0..<4).map { UInt8(truncatingIfNeeded: sample.bitPattern >> (8 * $0)) } }, to: path)
  }

  @Test func aManagedSessionGoesThroughItsStates() async throws {
    let path = FilePath("/tmp/recognition-test-\(UInt64.random(in: 0...UInt64.max)).raw")
    defer { unlinkQuietly(path) }
    try Self.write(Music.piece(seed: 6, seconds: 14, from: 3), to: path)
    let listening = try ManagedRecognitionSession(catalog: Catalogs.catalog, source: Self.endless(path))
    #expect(listening.state == .idle)
    listening.prepare()
    #expect(listening.state == .prerecording)
    var matches: [SignatureMatch] = []
    for try await result in listening.start() {
      #expect(listening.state == .matching || matches.count >= 3)
      if let match = result.match { matches.append(match) }
      // The command does not end by itself: only this ends it.
      if matches.count == 3 { listening.cancel() }
    }
    #expect(matches.count >= 3)
    #expect(matches.allSatisfy { $0.best.referenceIdentifier == "piece-6" })
    for match in matches {
      let heard = match.queryStart + match.queryDuration
      #expect(abs(match.best.predictedCurrentMatchOffset - (3 + heard)) < 0.2)
    }
    #expect(listening.state == .idle)
    listening.prepare()
    #expect(listening.state == .idle)
    #expect(try await listening.result() == nil)
  }

  @Test func aManagedSessionReadsAFileToItsEnd() async throws {
    let path = FilePath("/tmp/recognition-test-\(UInt64.random(in: 0...UInt64.max)).raw")
    defer { unlinkQuietly(path) }
    try Self.write(Music.piece(seed: 100, seconds: 9), to: path)
    let source = RecordingSource.file(path, sampleRate: Music.sampleRate, channelCount: 1, encoding: .f32)
    let listening = try ManagedRecognitionSession(catalog: Catalogs.catalog, source: source)
    var ends: [Double] = []
    for try await result in listening.start() {
      guard case .noMatch(let start, let duration) = result else {
        Issue.record("\(result)")
        continue
      }
      ends.append(start + duration)
    }
    #expect(ends.prefix(3).map { $0.rounded() } == [3, 5, 8])
    #expect(try await listening.result() == nil)
  }

  @Test func aManagedSessionListensToACommand() async throws {
    let clip = Music.piece(seed: 4, seconds: 9, from: 6).map { Int16(max(-1, min(1, $0)) * 32767) }
    let bytes = clip.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)] }
    let path = FilePath("/tmp/recognition-test-\(clip.count)-\(UInt64.random(in: 0...UInt64.max)).raw")
    try Catalogs.write(bytes, to: path)
    let source = RecordingSource.command(["cat", path.string], sampleRate: 8000, channelCount: 1, encoding: .s16)
    let listening = try ManagedRecognitionSession(catalog: Catalogs.catalog, source: source)
    #expect(listening.state == .idle)
    let result = try await listening.result()
    #expect(result?.match?.best.referenceIdentifier == "piece-4")
    listening.cancel()
    unlinkQuietly(path)
  }

  @Test func looksDoNotListen() async throws {
    let listening = try ManagedRecognitionSession(
      catalog: Catalogs.catalog, source: .file("/nowhere", sampleRate: 8000, channelCount: 1, encoding: .s16))
    #expect(listening.state == .idle)
    await #expect(throws: RecordingError.self) { _ = try await listening.result() }
  }

  @Test func theEndOfACommandIsToldOf() async throws {
    for (command, expected) in [
      (["sh", "-c", "exit 7"], RecordingError.commandFailed("sh", status: 7)),
      (["sh", "-c", "kill -9 $$"], .commandFailed("sh", status: 137)),
    ] {
      let listening = try ManagedRecognitionSession(
        catalog: Catalogs.catalog,
        source: .command(command, sampleRate: 8000, channelCount: 1, encoding: .s16))
      await #expect(throws: expected) { for try await _ in listening.start() {} }
      #expect(listening.state == .idle)
    }
  }

  /// A command that ignores SIGTERM is killed.
  @Test func aStubbornCommandIsEnded() async throws {
    try await Catalogs.withDirectory { directory in
      let file = directory.appending("pid")
      let script = "trap '' TERM; echo $$ > \(file); while :; do sleep 1; done"
      let listening = try ManagedRecognitionSession(
        catalog: Catalogs.catalog,
        source: .command(["sh", "-c", script], sampleRate: 8000, channelCount: 1, encoding: .s16))
      listening.prepare()
      var process: pid_t?
      while process == nil {
        try await Task.sleep(for: .milliseconds(20))
        process = (try? CatalogFile.read(file)).flatMap { pid_t(String(decoding: $0.dropLast(), as: UTF8.self)) }
      }
      listening.cancel()
      for try await _ in listening.start() {}
      while kill(try #require(process), 0) == 0 { try await Task.sleep(for: .milliseconds(20)) }
      #expect(errno == ESRCH)
    }
  }

  /// A pipe without a writer, and one that no longer receives data.
  @Test(arguments: [false, true])
  func nothingHoldsUpTheEnd(isOpened: Bool) async throws {
    try await Catalogs.withDirectory { directory in
      let pipe = directory.appending("pipe")
      #expect(mkfifo(pipe.string, 0o600) == 0)
      let writer = isOpened ? try FileDescriptor.open(pipe, .readWrite) : nil
      defer { try? writer?.close() }
      let listening = try ManagedRecognitionSession(
        catalog: Catalogs.catalog, source: .file(pipe, sampleRate: 8000, channelCount: 1, encoding: .s16))
      let task = Task { try await listening.result() }
      while listening.state != .matching { try await Task.sleep(for: .milliseconds(10)) }
      // Canceling a task that waits for results ends listening.
      task.cancel()
      #expect(try await task.value == nil)
      while listening.state != .idle { try await Task.sleep(for: .milliseconds(10)) }
    }
  }

  /// A pipe is closed when listening ends, even if the session is kept.
  @Test func theSourceIsClosedAtTheEnd() async throws {
    try await Catalogs.withDirectory { directory in
      let pipe = directory.appending("pipe")
      #expect(mkfifo(pipe.string, 0o600) == 0)
      let listening = try ManagedRecognitionSession(
        catalog: Catalogs.catalog, source: .file(pipe, sampleRate: 8000, channelCount: 1, encoding: .s16))
      func isOpen() -> Bool {
        guard let writer = try? FileDescriptor.open(pipe, .writeOnly, options: .nonBlocking) else { return false }
        try? writer.close()
        return true
      }
      #expect(!isOpen())
      let writer = try FileDescriptor.open(pipe, .readWrite)
      listening.prepare()
      listening.prepare()
      #expect(listening.state == .prerecording)
      listening.cancel()
      #expect(listening.state == .idle)
      for try await _ in listening.start() { Issue.record("no audio came") }
      try writer.close()
      while isOpen() { await Task.yield() }
      #expect(listening.state == .idle)
    }
  }

  @Test func aSessionMayBeCanceledBeforeItStarts() async throws {
    let listening = try ManagedRecognitionSession(
      catalog: Catalogs.catalog, source: .file("/nowhere", sampleRate: 8000, channelCount: 1, encoding: .s16))
    listening.cancel()
    listening.prepare()
    #expect(listening.state == .idle)
    #expect(try await listening.result() == nil)
  }

  /// Without a match, the result is that of the first window that ends at the given time or later.
  @Test func resultsAreAwaitedForATime() async throws {
    try await Catalogs.withDirectory { directory in
      let file = directory.appending("sound.raw")
      try Self.write(Music.piece(seed: 100, seconds: 13), to: file)
      func session() throws -> ManagedRecognitionSession {
        try ManagedRecognitionSession(
          catalog: Catalogs.catalog,
          source: .file(file, sampleRate: Music.sampleRate, channelCount: 1, encoding: .f32))
      }
      var ends: [Double] = []
      for try await result in try session().start() { ends.append(try #require(result.end)) }
      #expect(ends.count >= 4)
      for end in ends.prefix(4) { #expect(try await session().result(within: end)?.end == end) }
      #expect(try await session().result(within: (ends[0] + ends[1]) / 2)?.end == ends[1])
      #expect(try await session().result(within: 1_000)?.end == ends.last)
    }
  }

  // MARK: Catalogs that change

  @Test func aNewCatalogIsUsed() async throws {
    try await Catalogs.withDirectory { directory in
      let (file, sound) = (directory.appending("catalog"), directory.appending("sound.raw"))
      var small = CustomCatalog()
      try small.add(Catalogs.references[0])
      try small.write(to: file)
      try Self.write(Music.piece(seed: 6, seconds: 14, from: 3), to: sound)
      let source = RecordingSource.file(sound, sampleRate: Music.sampleRate, channelCount: 1, encoding: .f32)
      #expect(try await ManagedRecognitionSession(following: file, source: source).result()?.match == nil)
      let listening = try ManagedRecognitionSession(following: file, source: source)
      try Catalogs.catalog.write(to: file)
      #expect(try await listening.result()?.match?.best.referenceIdentifier == "piece-6")
      for try await _ in listening.start() {}
    }
  }

  /// A catalog that cannot be opened is reported once, and the previous one is still used.
  @Test func anUnreadableCatalogIsReported() async throws {
    try await Catalogs.withDirectory { directory in
      let (file, other) = (directory.appending("catalog"), directory.appending("other"))
      let sound = directory.appending("sound.raw")
      try Catalogs.catalog.write(to: file)
      try Catalogs.write([1, 2, 3], to: other)
      try Self.write(Music.piece(seed: 6, seconds: 14, from: 3), to: sound)
      let listening = try ManagedRecognitionSession(
        following: file, source: .file(sound, sampleRate: Music.sampleRate, channelCount: 1, encoding: .f32))
      #expect(rename(other.string, file.string) == 0)
      var errors = 0
      var names: Set<String> = []
      for try await result in listening.start() {
        if case .error = result { errors += 1 }
        names.formUnion(result.matches.map(\.best.referenceIdentifier))
      }
      #expect(errors == 1 && names == ["piece-6"])
    }
  }

  /// The newest 64 results wait for a reader. Changes are noticed once per second of audio.
  @Test func unreadResultsHaveALimit() async throws {
    try await Catalogs.withDirectory { directory in
      let (file, sound) = (directory.appending("catalog"), directory.appending("sound.raw"))
      try Catalogs.write([1], to: file)
      try Catalogs.write([UInt8](repeating: 0, count: 70 * 4096 * 2), to: sound)
      let counter = Counter()
      let listening = try ManagedRecognitionSession(
        following: [file],
        open: { () throws(CatalogError) in
          let count = counter.next()
          if count == 1 { return Catalogs.catalog }
          // The file has changed again when it is looked at next.
          try? Catalogs.write([UInt8](repeating: 1, count: count), to: file)
          throw .unreadable(path: "catalog", reason: "test")
        },
        parts: [], source: .file(sound, sampleRate: 4000, channelCount: 1, encoding: .s16), missing: { _ in })
      try Catalogs.write([1, 1, 1], to: file)
      listening.prepare()
      while listening.state != .idle { await Task.yield() }
      var results: [RecognitionSession.Result] = []
      for try await result in listening.start() { results.append(result) }
      #expect(results.count == 64 && counter.count == 71)
    }
  }

  @Test func missingCatalogsAreTold() async throws {
    try await Catalogs.withDirectory { directory in
      let sound = directory.appending("sound.raw")
      try Self.write(Music.piece(seed: 100, seconds: 6), to: sound)
      let told = MissingCatalogs()
      let listening = try ManagedRecognitionSession(
        following: [], open: { () throws(CatalogError) in Catalogs.catalog }, parts: [SilentPart()],
        source: .file(sound, sampleRate: Music.sampleRate, channelCount: 1, encoding: .f32),
        missing: { told.add($0) })
      var count = 0
      for try await result in listening.start() where result.end != nil { count += 1 }
      #expect(count >= 2 && told.lists.count == count)
      #expect(told.lists.allSatisfy { $0 == [MissingCatalog(name: "http://silent.example:8642", reason: "no answer")] })
    }
  }
}

private final class Counter: Sendable {
  private let value = Mutex(0)

  var count: Int { value.withLock { $0 } }

  func next() -> Int {
    value.withLock {
      $0 += 1
      return $0
    }
  }
}

private final class MissingCatalogs: Sendable {
  private let all = Mutex<[[MissingCatalog]]>([])

  var lists: [[MissingCatalog]] { all.withLock { $0 } }

  func add(_ list: [MissingCatalog]) { all.withLock { $0.append(list) } }
}

private struct SilentPart: CatalogPart {
  let name = "http://silent.example:8642"

  func ask(_ question: [UInt8]) -> PartReply {
    PartReply { () throws(PartFailure) in throw PartFailure("no answer") }
  }
}
