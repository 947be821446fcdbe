import Analysis
import AnalysisEngine
import AnalysisTesting
import AudioDecoding
import DSP
import Foundation
import Platform
import SystemPackage
import Testing
import Text

/// Reports the file information passed to it.
private struct FileProbe: AnalysisSession {
  struct Finding: AnalysisFinding {
    var sampleRate: Int?
  }

  let file: AudioFile

  mutating func consume(_ values: Span<Float>, at index: Int64) throws(AnalysisError) {
    throw .failed("a file feed has no values")
  }

  mutating func finish() throws(AnalysisError) -> Finding { Finding(sampleRate: file.format?.sampleRate) }
}

private let mono = Feed.samples(SampleLayout(rate: .native))
private let resampled = Feed.samples(SampleLayout(rate: .hertz(22_050)))
private let tags = AnalyzerPlugin(
  id: "tags", version: 1, feed: .file, configuration: [:], shapingFinding: [:], resampler: "soxr"
) { FileProbe(file: $0) }

private func analyzer(_ plugins: [AnalyzerPlugin]? = nil, readsToEnd: Bool = true) -> FileAnalyzer {
  FileAnalyzer(
    plugins: plugins ?? [Probe.plugin("first", mono), tags, Probe.plugin("second", resampled)], resampler: .soxr,
    readsToEnd: readsToEnd)
}

private let signal = Signal.channels([.noise(seed: 1, seconds: 2), .noise(seed: 2, seconds: 2)])

extension FileAnalysis {
  fileprivate var ids: [String] { outcomes.map(\.analyzer.id) }

  fileprivate func outcome(_ id: String) -> AnalyzerOutcome? { outcomes.first { $0.analyzer.id == id } }

  fileprivate var sampleRateOfTags: Int?? {
    if case .finding(let finding as FileProbe.Finding) = outcome("tags")?.result { finding.sampleRate } else { nil }
  }
}

