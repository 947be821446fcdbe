import Analysis
import AnalysisTesting
import DSP
import Foundation
import Glibc
import Platform
import Recognition
import SystemPackage
import Testing

@testable import Listening

/// Collects samples, buffer by buffer.
private struct Collector: PCMReceiver {
  let sampleRate = 8_000
  var buffers: [[Float]] = []
  /// Called after each buffer.
  var next: () -> Void = {}

  var samples: [Float] { Array(buffers.joined()) }
  /// The text that the samples were decoded from as 32-bit floats.
  var text: String { String(decoding: bytes(samples), as: UTF8.self) }

  /// The text that the samples were decoded from as 16-bit integers.
  var shortText: String { String(decoding: bytes(samples.map { Int16($0 * 32_768) }), as: UTF8.self) }

  mutating func append(_ frames: Span<Float>) {
    buffers.append(frames.indices.map { frames[$0] })
    next()
  }
}

private func bytes(_ samples: [Float]) -> [UInt8] {
  samples.flatMap { sample in withUnsafeBytes(of: sample.bitPattern.littleEndian) { Array($0) } }
}

private func bytes(_ samples: [Int16]) -> [UInt8] {
  samples.flatMap { sample in withUnsafeBytes(of: sample.littleEndian) { Array($0) } }
}

private func isRunning(_ process: pid_t) -> Bool { kill(process, 0) == 0 }

/// Number of open descriptors of this process.
private func descriptorCount() throws -> Int {
  try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
}

/// Sources of raw PCM.
@Suite(.bounded) struct RecordingTests {
  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  private func samples(
    _ bytes: [UInt8], _ encoding: RecordingSource.Encoding, channelCount: Int = 1
  ) throws -> [Float] {
    let path = try folder.write(bytes, as: "sound.raw")
    var collector = Collector()
    try Recording(.file(path, sampleRate: 8_000, channelCount: channelCount, encoding: encoding)).read(into: &collector)
    return collector.samples
  }

  /// Floats that are not finite are silence, and large ones are clipped. An incomplete last frame is dropped.
  @Test func samplesAreDecoded() throws {
    #expect(try samples(bytes([0, 16_384, -32_768, 32_767] as [Int16]), .s16) == [0, 0.5, -1, 32_767.0 / 32_768])
    let floats: [Float] = [.nan, .infinity, -.infinity, 17, -17, 16, -16, 0.25, -0.5]
    #expect(try samples(bytes(floats), .f32) == [0, 0, 0, 16, -16, 16, -16, 0.25, -0.5])
    #expect(try samples(bytes([16_384, 0, -8_192, -8_192, 1] as [Int16]), .s16, channelCount: 2) == [0.25, -0.25])
    #expect(try samples(bytes([0.5, 1, 0, 0.25] as [Float]) + [0, 0, 0], .f32, channelCount: 2) == [0.75, 0.125])
    #expect(try samples([], .f32) == [] && samples([1], .s16) == [])
    let many = (0..<20_001).map { Int16(truncatingIfNeeded: $0 * 7) }
    #expect(try samples(bytes(many), .s16) == many.map { Float($0) / 32_768 })
  }

  /// Frames may be cut anywhere between two reads.
  @Test func framesMayBeCut() throws {
    let expected = (0..<30).map { Float($0) / 64 - 0.2 }
    var rest = bytes(expected)[...]
    let pipe = folder.file("pipe")
    #expect(mkfifo(pipe.string, 0o600) == 0)
    let recording = try Recording(.file(pipe, sampleRate: 8_000, channelCount: 1, encoding: .f32))
    let writer = try FileDescriptor.open(pipe, .writeOnly)
    var sizes = [3, 1, 6, 2, 5, 7, 4, 8, 1, 1, 1, 1, 9, 11][...]
    func write() {
      let part = rest.prefix(sizes.popFirst() ?? rest.count)
      rest = rest.dropFirst(part.count)
      if part.isEmpty { try? writer.close() } else { _ = try? writer.writeAll(part) }
    }
    var collector = Collector()
    collector.next = write
    write()
    try recording.read(into: &collector)
    #expect(collector.samples == expected)
    #expect(collector.buffers.prefix(4).map(\.count) == [0, 1, 1, 1])
  }

