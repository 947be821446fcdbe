import Analysis
import AnalysisEngine
import AnalysisTesting
import DSP
import Foundation
import LibraryScan
import Objects
import Platform
import Records
import ResultStore
import Synchronization
import SystemPackage
import Testing

@testable import Pipeline

/// Lines of input and their answers.
@Suite(.bounded) struct StreamingWorkerTests {
  private let folder: TemporaryDirectory
  private let probe = Probe()
  private static let sound = WAVFile(.noise(sampleRate: 8_000, seconds: 0.25)).bytes

  init() throws { folder = try TemporaryDirectory() }

  /// The answers of a worker, in the order in which they were given.
  private final class Answers: Sendable {
    private let records = Mutex<[WorkerRecord]>([])
    private let react: @Sendable (WorkerRecord) throws -> Void

    init(_ react: @escaping @Sendable (WorkerRecord) throws -> Void = { _ in }) { self.react = react }

    var all: [WorkerRecord] { records.withLock { $0 } }
    var keys: [String] { all.map(\.key) }
    subscript(key: String) -> WorkerRecord? { all.first { $0.key == key } }

    @Sendable func take(_ record: WorkerRecord) throws {
      records.withLock { $0.append(record) }
      try react(record)
    }
  }

  private func request(_ plugins: [AnalyzerPlugin] = [], in bucket: Bucket? = nil) -> StreamingWorker.Request {
    StreamingWorker.Request(
      plan: AnalysisPlan(name: "probes", plugins: plugins, resampler: .soxr), jobs: 1, isolation: .none,
      workingFolder: folder.path,
      objects: bucket?.fetcher
        ?? ObjectFetcher(
          ObjectAccess(environment: [:], home: folder.path), space: FetchSpace(limit: 0, in: folder.path)),
      programVersion: "9")
  }

  private func run(
    _ lines: String, _ request: StreamingWorker.Request, control: RunControl = RunControl(),
    _ answers: Answers = Answers()
  ) async throws -> (counts: StreamingWorker.Counts, answers: Answers) {
    let input = try FileDescriptor.open(try folder.write(Array(lines.utf8), as: "lines"), .readOnly)
    defer { try? input.close() }
    let worker = StreamingWorker(request, reading: input, control: control, answer: answers.take)
    return (try await worker.run(), answers)
  }

  private func counts(
    _ answered: [WorkerRecord.Status: Int], others: Int = 0, unanswered: Int = 0
  ) -> StreamingWorker.Counts {
    var counts = StreamingWorker.Counts()
    counts.answered = answered
    counts.others = others
    counts.unanswered = unanswered
    return counts
  }

  // MARK: - Answers