@Suite(.bounded) struct `The analysis of a file` {
  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
  }

  private func analyze(_ path: FilePath, with analyzer: FileAnalyzer = analyzer()) throws -> FileAnalysis {
    try #require(analyzer.analyze(AnalysisJob(path: path)))
  }

  /// An RF64 file that claims a terabyte of audio, of which only some was ever written.
  @Test(arguments: [0, 1, 3]) func `a hole of a terabyte is not decoded`(megabytes: Int) throws {
    func bytes(_ value: some FixedWidthInteger) -> [UInt8] { withUnsafeBytes(of: value.littleEndian) { Array($0) } }
    let size = 1 << 40
    var header = Array("RF64".utf8) + bytes(UInt32.max) + Array("WAVEds64".utf8) + bytes(UInt32(28))
    header += bytes(UInt64(size - 8)) + bytes(UInt64(size - 80)) + bytes(UInt64((size - 80) / 2)) + bytes(UInt32(0))
    header += Array("fmt ".utf8) + bytes(UInt32(16)) + bytes(UInt16(1)) + bytes(UInt16(1))
    header += bytes(UInt32(44_100)) + bytes(UInt32(88_200)) + bytes(UInt16(2)) + bytes(UInt16(16))
    header += Array("data".utf8) + bytes(UInt32.max)
    let path = try directory.write(header + [UInt8](repeating: 7, count: megabytes << 20), as: "a.wav")
    try #require(truncate(path.string, off_t(size)) == 0)
    let file = try FileDescriptor.open(path, .readWrite)
    // Data behind the hole is not audio that follows it.
    try file.writeAll(toAbsoluteOffset: Int64(size) - 5, [1, 2, 3, 4, 5])
    #expect((0..<1 << 24).contains(file.storedSize(of: Int64(size))))
    try file.close()
    var job = AnalysisJob(path: path, timeLimit: .standard)
    job.digests = []
    let clock = ContinuousClock()
    let start = clock.now
    let analysis = try #require(analyzer().analyze(job))
    #expect(clock.now - start < .seconds(20))
    #expect(analysis.status == .partial && analysis.problem?.code == "truncated")
    #expect(analysis.problem?.message.contains("only zeros from byte") == true)
    #expect(analysis.decodedDuration.map { $0 < 60 } ?? true)
  }

  @Test func `files with holes get processor time for the data they store`() throws {
    let limit = TimeLimit.standard
    #expect(limit.processorSeconds(ofFileWith: 1 << 40, stored: 4_096) == 60)
    #expect(limit.processorSeconds(ofFileWith: 1 << 40, stored: 100_000_000) == 60)
    #expect(limit.processorSeconds(ofFileWith: 1 << 40, stored: 200_000_000) == 120)
    #expect(limit.processorSeconds(ofFileWith: 100_000_000, stored: 90_000_000) == nil)
    #expect(TimeLimit(seconds: 500).processorSeconds(ofFileWith: 1 << 40, stored: 1) == nil)
    let path = try directory.write([UInt8](repeating: 1, count: 100_000), as: "holes")
    try #require(truncate(path.string, 1 << 28) == 0)
    let file = try FileDescriptor.open(path, .readWrite)
    defer { try? file.close() }
    try file.writeAll(toAbsoluteOffset: 1 << 27, [UInt8](repeating: 1, count: 100_000))
    #expect((200_000..<1 << 20).contains(file.storedSize(of: 1 << 28)))
  }

  @Test func `compares FLAC with its checksum only on request`() throws {
    let fixture = Repository.url("Fixtures/signals/short.flac")
    var bytes = Array(try Data(contentsOf: fixture))
    func analysis(verifies: Bool) throws -> FileAnalysis {
      let analyzer = FileAnalyzer(plugins: [tags], resampler: .soxr, verifiesChecksums: verifies)
      return try analyze(directory.write(bytes, as: "a.flac"), with: analyzer)
    }
    #expect(try analysis(verifies: true).status == .ok)
    bytes[30] ^= 1
    let verified = try analysis(verifies: true)
    #expect(verified.status == .partial && verified.problem?.code == "checksum_mismatch")
    #expect(try analysis(verifies: false).status == .ok)
  }

  @Test func `holds everything, in the order of the analyzers`() throws {
    let analysis = try analyze(directory.write(signal, as: "a.wav"))
    #expect(analysis.status == .ok)
    #expect(analysis.problem == nil)
    #expect(analysis.remarks == [])
    #expect(analysis.contentID != nil)
    #expect(analysis.format?.frameCount == 88_200)
    #expect(analysis.format?.channelCount == 2)
    #expect(!analysis.reusesKnownAudio)
    #expect(analysis.ids == ["first", "tags", "second"])
    #expect(analysis.outcome("first")?.probed?.values.count == 88_200)
    #expect(analysis.outcome("second")?.probed?.values.count == 44_100)
    #expect(analysis.sampleRateOfTags == 44_100)
  }

  @Test func `says where the time went on request`() throws {
    let path = try directory.write(signal, as: "a.wav")
    #expect(try analyze(path).stageTimes == nil)
    let start = ContinuousClock.now
    let times = try #require(analyzer().analyze(AnalysisJob(path: path, isProfiled: true))?.stageTimes)
    let elapsed = (ContinuousClock.now - start) / .seconds(1)
    let stages = ["open", "decode", "downmix", "resample", "analyzer first", "analyzer second", "analyzer tags"]
    for stage in stages { #expect(times.seconds[stage] ?? 0 > 0, "\(stage)") }
    #expect(times.total <= elapsed)
  }

  @Test func `of a file that ends early is partial, with findings`() throws {
    let bytes = WAVFile(signal, claimedFrameCount: 441_000).bytes
    let analysis = try analyze(directory.write(bytes, as: "cut.wav"))
    #expect(analysis.status == .partial)
    #expect(analysis.problem?.stage == .decode)
    #expect(analysis.problem?.code == "truncated")
    #expect(analysis.outcome("first")?.probed?.values.count == 88_200)
    #expect(analysis.format?.frameCount == 88_200)
  }

  @Test func `of a file without audio still covers the file itself`() throws {
    for (name, bytes, code) in [
      ("empty.mp3", [], "empty"), ("text.mp3", Array("Dear diary, today I was not recorded.".utf8), "unknown_format"),
    ] {
      let analysis = try analyze(directory.write(bytes, as: name))
      #expect(analysis.status == .failed)
      #expect(analysis.problem?.stage == .open)
      #expect(analysis.problem?.code == code)
      #expect(analysis.ids == ["tags"])
      #expect(analysis.sampleRateOfTags == .some(nil))
      #expect(analysis.format == nil)
    }
    #expect(try analyze(directory.file("missing.wav")).problem?.code == "unreadable")
    #expect(try analyze(directory.path).problem?.code == "unreadable")
  }

  @Test func `remarks on samples that are not numbers`() throws {
    var broken = signal
    broken.channels[0][1_000] = .nan
    broken.channels[1][2_000] = .infinity
    let analysis = try analyze(directory.write(broken, as: "nan.wav", encoding: .float32))
    #expect(analysis.status == .ok)
    #expect(analysis.remarks.map(\.code) == ["non_finite_samples"])
    #expect(analysis.outcome("first")?.probed?.values.allSatisfy { $0.isFinite } == true)
  }

  @Test func `keeps an analyzer's failure to that analyzer`() throws {
    let plugins = [
      Probe.plugin("good", mono), Probe.plugin("bad", mono, Probe(failsAfter: 20_000)), tags,
      AnalyzerPlugin(id: "worse", version: 1, feed: .file, configuration: [:], shapingFinding: [:], resampler: "") {
        (_) throws(AnalysisError) in throw .failed("no file")
      },
    ]
    let analysis = try analyze(directory.write(signal, as: "a.wav"), with: analyzer(plugins))
    #expect(analysis.status == .ok)
    #expect(analysis.outcomes.map(\.failure) == [nil, "had too much", nil, "no file"])
  }

  @Test func `reads to the end even if no analyzer wants it, unless told otherwise`() throws {
    let path = try directory.write(signal, as: "a.wav")
    let plugins = [Probe.plugin("brief", mono, Probe(hasEnoughAfter: 100))]
    #expect(try analyze(path, with: analyzer(plugins)).format?.frameCount == 88_200)
    let brief = try analyze(path, with: analyzer(plugins, readsToEnd: false))
    #expect(brief.status == .ok)
    #expect(brief.format?.frameCount == nil)
    #expect(brief.outcome("brief")?.probed?.counts.count == 1)
  }

  @Test func `runs only the requested analyzers`() throws {
    let path = try directory.write(signal, as: "a.wav")
    let analysis = try #require(analyzer().analyze(AnalysisJob(path: path, analyzers: ["second", "other"])))
    #expect(analysis.ids == ["second"])
    let onlyTags = try #require(analyzer().analyze(AnalysisJob(path: path, analyzers: ["tags"])))
    #expect(onlyTags.ids == ["tags"])
    #expect(onlyTags.sampleRateOfTags == 44_100)
    #expect(onlyTags.contentID == analysis.contentID)
    #expect(onlyTags.decodingID == nil && analysis.decodingID != nil)
  }

  @Test func `ends when it is canceled`() throws {
    let path = try directory.write(signal, as: "a.wav")
    #expect(analyzer().analyze(AnalysisJob(path: path), isCancelled: { true }) == nil)
    var questions = 0
    let analysis = analyzer().analyze(AnalysisJob(path: path)) {
      questions += 1
      return questions == 3
    }
    #expect(analysis == nil)
    #expect(questions == 3)
  }

  @Test func `is partial at its time limit`() throws {
    let path = try directory.write(signal, as: "a.wav")
    let analysis = try #require(analyzer().analyze(AnalysisJob(path: path, timeLimit: TimeLimit(seconds: 0))))
    #expect(analysis.status == .partial)
    #expect(analysis.problem?.code == "time_limit")
    #expect(analysis.outcome("first")?.probed?.counts == [AudioBlock.capacity])
    #expect(analysis.ids == ["first", "tags", "second"])
    let generous = TimeLimit(seconds: .greatestFiniteMagnitude)
    #expect(analyzer().analyze(AnalysisJob(path: path, timeLimit: generous))?.status == .ok)
  }

  /// Only processor time counts, and longer audio gets more of it.
  @Test func `gets more time the more is decoded`() throws {
    let path = try directory.write(.silence(sampleRate: 8_000, seconds: 60), as: "a.wav")
    // Simulates one second of computation per block of 2.05 s.
    func status(_ limit: TimeLimit) -> FileAnalysis.Status? {
      var time = 0.0
      return analyzer().analyze(
        AnalysisJob(path: path, timeLimit: limit),
        processorTime: {
          time += 1
          return time
        })?.status
    }
    func limit(perAudioSecond: Double) -> TimeLimit {
      TimeLimit(processorSeconds: 3, perAudioSecond: perAudioSecond, standstillSeconds: 1)
    }
    #expect(status(limit(perAudioSecond: 0)) == .partial)
    #expect(status(limit(perAudioSecond: 0.4)) == .partial)
    #expect(status(limit(perAudioSecond: 0.6)) == .ok)
  }
}