  @Test func sourcesHaveOneChannelAndOneFrameAtLeast() {
    for (given, used) in [(-1, 1), (0, 1), (1, 1), (2, 2), (48_000, 48_000)] {
      let sources: [RecordingSource] = [
        .standardInput(sampleRate: given, channelCount: given, encoding: .s16),
        .file("/a", sampleRate: given, channelCount: given, encoding: .s16),
        .command(["a"], sampleRate: given, channelCount: given, encoding: .f32),
      ]
      #expect(sources.allSatisfy { $0.sampleRate == used && $0.channelCount == used })
      #expect(sources.map(\.name) == ["standard input", "/a", "a"])
    }
    #expect(RecordingSource.Encoding.allCases.map(\.size) == [2, 4])
  }

  @Test func missingSourcesHaveReasons() {
    let sources: [(source: RecordingSource, name: String)] = [
      (.file("/nowhere", sampleRate: 8_000, channelCount: 1, encoding: .s16), "/nowhere"),
      (.command(["/nowhere", "x"], sampleRate: 8_000, channelCount: 1, encoding: .s16), "/nowhere"),
    ]
    for (source, name) in sources {
      let error = #expect(throws: RecordingError.self) { try Recording(source) }
      #expect(error == .cannotOpen(name, reason: "No such file or directory"))
    }
    let folder = RecordingSource.file(folder.path, sampleRate: 8_000, channelCount: 1, encoding: .s16)
    let error = #expect(throws: RecordingError.self) {
      var collector = Collector()
      try Recording(folder).read(into: &collector)
    }
    #expect(error == .cannotRead(self.folder.path.string, reason: "Is a directory"))
    for (error, text) in [
      (.cannotOpen("a", reason: "b"), "a cannot be opened: b"), (.cannotRead("a", reason: "b"), "a cannot be read: b"),
      (.commandFailed("a", status: 3), "a ended with status 3"),
    ] as [(RecordingError, String)] {
      #expect(error.description == text)
    }
  }

  private func command(_ script: String) -> RecordingSource {
    .command(["sh", "-c", script], sampleRate: 8_000, channelCount: 1, encoding: .s16)
  }

  @Test(arguments: [0, 1, 2, 255]) func commandsEndWithAStatus(status: Int) throws {
    var collector = Collector()
    var failure: RecordingError?
    do throws(RecordingError) {
      try Recording(command("printf sound123; exit \(status)")).read(into: &collector)
    } catch {
      failure = error
    }
    #expect(failure == (status == 0 ? nil : .commandFailed("sh", status: Int32(status))))
    #expect(collector.shortText == "sound123")
  }

  /// A stopped command is asked to end, and may do so in its own way.
  @Test func aStoppedCommandMayCleanUp() throws {
    let note = folder.file("note")
    let recording = try Recording(
      command("trap 'echo ended > \(note); exit 0' TERM; printf text; while :; do sleep 0.02; done"))
    var collector = Collector()
    collector.next = { recording.stop() }
    try recording.read(into: &collector)
    #expect(collector.shortText == "text")
    #expect(try SmallFile.read(note, limit: 100) == Array("ended\n".utf8))
  }

  /// A command that only closes its output is killed once it is stopped.
  @Test func aStoppedCommandIsGone() async throws {
    let file = folder.file("pid")
    let recording = try Recording(
      command("trap '' TERM; exec >/dev/null; echo $$ > \(file).new; mv \(file).new \(file); exec sleep 100000"))
    while FileIdentity(file) == nil { await Task.yield() }
    let process = try #require(pid_t(String(decoding: SmallFile.read(file, limit: 100).dropLast(), as: UTF8.self)))
    #expect(isRunning(process))
    recording.stop()
    var collector = Collector()
    try recording.read(into: &collector)
    #expect(!isRunning(process) && collector.samples == [])
    withExtendedLifetime(recording) {}
  }

  /// Sources and processes that are given up leave nothing open.
  @Test func descriptorsAreClosed() async throws {
    let path = try folder.write([0, 0, 0, 0], as: "sound.raw")
    await #expect(processExitsWith: .success) { [path = path.string as String] in
      func use() throws {
        var collector = Collector()
        let file = RecordingSource.file(FilePath(path), sampleRate: 8_000, channelCount: 1, encoding: .f32)
        try Recording(file).read(into: &collector)
        let command = ["sh", "-c", "cat \(path)"]
        try Recording(.command(command, sampleRate: 8_000, channelCount: 1, encoding: .f32)).read(into: &collector)
        _ = try? RecordingCommand(["/nowhere"])
        let input = try FileDescriptor.open(FilePath(path), .readOnly)
        try input.closeAfter {
          try DecodingProcess(["cat"], input: input).read(into: &collector)
          _ = try? DecodingProcess(["/nowhere"], input: input)
        }
        #expect(collector.samples == [0, 0, 0])
      }
      try use()
      let before = try descriptorCount()
      for _ in 0..<3 { try use() }
      #expect(try descriptorCount() == before)
    }
  }
}