  @Test func everyLineHasAnAnswer() async throws {
    let path = try folder.write(Self.sound, as: "a.wav")
    try folder.write([UInt8](repeating: 7, count: 900), as: "b.mp3")
    try folder.write([1], as: "c.jpg")
    try folder.file("sub").makeFolder()
    var request = request([probe.plugin("p"), probe.plugin("sound", feed: Probe.audio)])
    request.digests = [.md5]
    let lines = #"{"path": "a.wav", "key": "k"}"# + "\nb.mp3\nsub\nc.jpg\nnone.wav\n\na\0b"
    let (counts, answers) = try await run(lines, request)
    #expect(counts == self.counts([.ok: 1, .failed: 4, .skipped: 2]))
    #expect(answers.keys.prefix(6) == ["k", "b.mp3", "sub", "c.jpg", "none.wav", ""] && answers.keys.count == 7)

    let fine = try #require(answers["k"])
    let file = try #require(ScannedFile(lookingAt: path))
    #expect(fine.status == .ok && fine.problem == nil && fine.programVersion == "9")
    #expect(fine.file?.path == path && fine.file?.sizeBytes == file.size && fine.file?.modified == file.modified)
    #expect(
      fine.stamp
        == WorkerRecord.Stamp(
          device: file.device, inode: file.inode, sizeBytes: file.size, modified: file.modified,
          statusChanged: file.statusChanged))
    #expect(fine.analysis?.decodedDuration == 0.25 && fine.analysis?.outcomes.count == 2)
    #expect(fine.analysis?.checksum?.whole == ContentID(hashing: Self.sound))
    #expect(fine.analysis?.checksum?.digests[.md5]?.count == 16 && fine.analysis?.checksum?.digests.count == 1)
    let plan = request.plan
    #expect(
      fine.pipeline
        == WorkerRecord.Pipeline(
          name: "probes", digest: plan.digest.description, decoderVersion: plan.wanted.decoderVersion,
          analyzers: plan.plugins.map(\.identity), audioReaders: ["sound"]))

    let bad = try #require(answers["b.mp3"])
    #expect(bad.status == .failed && bad.problem?.code == "unknown_format" && bad.file?.status == .failed)
    #expect(bad.stamp?.sizeBytes == 900 && bad.analysis?.status == .failed)
    let other = try #require(answers["sub"])
    #expect(other.status == .skipped && other.problem?.code == "folder" && other.file == nil && other.stamp == nil)
    let picture = try #require(answers["c.jpg"])
    #expect(picture.status == .skipped && picture.problem?.code == "not_audio" && picture.stamp == nil)
    #expect(picture.file?.path == folder.file("c.jpg") && picture.file?.status == .skipped)
    let empty = try #require(answers[""])
    #expect(empty.status == .failed && empty.problem?.code == "empty_line" && empty.file == nil)
    let missing = try #require(answers["none.wav"])
    #expect(missing.status == .failed && missing.problem?.code == "unreadable" && missing.stamp == nil)
    #expect(missing.file?.path == folder.file("none.wav") && missing.file?.problem == missing.problem)
  }

  /// Several threads answer each line once, in any order.
  @Test func linesAreSharedAmongThreads() async throws {
    let names = try (0..<24).map { number in
      try folder.write([UInt8](repeating: 7, count: 30 + number), as: "\(number).wav")
      return "\(number).wav"
    }
    var request = request()
    request.jobs = 3
    let (counts, answers) = try await run(names.joined(separator: "\n") + "\n", request)
    #expect(counts == self.counts([.failed: 24]) && answers.keys.sorted() == names.sorted())
    #expect(names.enumerated().allSatisfy { answers[$1]?.stamp?.sizeBytes == Int64(30 + $0) })
  }

  @Test func separatorsMayBeZeroBytes() async throws {
    try folder.write([UInt8](repeating: 7, count: 900), as: "a\nb.wav")
    var request = request()
    request.separator = 0
    let (counts, answers) = try await run("a\nb.wav\0c.wav\0", request)
    #expect(counts == self.counts([.failed: 2]) && answers.all.map { $0.stamp?.sizeBytes } == [900, nil])
  }

  /// A worker answers the lines of its own shard and counts the others.
  @Test(arguments: [("0/2", ["s3://bucket/key"], 2), ("1/2", ["a", "/music/a.flac"], 1), ("0/1", nil, 0)])
  func shardsShareTheLines(shard: String, keys: [String]?, others: Int) async throws {
    let all = ["a", "s3://bucket/key", "/music/a.flac"]
    var request = request()
    request.shard = try Shard(shard)
    let (counts, answers) = try await run(
      all.map { #"{"key": "\#($0)", "path": "none.wav"}"# + "\n" }.joined(), request)
    let expected = keys ?? all
    #expect(answers.keys == expected && counts == self.counts([.failed: expected.count], others: others))
  }

  @Test(arguments: [(131_072, "unreadable"), (131_073, "line_too_long")])
  func linesHaveALimit(length: Int, code: String) async throws {
    let line = #"{"path": "none.wav"}"#
    let spaces = String(repeating: " ", count: length - line.utf8.count)
    let (_, answers) = try await run(line + spaces + "\nnext.wav\n", request())
    #expect(answers.all.map { $0.problem?.code } == [code, "unreadable"] && answers.keys.last == "next.wav")
  }

  // MARK: - Files that change

  @Test func filesThatDisappearFail() async throws {
    let path = try folder.write([UInt8](repeating: 7, count: 900), as: "a.wav")
    let plugin = probe.plugin("p") { (file) throws(AnalysisError) in
      try? FileManager.default.removeItem(atPath: file.path.string)
    }
    let (counts, answers) = try await run("a.wav", request([plugin]))
    #expect(counts == self.counts([.failed: 1]))
    let record = try #require(answers.all.first)
    #expect(
      record.problem
        == Problem(stage: .open, code: "unreadable", message: "The file was removed before it could be read."))
    #expect(record.file?.path == path && record.file?.status == .failed && record.analysis == nil)
  }

  @Test func filesThatAreBeingWrittenAreSkipped() async throws {
    let folder = folder
    let path = try folder.write([UInt8](repeating: 7, count: 900), as: "a.wav")
    let plugin = probe.plugin("p") { (_) throws(AnalysisError) in
      _ = try? folder.write([UInt8](repeating: 7, count: 901), as: "a.wav")
    }
    let (counts, answers) = try await run("a.wav", request([plugin]))
    #expect(counts == self.counts([.skipped: 1]))
    let record = try #require(answers.all.first)
    #expect(record.problem?.code == "still_changing" && record.problem?.message == SkipReason.stillChanging.sentence)
    #expect(record.file?.path == path && record.file?.status == .skipped && record.stamp == nil)
  }

  // MARK: - Stops

  /// Lines after the stop have no answer, even if they were read before.
  @Test func stopsEndTheInput() async throws {
    let control = RunControl()
    let (counts, answers) = try await run(
      "a.wav\nb.wav\nc.wav\n", request(), control: control, Answers { _ in control.requestStop() })
    #expect(counts == self.counts([.failed: 1]) && answers.keys == ["a.wav"])
    let (none, _) = try await run("a.wav\n", request(), control: control)
    #expect(none == self.counts([:]))
  }

  /// Input that is awaited keeps no worker from ending.
  @Test(arguments: [1, 2]) func stopsEndTheWait(jobs: Int) async throws {
    let pipe = try FileDescriptor.pipe()
    defer { for end in [pipe.readEnd, pipe.writeEnd] { try? end.close() } }
    try pipe.writeEnd.writeAll(Array("a.wav\n".utf8))
    let control = RunControl()
    var request = request()
    request.jobs = jobs
    let worker = StreamingWorker(request, reading: pipe.readEnd, control: control) { _ in control.requestStop() }
    #expect(try await worker.run() == counts([.failed: 1]))
  }

  /// If an answer cannot be given, all threads end, and the error is thrown.
  @Test(arguments: [1, 2]) func failedAnswersEndTheWorker(jobs: Int) async throws {
    struct Trouble: Error {}
    let pipe = try FileDescriptor.pipe()
    defer { for end in [pipe.readEnd, pipe.writeEnd] { try? end.close() } }
    try pipe.writeEnd.writeAll(Array("a.wav\n".utf8))
    var request = request()
    request.jobs = jobs
    let worker = StreamingWorker(request, reading: pipe.readEnd, control: RunControl()) { _ in throw Trouble() }
    await #expect(throws: Trouble.self) { try await worker.run() }
  }

  /// A file that takes too long after a stop has no answer, and is counted.
  @Test func abandonedLinesAreCounted() async throws {
    try folder.write(Self.sound, as: "a.wav")
    let control = RunControl(grace: .seconds(-1))
    let plugin = probe.plugin("sound", feed: Probe.audio) { (_) throws(AnalysisError) in control.requestStop() }
    let (counts, answers) = try await run("a.wav\nb.wav\n", request([plugin]), control: control)
    #expect(counts == self.counts([:], unanswered: 1) && answers.all.isEmpty && probe.seen == ["sound a.wav"])
  }

  // MARK: - Objects

  @Test func objectsAreAnalyzed() async throws {
    let bucket = try Bucket(in: folder.path) { name in
      guard name == "b" else { return nil }
      return [
        .init(key: "a.wav", bytes: Self.sound, tag: "\"one\"", second: nil), .init(key: "d.wav", bytes: Self.sound),
        .init(key: "e.wav", status: 403),
      ]
    }
    let (counts, answers) = try await run(
      "s3://b/a.wav\ns3://b/c.jpg\ns3://b/none.wav\ns3://b/d.wav\ns3://b/e.wav\n",
      request([probe.plugin("p")], in: bucket))
    #expect(counts == self.counts([.ok: 2, .skipped: 1, .failed: 2]) && probe.seen == ["p a.wav", "p d.wav"])
    let record = try #require(answers["s3://b/a.wav"])
    // The server does not say when the object was changed.
    let never = Timestamp(nanoseconds: 0)
    #expect(
      record.stamp
        == WorkerRecord.Stamp(
          device: 0, inode: ScannedFile.number(ofEntityTag: "one"), sizeBytes: Int64(Self.sound.count), modified: never,
          statusChanged: never, entityTag: "\"one\""))
    #expect(record.file?.path == "s3:/b/a.wav" && record.file?.modified == never && record.status == .ok)
    let plain = try #require(answers["s3://b/d.wav"])
    #expect(plain.stamp?.entityTag == nil && plain.stamp?.inode == 0)
    #expect(plain.stamp?.modified == Timestamp(seconds: Bucket.minute + 4, nanoseconds: 0))
    let picture = try #require(answers["s3://b/c.jpg"])
    #expect(picture.status == .skipped && picture.problem?.code == "not_audio")
    #expect(picture.file?.path == "s3:/b/c.jpg" && picture.file?.status == .skipped)
    for (name, code) in [("none.wav", FetchFailure.Code.notFound), ("e.wav", .denied)] {
      let missing = try #require(answers["s3://b/\(name)"])
      #expect(missing.status == .failed && missing.problem?.code == code.rawValue && missing.problem?.stage == .open)
      #expect(missing.file?.path == FilePath("s3:/b/\(name)") && missing.stamp == nil)
    }
    withExtendedLifetime(bucket) {}
  }

  @Test func abandonedObjectsAreCounted() async throws {
    let control = RunControl(grace: .seconds(-1))
    let bucket = try Bucket(
      in: folder.path, onFetch: { _ in control.requestStop() }, { _ in [.init(key: "a.wav", status: 503)] })
    let (counts, answers) = try await run("s3://b/a.wav\n", request(in: bucket), control: control)
    #expect(counts == self.counts([:], unanswered: 1) && answers.all.isEmpty)
    withExtendedLifetime(bucket) {}
  }
}