@Suite(.bounded) struct `Audio that is known` {
  private let directory: TemporaryDirectory
  private let known: KnownAudio
  private let path: FilePath

  init() throws {
    directory = try TemporaryDirectory()
    let original = try directory.write(signal, as: "original.wav")
    let analysis = try #require(analyzer().analyze(AnalysisJob(path: original)))
    known = KnownAudio(
      decodingID: try #require(analysis.decodingID), analyzers: Set(analysis.outcomes.map(\.analyzer)),
      format: analysis.format)
    // The same audio with another name and another tag: a LIST chunk with a title at the end.
    let list: [UInt8] =
      Array("LIST".utf8) + [18, 0, 0, 0] + Array("INFOINAM".utf8) + [6, 0, 0, 0] + Array("Title\0".utf8)
    var bytes = WAVFile(signal).bytes
    bytes += list
    withUnsafeBytes(of: UInt32(bytes.count - 8).littleEndian) { bytes.replaceSubrange(4..<8, with: $0) }
    path = try directory.write(bytes, as: "moved.wav")
  }

  @Test func `is not decoded again, but the file is looked at`() throws {
    let analysis = try #require(analyzer().analyze(AnalysisJob(path: path, knownAudio: [known])))
    #expect(analysis.reusesKnownAudio)
    #expect(analysis.decodingID == known.decodingID && analysis.decodedDuration == nil)
    #expect(analysis.ids == ["tags"])
    #expect(analysis.format == known.format)
    #expect(analysis.sampleRateOfTags == 44_100)
  }