/// Decoding in a process of its own.
@Suite(.bounded) struct DecodingProcessTests {
  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  /// Runs a shell script as the decoding process.
  /// - Parameter argument: The first argument of the script.
  private func run(_ script: String, _ argument: String = "", input: [UInt8] = []) throws -> Collector {
    let file = try FileDescriptor.open(folder.write(input, as: "input"), .readOnly)
    return try file.closeAfter {
      var collector = Collector()
      try DecodingProcess(["sh", "-c", script, argument], input: file).read(into: &collector)
      return collector
    }
  }

  private func failure(_ script: String, _ argument: String = "") throws -> DecodeError? {
    do {
      _ = try run(script, argument)
      return nil
    } catch let error as DecodeError {
      return error
    }
  }

  /// Samples may be cut anywhere between two reads.
  @Test func outputIsAudio() throws {
    let samples = (0..<50_000).map { Float($0 % 999) / 999 - 0.5 }
    #expect(try run("cat", input: bytes(samples)).samples == samples)
    let few = Array(samples.prefix(1_000))
    #expect(try run("dd bs=7 2>/dev/null", input: bytes(few) + [1, 2, 3]).samples == few)
    #expect(try run("true").samples == [])
  }

  @Test func failuresHaveReasons() throws {
    let text = #"{"code": "no_audio", "message": "It has none."}"#
    #expect(try failure("echo '\(text)' >&2; exit 3") == DecodeError(.noAudio, "It has none."))
    for script in ["echo no >&2; exit 3", "exit 3"] {
      #expect(try failure(script) == DecodeError(.corrupt, "This audio cannot be decoded."))
    }
    for end in ["exit 1", "exit 2", "exit 4", "kill -9 $$"] {
      let error = try failure("echo '\(text)' >&2; \(end)")
      #expect(error == DecodeError(.corrupt, "Decoding this audio took too long, or broke the decoder."), "\(end)")
    }
    #expect(try failure("echo '\(text)' >&2; exit 0") == nil)
    let file = try FileDescriptor.open(folder.write([], as: "input"), .readOnly)
    defer { try? file.close() }
    let error = #expect(throws: RecordingError.self) {
      var collector = Collector()
      try DecodingProcess(["/nowhere"], input: file).read(into: &collector)
    }
    #expect(error == .cannotOpen("/nowhere", reason: "No such file or directory"))
  }

  /// 4096 bytes of a reason are read.
  @Test func reasonsHaveALimit() throws {
    let (start, end) = (#"{"code": "no_audio", "message": ""#, #""}"#)
    for (size, isTaken) in [(4_096, true), (4_097, false)] {
      let message = String(repeating: "x", count: size - start.utf8.count - end.utf8.count)
      let path = try folder.write(Array((start + message + end).utf8), as: "reason")
      let expected = isTaken ? DecodeError(.noAudio, message) : DecodeError(.corrupt, "This audio cannot be decoded.")
      #expect(try failure("cat \"$0\" >&2; exit 3", path.string) == expected, "\(size) bytes")
    }
  }

  /// 512 MiB of memory and two minutes of processor time.
  @Test(
    .disabled(
      if: !["ASAN_OPTIONS", "TSAN_OPTIONS"].allSatisfy { ProcessInfo.processInfo.environment[$0] == nil },
      "sanitizers need terabytes"))
  func processesHaveLimits() throws {
    #expect(try run("printf '%8s%12s' $(ulimit -t) $(ulimit -d)").text == "     120      524288")
  }
}