  @Test func `keeps the remarks on its samples, but none on the other file`() throws {
    var loud = known
    loud.remarks = [
      Problem(stage: .open, code: "broken_tag", message: "Of the other file."),
      Problem(stage: .decode, code: "absurd_samples", message: "Loud."),
    ]
    let analysis = try #require(analyzer().analyze(AnalysisJob(path: path, knownAudio: [loud])))
    #expect(analysis.status == .ok)
    #expect(analysis.remarks.map(\.code) == ["absurd_samples"])
  }

  @Test func `is decoded for an analyzer that reads others, with those that it reads`() throws {
    let plugins = [
      Probe.plugin("first", mono), tags, Probe.plugin("second", resampled),
      Reader.plugin("reader", mono, reads: ["first"]),
    ].asOnePipeline()
    let analysis = try #require(analyzer(plugins).analyze(AnalysisJob(path: path, knownAudio: [known])))
    #expect(analysis.ids == ["first", "tags", "reader"])
    #expect(analysis.outcome("reader")?.read?.valuesOfProbe ?? 0 > 0)

    let chosen = AnalysisJob(path: path, analyzers: ["reader"])
    let ofOne = try #require(analyzer(plugins).analyze(chosen))
    #expect(ofOne.ids == ["reader"])
    #expect(ofOne.outcome("reader")?.read == analysis.outcome("reader")?.read)
  }