/// The program that decodes untrusted audio.
@Suite(.bounded) struct DecodingWorkerTests {
  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  /// Runs the program with files in place of its standard streams.
  private static func run(in folder: String, seconds: Double) throws -> Never {
    let folder = FilePath(folder)
    let streams: [(String, FileDescriptor.AccessMode, FileDescriptor)] = [
      ("input", .readOnly, .standardInput), ("output", .writeOnly, .standardOutput),
      ("errors", .writeOnly, .standardError),
    ]
    for (name, mode, stream) in streams {
      let file = try FileDescriptor.open(
        folder.appending(name), mode, options: mode == .writeOnly ? .create : [], permissions: .ownerReadWrite)
      _ = try file.duplicate(as: stream)
    }
    DecodingWorker.run(audioSeconds: seconds)
  }

  private func output() throws -> [Float] {
    let bytes = try SmallFile.read(folder.file("output"), limit: 1 << 24)
    #expect(bytes.count % 4 == 0)
    return stride(from: 0, to: bytes.count, by: 4).map { start in
      Float(bitPattern: (0..<4).reduce(0) { $0 | UInt32(bytes[start + $1]) << UInt32(8 * $1) })
    }
  }

  /// The mean of the channels, at 8 kHz, up to a limit.
  @Test(
    arguments: [
      (8_000, 10, 20_000), (8_000, 0.1, 800), (8_000, 0.0002, 1), (16_000, 10, 20_000), (16_000, 0.125, 2_000),
    ] as [(Int, Double, Int)])
  func audioIsWritten(rate: Int, seconds: Double, frameCount: Int) async throws {
    let left = (0..<20_000).map { 0.5 * sin(Float($0) * 0.1) }
    let right = left.map { $0 / 2 }
    try folder.write(WAVFile(Signal(sampleRate: rate, channels: [left, right]), encoding: .float32).bytes, as: "input")
    await #expect(processExitsWith: .success) {
      [folder = folder.path.string as String, seconds = seconds as Double] in
      try Self.run(in: folder, seconds: seconds)
    }
    var expected = left.prefix(frameCount).map { $0 * 0.75 }
    if rate != 8_000 {
      let resampler = SoxrResampler(inputRate: rate, outputRate: 8_000)
      var (resampled, whole): ([Float], [Float]) = ([], [])
      let count = resampler.push(expected.span, into: &resampled)
      whole += resampled[..<count]
      let rest = resampler.finish(into: &resampled)
      whole += resampled[..<rest]
      expected = whole
    }
    let output = try output()
    #expect(abs(output.count - expected.count) <= (rate == 8_000 ? 0 : 1))
    #expect(zip(output, expected).allSatisfy { abs($0 - $1) < 1e-4 })
  }

  @Test func failuresAreReported() async throws {
    try folder.write(Array("This is no audio, but a text of some length.".utf8), as: "input")
    await #expect(processExitsWith: .exitCode(3)) { [folder = folder.path.string as String] in
      try Self.run(in: folder, seconds: 10)
    }
    let errors = try SmallFile.read(folder.file("errors"), limit: 4_096)
    let error = try JSONDecoder().decode(DecodeError.self, from: Data(errors))
    #expect(!error.message.isEmpty && error.code != .unreadable)
    #expect(try output() == [])
  }
}