  @Test func `is decoded if the known file was not read to its end`() throws {
    var unread = known
    unread.format?.frameCount = nil
    let analysis = try #require(analyzer().analyze(AnalysisJob(path: path, knownAudio: [unread])))
    #expect(!analysis.reusesKnownAudio && analysis.decodedDuration == 2)
    let brief = analyzer(readsToEnd: false)
    #expect(brief.analyze(AnalysisJob(path: path, knownAudio: [unread]))?.reusesKnownAudio == true)
  }

  /// The same samples behind a header that claims more.
  @Test func `is none for a file that is cut off`() throws {
    let cut = try directory.write(WAVFile(signal, claimedFrameCount: 441_000).bytes, as: "cut.wav")
    let content = try AudioContent(path: cut)
    #expect(content.fault?.code == .truncated)
    var lying = known
    lying.decodingID = content.decodingID
    let analysis = try #require(analyzer().analyze(AnalysisJob(path: cut, knownAudio: [lying])))
    #expect(analysis.status == .partial && !analysis.reusesKnownAudio)
    #expect(analysis.ids == ["first", "tags", "second"])
  }

  @Test func `is decoded for what is not stored`() throws {
    let plugins = [Probe.plugin("first", mono, version: 2), tags, Probe.plugin("second", resampled)]
    let analysis = try #require(analyzer(plugins).analyze(AnalysisJob(path: path, knownAudio: [known])))
    #expect(analysis.reusesKnownAudio)
    #expect(analysis.ids == ["first", "tags"])
    #expect(analysis.outcome("first")?.probed?.values.count == 88_200)
  }

  @Test func `is distinguished from other audio`() throws {
    let other = KnownAudio(decodingID: ContentID(high: 1, low: 2), analyzers: known.analyzers, format: known.format)
    let analysis = try #require(analyzer().analyze(AnalysisJob(path: path, knownAudio: [other])))
    #expect(!analysis.reusesKnownAudio)
    #expect(analysis.ids == ["first", "tags", "second"])
  }
}

@Suite(.bounded) struct `Jobs as JSON` {
  @Test func `come back, whatever the path`() throws {
    let odd = FilePath(platformString: [0x2F, 0x61, -1, 0x0A, 0x62, 0])
    for path in ["/music/Björk/a b.flac", "relative", "", odd] as [FilePath] {
      let job = AnalysisJob(
        path: path, analyzers: ["tempo"],
        knownAudio: [
          KnownAudio(
            decodingID: ContentID(high: 7, low: 8), analyzers: [AnalyzerIdentity(id: "tempo", version: 1, digest: "d")],
            format: AudioFormat(
              container: "wav", codec: "pcm_s16", sampleRate: 8_000, channelCount: 1, isLossless: true),
            remarks: [Problem(stage: .decode, code: "junk", message: "…")])
        ], timeLimit: TimeLimit(seconds: 1.5))
      #expect(try JSONDecoder().decode(AnalysisJob.self, from: JSONEncoder().encode(job)) == job)
    }
    let plain = AnalysisJob(path: "/a")
    let text = try JSONValue(encoding: plain).canonicalText
    #expect(text == #"{"analyzers":null,"known_audio":[],"path":"/a","time_limit":null}"#)
  }
}
